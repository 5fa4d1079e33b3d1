import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { StorePlace, StoreWay } from './store-way.ts';

/** What the worker thread is told, one after the other. */
export type WorkerOrder =
  | { readonly kind: 'open'; readonly place: StorePlace }
  | { readonly kind: 'copy'; readonly file: string; readonly bytes: number }
  | { readonly kind: 'read'; readonly bytes: number }
  | { readonly kind: 'close' };

// One for the process, so that its code is compiled as long as that of the main thread.
let worker: Worker | undefined;

/** {@link openAdapterWay}, all of it in a worker thread: the main thread only waits. */
export async function openWorkerWay(place: StorePlace): Promise<StoreWay> {
  await tell({ kind: 'open', place });
  return {
    copy: (file, bytes) => tell({ kind: 'copy', file, bytes }),
    read: (bytes) => tell({ kind: 'read', bytes }),
    close: () => tell({ kind: 'close' }),
  };
}

async function tell(order: WorkerOrder): Promise<void> {
  worker ??= new Worker(new URL('store-worker.js', import.meta.url));
  const answer = once(worker, 'message');
  worker.postMessage(order);
  const [failure] = await answer;
  if (failure !== undefined) throw new Error(String(failure));
}
