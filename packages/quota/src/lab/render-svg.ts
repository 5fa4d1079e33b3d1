import {
  describeConcerns,
  describeScenario,
  drainedText,
  POLICY_WORDS,
} from './describe-report.ts';
import { formatBytes, formatDuration, formatRate } from './format.ts';
import type { LabPoint, LabReport, LabResult } from './simulate-quota.ts';

/** How a report is drawn as SVG. */
export interface SvgOptions {
  /** Width of the image in pixels, from 300. Default 800. */
  readonly width?: number | undefined;
  /** Height of each chart in pixels, from 40. Default 110. */
  readonly chartHeight?: number | undefined;
}

const MARGIN = 90;
const LINE = 18;
const GAP = 46;

const STYLE = [
  'text{font:12px system-ui,sans-serif;fill:#333}',
  '.head{font-weight:600}.label{fill:#777}.end{text-anchor:end}',
  '.rate{fill:#4c8dbf;stroke:none}.backlog{fill:none;stroke:#c0722c;stroke-width:1.5}',
  '.limit{fill:none;stroke:#b22;stroke-dasharray:5 3}.axis{fill:none;stroke:#bbb}',
].join('');

/** The place of one chart in the image. */
interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A report as an SVG image: for each policy the bytes per second as an area, the limit dashed, and
 * the backlog as a line that begins at the top.
 */
export function renderSvg(report: LabReport, options: SvgOptions = {}): string {
  const width = Math.max(300, Math.trunc(options.width ?? 800));
  const height = Math.max(40, Math.trunc(options.chartHeight ?? 110));
  const words = [...describeScenario(report), ...describeConcerns(report)];
  const headHeight = (words.length + 1) * LINE;
  const charts = report.results.map((result, index) => {
    const top = headHeight + index * (height + GAP) + LINE;
    return chart(report, result, { left: MARGIN, top, width: width - MARGIN - 20, height });
  });
  const fullHeight = headHeight + report.results.length * (height + GAP);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${fullHeight}" ` +
      `viewBox="0 0 ${width} ${fullHeight}" role="img">`,
    '<title>What a write quota does to a backlog</title>',
    `<style>${STYLE}</style>`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...words.map((line, index) => text(10, (index + 1) * LINE, line)),
    ...charts.flat(),
    '</svg>',
    '',
  ].join('\n');
}

function chart(report: LabReport, result: LabResult, frame: Frame): readonly string[] {
  const { points, policy } = result;
  const { left, top, width, height } = frame;
  const limits = points.map(({ limit }) => limit).filter((limit) => limit < 2 ** 63);
  const most = Math.max(1, ...points.map(({ bytesPerSecond }) => bytesPerSecond), ...limits);
  const { backlogBytes: startBytes } = report.scenario;
  const mostBacklog = Math.max(startBytes, ...points.map(({ backlogBytes }) => backlogBytes));
  const bottom = top + height;
  const title = `${policy}: ${POLICY_WORDS[policy]}; drained after ${drainedText(result)}, average ${formatRate(result.averageBytesPerSecond)}`;
  const axis = `M${left} ${top}V${bottom}H${left + width}`;
  const rate = steps(report, frame, points, ({ bytesPerSecond }) => bytesPerSecond / most);
  const lines = [
    text(left, top - 6, title, 'head'),
    `<path class="rate" d="M${left} ${bottom}${rate}V${bottom}Z"/>`,
    `<path class="axis" d="${axis}"/>`,
    text(left - 6, top + 10, formatRate(most), 'label end'),
    text(left - 6, top + 10 + LINE, formatBytes(mostBacklog), 'label end'),
    text(left, bottom + 14, '0', 'label'),
    text(
      left + width,
      bottom + 14,
      formatDuration(report.stepMs * report.scenario.points),
      'label end',
    ),
  ];
  if (points.length === 0) return lines;
  if (limits.length > 0) {
    const limit = steps(report, frame, points, (point) => point.limit / most);
    lines.push(`<path class="limit" d="M${limit.slice(1)}"/>`);
  }
  const backlog = backlogLine(report, frame, points, mostBacklog);
  lines.push(`<path class="backlog" d="M${backlog}"/>`);
  return lines;
}

/** A line in steps: `L x y H x` for each point. Shares are of the height, 0 to 1. */
function steps(
  { scenario }: LabReport,
  frame: Frame,
  points: readonly LabPoint[],
  shareOf: (point: LabPoint) => number,
): string {
  const step = frame.width / scenario.points;
  return points
    .map((point, index) => {
      const y = frame.top + frame.height * (1 - Math.min(1, shareOf(point)));
      return `L${round(frame.left + index * step)} ${round(y)}H${round(frame.left + (index + 1) * step)}`;
    })
    .join('');
}

/** The backlog, from its start to the end of each step. */
function backlogLine(
  { scenario }: LabReport,
  frame: Frame,
  points: readonly LabPoint[],
  most: number,
): string {
  const step = frame.width / scenario.points;
  const y = (bytes: number): number =>
    round(frame.top + frame.height * (1 - Math.min(1, bytes / most)));
  const places = points.map(
    ({ backlogBytes }, index) => `${round(frame.left + (index + 1) * step)} ${y(backlogBytes)}`,
  );
  return [`${frame.left} ${y(scenario.backlogBytes)}`, ...places].join('L');
}

function text(x: number, y: number, words: string, style = ''): string {
  const attribute = style === '' ? '' : ` class="${style}"`;
  return `<text x="${round(x)}" y="${round(y)}"${attribute}>${words}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
