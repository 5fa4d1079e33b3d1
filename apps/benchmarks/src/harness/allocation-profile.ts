import type { HeapProfiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** Short enough that a few bytes for each of millions of calls cannot hide between two samples. */
const SAMPLE_BYTES = 1024;

/**
 * Bytes of heap that `work` takes, those included that are collected meanwhile, by the sampling heap
 * profile of V8.
 */
export async function allocatedBytes(work: () => void): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    const settings = {
      samplingInterval: SAMPLE_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    };
    await session.post('HeapProfiler.startSampling', settings);
    work();
    const { profile } = await session.post('HeapProfiler.stopSampling');
    return bytesBelow(profile.head);
  } finally {
    session.disconnect();
  }
}

function bytesBelow(node: HeapProfiler.SamplingHeapProfileNode): number {
  return node.children.reduce((sum, child) => sum + bytesBelow(child), node.selfSize);
}
