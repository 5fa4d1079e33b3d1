import type { Bench, BenchOptions } from '../harness/bench.ts';
import { Child } from '../harness/child.ts';
import { figure, size, spread } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave } from '../harness/rounds.ts';
import { cpuMicrosBetween } from '../harness/usage.ts';
import type { FrameGeneratorCommands } from '../peers/frame-generator.ts';
import type { FrameSinkCommands } from '../peers/frame-sink.ts';

const KIB = 1024;
const FRAME_SIZES = [1024 * KIB, 16 * KIB] as const;
const AIM = 0.75;
const GROWTH_AIM_BYTES = 10e6;
/** Less than this is nothing. */
const LEAST_GROWTH_BYTES = 1e6;

/** The broker's frame receiver against reading and dropping the bare bytes. */
export const b2: Bench = {
  id: 'B2',
  title: 'B2 receiving frames cut at random, against dropping bare bytes',
  async run({ smoke, rounds }: BenchOptions): Promise<Report> {
    const generator = new Child<FrameGeneratorCommands>({ file: 'frame-generator.js' });
    const sinks = {
      frames: new Child<FrameSinkCommands>({ file: 'frame-sink.js' }),
      raw: new Child<FrameSinkCommands>({ file: 'frame-sink.js' }),
    };
    try {
      const ports = {
        frames: await sinks.frames.call('start', 'frames'),
        raw: await sinks.raw.call('start', 'raw'),
      };
      const rows: Row[] = [];
      const bytes = smoke ? 64e6 : 600e6;
      let seed = 1;
      const contender = (name: 'frames' | 'raw', frameBytes: number) => ({
        name,
        run: async () => {
          const frames = Math.ceil(bytes / frameBytes);
          const before = await sinks[name].call('usage');
          const load = { port: ports[name], frameBytes, frames, seed: seed++ };
          const elapsedMs = await generator.call('stream', load);
          const after = await sinks[name].call('usage');
          const sent = frames * frameBytes;
          return {
            'MB/s': sent / 1000 / elapsedMs,
            'ms/GB': cpuMicrosBetween(before, after) / 1000 / (sent / 1e9),
            rss: after.rssBytes,
          };
        },
      });
      for (const frameBytes of FRAME_SIZES) {
        const results = await interleave(
          [contender('frames', frameBytes), contender('raw', frameBytes)],
          rounds,
        );
        rows.push({
          what: `${size(frameBytes)} frames`,
          ours: `${spread(results.summary('frames', 'MB/s'), 'MB/s')}, ${figure(results.median('frames', 'ms/GB'))} CPU ms/GB`,
          peer: `${spread(results.summary('raw', 'MB/s'), 'MB/s')}, ${figure(results.median('raw', 'ms/GB'))} CPU ms/GB`,
          ratio: results.ratio('frames', 'raw', 'MB/s'),
          target: AIM,
        });
        const rss = results.values('frames', 'rss');
        const growth = Math.max(0, (rss.at(-1) ?? 0) - (rss[0] ?? 0));
        rows.push({
          what: `${size(frameBytes)} frames, growth of memory over the rounds`,
          ours: `${figure(growth / 1e6)} MB, to ${figure((rss.at(-1) ?? 0) / 1e6)} MB`,
          peer: `${figure(GROWTH_AIM_BYTES / 1e6)} MB at most`,
          ratio: GROWTH_AIM_BYTES / Math.max(LEAST_GROWTH_BYTES, growth),
          target: 1,
        });
      }
      return { title: this.title, rows };
    } finally {
      await Promise.all([generator.end(), sinks.frames.end(), sinks.raw.end()]);
    }
  },
};
