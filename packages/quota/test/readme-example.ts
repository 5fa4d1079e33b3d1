import { systemClock } from '@logloft/clock';
import { ByteLimit, WriteQuotaManager } from '@logloft/quota';

const quota = new WriteQuotaManager({ clock: systemClock, limit: ByteLimit.of(1_048_576) });
try {
  for (const segment of ['a', 'b']) {
    const bytes = 4_194_304;
    const permit = await quota.admit({ writer: 'copier-0', bytes });
    if (permit === undefined) {
      console.log(`${segment}: the quota is exhausted, the rest is for the next run`);
      break;
    }
    try {
      await copyToRemoteStorage(segment);
      permit.settle(bytes);
    } finally {
      permit.release();
    }
    console.log(`${segment}: copied`);
  }
} finally {
  await quota.close();
}

async function copyToRemoteStorage(_segment: string): Promise<void> {
  // Your upload; a store that paces is given permit.pacer.
}
