import { createTopic } from '../harness/create-topic.ts';
import { producersIn } from '../harness/producers-in.ts';
import { specialOffsets } from '../harness/special-offsets.ts';
import { filesBelow } from '../harness/tier-files.ts';
import type { ClientScene } from './scene.ts';

const VALUES = 5000;
const VALUES_IN_SEND = 500;
const VALUES_IN_KILLED_SEND = 50;

/** An idempotent producer: its batches carry its id, and each value is there once and in order. */
export async function checkIdempotence(scene: ClientScene): Promise<void> {
  const { broker, checks, client, prefix } = scene;
  const topic = `${prefix}-idempotent`;
  await checks.check(`${client.name}: an idempotent producer writes each value once`, async () => {
    await createTopic(broker.bootstrap, topic, { configs: { 'remote.storage.enable': 'false' } });
    const values = Array.from({ length: VALUES }, (_, index) => `value ${index}`);
    for (let at = 0; at < VALUES; at += VALUES_IN_SEND) {
      await client.send({ topic, values: values.slice(at, at + VALUES_IN_SEND), idempotent: true });
    }
    const received = await client.read(topic, VALUES);
    if (received.join() !== values.join()) throw new Error('the values are not as sent');
    const files = await filesBelow(broker.partitionDirectory(topic, 0), '.log');
    const producers = await producersIn(files.map(({ path }) => path));
    const [id, nextSequence] = [...producers][0] ?? [];
    if (producers.size !== 1 || id === undefined || id < 0 || nextSequence !== VALUES) {
      throw new Error(`next sequence by producer: ${JSON.stringify([...producers])}`);
    }
    return `producer id ${id}, ${nextSequence} sequence numbers`;
  });
  await checks.check(`${client.name}: nor does kill -9 make it write one twice`, async () => {
    const killed = `${topic}-killed`;
    await createTopic(broker.bootstrap, killed, { configs: { 'remote.storage.enable': 'false' } });
    const values = Array.from({ length: VALUES }, (_, index) => `value ${index}`);
    let restarted: Promise<number> | undefined;
    for (let at = 0; at < VALUES; at += VALUES_IN_KILLED_SEND) {
      const sent = client.send({
        topic: killed,
        values: values.slice(at, at + VALUES_IN_KILLED_SEND),
        idempotent: true,
      });
      // While this request is on its way; the client sends it again when the broker is back.
      if (at === VALUES / 2) restarted = broker.kill('SIGKILL').then(() => broker.restart());
      await sent;
    }
    const restartMs = (await restarted) ?? 0;
    const received = await client.read(killed, VALUES);
    if (received.join() !== values.join()) throw new Error('the values are not as sent');
    const { latest } = await specialOffsets(broker.bootstrap, killed, 0);
    if (latest !== VALUES) throw new Error(`${latest} records, expected ${VALUES}`);
    return `${latest} records, the broker was back in ${restartMs.toFixed(0)} ms`;
  });
}
