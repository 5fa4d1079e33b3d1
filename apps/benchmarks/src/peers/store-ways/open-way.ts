import { openAdapterWay } from './adapter-way.ts';
import { openBareWay } from './bare-way.ts';
import { openHelperWay } from './helper-way.ts';
import type { StorePlace, StoreWay } from './store-way.ts';
import { openWorkerWay } from './worker-way.ts';

/** Ours, ours in a worker thread, the SDK's helper, plain HTTP. */
export type WayName = 'ours' | 'worker' | 'helper' | 'bare';

/** Opens a way to a store. */
export async function openWay(name: WayName, place: StorePlace): Promise<StoreWay> {
  switch (name) {
    case 'ours':
      return await openAdapterWay(place);
    case 'worker':
      return await openWorkerWay(place);
    case 'helper':
      return openHelperWay(place);
    case 'bare':
      return openBareWay(place);
  }
}
