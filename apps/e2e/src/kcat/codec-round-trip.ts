import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compressionsIn } from '../harness/compressions-in.ts';
import { sha256OfFile } from '../harness/sha256.ts';
import { bytesOf, filesBelow } from '../harness/tier-files.ts';
import { type TierReport, waitTiered } from '../harness/wait-tiered.ts';
import { type KcatScene, kcat } from './scene.ts';
import { checkTimestampLookups } from './timestamp-lookups.ts';

/** The codecs of librdkafka, as kcat names them. */
export const CODECS: readonly string[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

const MAX_BYTES_NOT_WORTH_COMPRESSING = 512;

/** Sends the file with a codec, waits until it is tiered, and compares what comes back. */
export async function checkCodecRoundTrip(scene: KcatScene, codec: string): Promise<void> {
  const { broker, checks, input, lines } = scene;
  const topic = `lines-${codec}`;
  const isSent = await checks.check(`${codec}: kcat sends ${lines} lines`, async () => {
    const { ms } = await kcat(scene, [
      '-P',
      '-t',
      topic,
      '-p',
      '0',
      '-z',
      codec,
      '-X',
      'batch.size=65536',
      '-l',
      input,
    ]);
    const { size } = await stat(input);
    return `${(size / 1024 / 1024 / (ms / 1000)).toFixed(1)} MiB/s`;
  });
  if (!isSent) return;
  let report: TierReport | undefined;
  const minSegments = codec === 'none' ? 10 : 2;
  const isTiered = await checks.check(
    `${codec}: all segments but the active one are in the store and gone locally`,
    async () => {
      report = await waitTiered(broker, { topic, minSegments });
      const { offsets, remoteSegments, remoteBytes, localBytes, waitedMs } = report;
      if (offsets.earliest !== 0 || offsets.latest !== lines) {
        throw new Error(`expected offsets 0 to ${lines}, found ${JSON.stringify(offsets)}`);
      }
      return `${remoteSegments} segments, ${remoteBytes} bytes remote, ${localBytes} local, local log from offset ${offsets.earliestLocal}, after ${waitedMs.toFixed(0)} ms`;
    },
  );
  if (!isTiered || report === undefined) return;
  await checks.check(`${codec}: batches in the store are compressed as sent`, async () => {
    const files = await filesBelow(join(broker.dataDirectory, 'remote'), '.log');
    const own = files.filter(({ path }) => path.includes(`/${topic}-`));
    const found = await compressionsIn(own.map(({ path }) => path));
    const sent = found.get(codec);
    // librdkafka sends a batch as it is when compressing it makes it no smaller: one of a line or two.
    const foreign = [...found].filter(
      ([name, { maxBytes }]) =>
        name !== codec && !(name === 'none' && maxBytes <= MAX_BYTES_NOT_WORTH_COMPRESSING),
    );
    if (sent === undefined || foreign.length > 0) {
      throw new Error(`expected batches with ${codec}, found ${JSON.stringify([...found])}`);
    }
    return `${sent.batches} batches, ${bytesOf(own)} bytes`;
  });
  await checks.check(`${codec}: kcat -C -o beginning -e gives the identical file`, async () => {
    const output = join(scene.directory, `${topic}.out`);
    const { ms } = await kcat(
      scene,
      ['-C', '-q', '-t', topic, '-p', '0', '-o', 'beginning', '-e'],
      {
        outputFile: output,
      },
    );
    const [sent, received] = await Promise.all([sha256OfFile(input), sha256OfFile(output)]);
    const { size } = await stat(output);
    if (sent !== received) {
      throw new Error(`sent ${sent}, received ${received} (${size} bytes in ${output})`);
    }
    return `sha256 ${received.slice(0, 16)}…, ${(size / 1024 / 1024 / (ms / 1000)).toFixed(1)} MiB/s`;
  });
  await checkTimestampLookups(scene, { topic, codec, report });
}
