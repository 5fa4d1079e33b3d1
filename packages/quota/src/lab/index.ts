export { formatBytes, formatDuration, formatRate } from './format.ts';
export type { LabPolicy, LabScenario, LimitChange, ResolvedScenario } from './lab-scenario.ts';
export type { SvgOptions } from './render-svg.ts';
export { renderSvg } from './render-svg.ts';
export type { TerminalOptions } from './render-terminal.ts';
export { renderTerminal } from './render-terminal.ts';
export type { LabPoint, LabReport, LabResult } from './simulate-quota.ts';
export { simulateQuota } from './simulate-quota.ts';
