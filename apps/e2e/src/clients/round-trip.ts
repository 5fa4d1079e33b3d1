import { createHash } from 'node:crypto';
import { createTopic } from '../harness/create-topic.ts';
import { waitTiered } from '../harness/wait-tiered.ts';
import type { ClientScene } from './scene.ts';

/** Sends the lines with a codec, waits until they are in the store alone, and reads them back. */
export async function checkRoundTrip(scene: ClientScene, codec: string): Promise<void> {
  const { broker, checks, client, lines, prefix } = scene;
  const topic = `${prefix}-lines-${codec}`;
  const sent = digest(lines);
  const name = `${client.name}, ${codec}`;
  await checks.check(`${name}: ${lines.length} lines are sent`, async () => {
    await createTopic(broker.bootstrap, topic, { configs: { 'remote.storage.enable': 'true' } });
    const startedMs = performance.now();
    await client.send({ topic, values: lines, codec });
    return rateOf(lines, performance.now() - startedMs);
  });
  await checks.check(`${name}: all of it is in the store, and gone locally`, async () => {
    const report = await waitTiered(broker, { topic, minSegments: codec === 'none' ? 10 : 2 });
    const { offsets, remoteSegments, remoteBytes, localBytes } = report;
    if (offsets.latest !== lines.length) throw new Error(JSON.stringify(offsets));
    return `${remoteSegments} segments, ${remoteBytes} bytes remote, ${localBytes} local`;
  });
  await checks.check(`${name}: the same lines come back from offset 0`, async () => {
    const startedMs = performance.now();
    const received = await client.read(topic, lines.length);
    const ms = performance.now() - startedMs;
    if (digest(received) !== sent) throw new Error(firstDifference(lines, received));
    return `sha256 ${sent.slice(0, 16)}…, ${rateOf(lines, ms)}`;
  });
}

function digest(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line).update('\n');
  return hash.digest('hex');
}

function rateOf(lines: readonly string[], ms: number): string {
  return `${((lines.length / ms) * 1000).toFixed(0)} lines/s`;
}

function firstDifference(sent: readonly string[], received: readonly string[]): string {
  const at = sent.findIndex((line, index) => line !== received[index]);
  return `${received.length} lines came; offset ${at}: sent ${JSON.stringify(sent[at])}, received ${JSON.stringify(received[at])}`;
}
