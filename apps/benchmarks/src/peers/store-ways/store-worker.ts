// The thread of `openWorkerWay`.
import { parentPort, workerData } from 'node:worker_threads';
import { openAdapterWay } from './adapter-way.ts';
import type { StorePlace, StoreWay } from './store-way.ts';
import type { WorkerOrder } from './worker-way.ts';

const opened = openAdapterWay(workerData as StorePlace);

parentPort?.on('message', (order: WorkerOrder) => {
  obey(order).then(
    () => parentPort?.postMessage(undefined),
    (error: unknown) => parentPort?.postMessage(String(error)),
  );
});

async function obey(order: WorkerOrder): Promise<void> {
  const way: StoreWay = await opened;
  switch (order.kind) {
    case 'copy':
      return await way.copy(order.file, order.bytes);
    case 'read':
      return await way.read(order.bytes);
    case 'close':
      return await way.close();
  }
}
