// The thread of `openWorkerWay`.
import { parentPort } from 'node:worker_threads';
import { openAdapterWay } from './adapter-way.ts';
import type { StoreWay } from './store-way.ts';
import type { WorkerOrder } from './worker-way.ts';

let way: StoreWay | undefined;

parentPort?.on('message', (order: WorkerOrder) => {
  obey(order).then(
    () => parentPort?.postMessage(undefined),
    (error: unknown) => parentPort?.postMessage(String(error)),
  );
});

async function obey(order: WorkerOrder): Promise<void> {
  switch (order.kind) {
    case 'open':
      way = await openAdapterWay(order.place);
      return;
    case 'copy':
      return await way?.copy(order.file, order.bytes);
    case 'read':
      return await way?.read(order.bytes);
    case 'close':
      return await way?.close();
  }
}
