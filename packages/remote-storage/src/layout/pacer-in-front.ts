import type { BytePacer } from '@logloft/quota';
import type { Pacer } from '../call-options.ts';

/** A pacer that also keeps the rate of another one, which all copies share. */
export function pacerInFront(shared: BytePacer, own: Pacer | undefined): Pacer {
  return {
    get sliceBytes(): number {
      return Math.min(shared.sliceBytes, own?.sliceBytes ?? Number.POSITIVE_INFINITY);
    },
    async take(bytes, options): Promise<void> {
      await shared.take(bytes, options);
      await own?.take(bytes, options);
    },
  };
}
