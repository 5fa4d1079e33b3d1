import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { StorePlace, StoreWay } from './store-way.ts';

/** What the worker thread is told, one after the other. */
export type WorkerOrder =
  | { readonly kind: 'copy'; readonly file: string; readonly bytes: number }
  | { readonly kind: 'read'; readonly bytes: number }
  | { readonly kind: 'close' };

/** {@link openAdapterWay}, all of it in a worker thread: the main thread only waits. */
export function openWorkerWay(place: StorePlace): StoreWay {
  const worker = new Worker(new URL('store-worker.js', import.meta.url), { workerData: place });
  const tell = async (order: WorkerOrder): Promise<void> => {
    const answer = once(worker, 'message');
    worker.postMessage(order);
    const [failure] = await answer;
    if (failure !== undefined) throw new Error(String(failure));
  };
  return {
    copy: (file, bytes) => tell({ kind: 'copy', file, bytes }),
    read: (bytes) => tell({ kind: 'read', bytes }),
    close: async () => {
      await tell({ kind: 'close' });
      await worker.terminate();
    },
  };
}
