import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KcatScene, kcat } from './scene.ts';

/** Keys, headers, tombstones, idempotence, groups and offsets relative to the end. */
export async function checkSmallThings(scene: KcatScene): Promise<void> {
  const { checks } = scene;
  await checks.check('keys, headers and timestamps come back as sent', async () => {
    await send(scene, 'small-keyed', 'v1\nv2\n', ['-k', 'key', '-H', 'h=x', '-H', 'empty=']);
    const { stdout } = await consume(scene, 'small-keyed', ['-f', '%o %k %s %h\\n']);
    expectText(stdout, '0 key v1 h=x,empty=\n1 key v2 h=x,empty=\n');
  });
  await checks.check('an empty value with -Z is a tombstone', async () => {
    await send(scene, 'small-tombstone', 'k1:v1\nk1:\n', ['-K', ':', '-Z']);
    const { stdout } = await consume(scene, 'small-tombstone', ['-f', '%k %S\\n']);
    expectText(stdout, 'k1 2\nk1 -1\n');
  });
  await checks.check('an idempotent producer sends each line once', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}`).join('\n');
    await send(scene, 'small-idempotent', `${lines}\n`, ['-X', 'enable.idempotence=true']);
    const { stdout } = await consume(scene, 'small-idempotent', []);
    expectText(stdout, `${lines}\n`);
    return '5000 lines';
  });
  for (const acks of ['0', '1', 'all']) {
    await checks.check(`acks ${acks}`, async () => {
      await send(scene, `small-acks-${acks}`, 'one\ntwo\n', ['-X', `acks=${acks}`]);
      const { stdout } = await consume(scene, `small-acks-${acks}`, []);
      expectText(stdout, 'one\ntwo\n');
    });
  }
  await checks.check('kcat -o -1 gives the last line', async () => {
    const { stdout } = await kcat(scene, [
      ...['-C', '-q', '-t', 'small-idempotent', '-p', '0', '-o', '-1', '-e'],
    ]);
    expectText(stdout, 'line 4999\n');
  });
  await checks.check('kcat -G reads a topic once: its commits hold', async () => {
    const args = ['-G', 'kcat-group', 'small-idempotent', '-e', '-q'];
    const options = ['-X', 'auto.offset.reset=earliest'];
    const first = await kcat(scene, [...options, ...args]);
    const second = await kcat(scene, [...options, ...args]);
    const count = first.stdout.trimEnd().split('\n').length;
    if (count !== 5000 || second.stdout !== '') {
      throw new Error(`first run ${count} lines, second ${second.stdout.length} characters`);
    }
    return `5000 lines, then none; ${first.ms.toFixed(0)} and ${second.ms.toFixed(0)} ms`;
  });
}

async function send(
  scene: KcatScene,
  topic: string,
  text: string,
  args: readonly string[],
): Promise<void> {
  const file = join(scene.directory, `${topic}.txt`);
  await writeFile(file, text);
  await kcat(scene, ['-P', '-t', topic, '-p', '0', ...args, '-l', file]);
}

async function consume(
  scene: KcatScene,
  topic: string,
  args: readonly string[],
): Promise<{ readonly stdout: string }> {
  return await kcat(scene, ['-C', '-q', '-t', topic, '-p', '0', '-o', 'beginning', '-e', ...args]);
}

function expectText(found: string, expected: string): void {
  if (found === expected) return;
  const shorten = (text: string): string => JSON.stringify(text.slice(0, 300));
  throw new Error(`expected ${shorten(expected)}, found ${shorten(found)}`);
}
