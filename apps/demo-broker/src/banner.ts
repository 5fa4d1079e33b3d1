import type { ReadyReport } from './ready-report.ts';

/** The report for people. */
export function banner(report: ReadyReport): string {
  const rows: readonly (readonly [name: string, value: string])[] = [
    ['Kafka', report.kafka],
    ['HTTP', report.http === null ? 'off' : `${report.http}  /healthz /readyz /metrics`],
    ['Data', dataRow(report)],
    ['Remote', remoteRow(report)],
    ['Cluster', `${report.clusterId}, node ${report.nodeId}`],
  ];
  return [
    `logloft ${report.version} is ready in ${report.readyMs} ms (pid ${report.pid})`,
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(9)}${value}`),
    '',
    '  Ctrl-C ends it; a second Ctrl-C at once.',
    '',
  ].join('\n');
}

function dataRow({ directory, temporary }: ReadyReport): string {
  if (directory === null) return 'in memory, gone at the end';
  return temporary ? `${directory}, removed at the end; --data DIR keeps it` : directory;
}

function remoteRow({ remoteStorage }: ReadyReport): string {
  if (remoteStorage === null) return 'none: segments stay where they are';
  return `${remoteStorage}; topics made on first use copy their closed segments there`;
}
