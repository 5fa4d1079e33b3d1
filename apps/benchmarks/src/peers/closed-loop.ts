import { LatencyRecorder } from './latency-recorder.ts';
import type { LoadResult, LoadTarget } from './load.ts';
import { RawConnection } from './raw-connection.ts';

/** What a closed loop sends, and how it judges the answers. */
export interface LoopWork {
  /** The next frame of a connection. */
  frame(connection: number): Buffer;
  /** Looks at an answer: bytes of batches that it stands for. @throws Error when it is not as it should be */
  accept(head: Buffer): number;
}

/** Sends `inFlight` requests a connection, and the next one with each answer. */
export async function runClosedLoop(target: LoadTarget, work: LoopWork): Promise<LoadResult> {
  const opened = await Promise.all(
    Array.from({ length: target.connections }, () => RawConnection.open(target.port)),
  );
  const recorder = new LatencyRecorder(target.requests);
  let unsent = target.requests;
  let unanswered = target.requests;
  let bytes = 0;
  const start = performance.now();
  await new Promise<void>((resolve, reject) => {
    for (const [index, connection] of opened.entries()) {
      // Answers come in order: a ring of the times at which the requests left.
      const sentAt = new Float64Array(target.inFlight);
      let sent = 0;
      let answered = 0;
      const sendNext = (): void => {
        if (unsent === 0) return;
        unsent -= 1;
        sentAt[sent++ % target.inFlight] = performance.now();
        connection.send(work.frame(index));
      };
      connection.onFailure = reject;
      connection.onResponse = (_size, head) => {
        recorder.add(performance.now() - (sentAt[answered++ % target.inFlight] ?? 0));
        try {
          bytes += work.accept(head);
        } catch (error) {
          reject(error);
        }
        unanswered -= 1;
        if (unanswered === 0) resolve();
        else sendNext();
      };
      for (let i = 0; i < target.inFlight; i += 1) sendNext();
    }
  });
  const elapsedMs = performance.now() - start;
  await Promise.all(opened.map((connection) => connection.end()));
  return { elapsedMs, requests: target.requests, bytes, latency: recorder.latency() };
}
