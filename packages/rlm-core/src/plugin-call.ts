import type { Clock, Timer } from '@logloft/clock';
import type { CallOptions, Pacer } from '@logloft/remote-storage';
import { linkedController } from './abort.ts';
import { RemoteLogError } from './errors.ts';

/** How long an aborted call may take to end before it is left to itself. */
const GRACE_MS = 5_000;

/** What a call of a plugin is held to. */
export interface PluginCallOptions {
  readonly clock: Clock;
  /** For the message, for example `copy of segment …`. */
  readonly what: string;
  /** Ms without progress after which the call is given up. Waiting for the pacer does not count. */
  readonly stallTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Ms that an aborted call gets to end by itself before `result` rejects. Default 5,000. */
  readonly graceMs?: number | undefined;
  readonly pacer?: Pacer | undefined;
  /** Called with bytes done since the last call of it. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

/** A call under way. */
export interface PluginCall<T> {
  /**
   * Settles as the call does; once aborted or stalled, with the reason of that, and at the latest some
   * seconds later, whether the call ends or not.
   */
  readonly result: Promise<T>;
  /** Resolves when the plugin's own promise has settled, which may be never. Does not reject. */
  readonly settled: Promise<void>;
  /** Whether the plugin's own promise has settled. */
  isSettled(): boolean;
}

/**
 * Calls a plugin, and does not rely on it to come back: calls that neither return nor throw have
 * stalled partitions of others until a restart.
 */
export function callPlugin<T>(
  options: PluginCallOptions,
  call: (options: CallOptions) => Promise<T>,
): PluginCall<T> {
  const { clock, stallTimeoutMs } = options;
  const { controller, unlink } = linkedController([options.signal]);
  const { signal } = controller;
  const outcome = Promise.withResolvers<T>();
  let grace: Timer | undefined;
  let stall: Timer | undefined;

  const watch = (): void => {
    stall?.cancel();
    stall = signal.aborted ? undefined : clock.setTimer(stallTimeoutMs, onStall);
  };
  const onStall = (): void =>
    controller.abort(
      new RemoteLogError(
        'LOGLOFT_RLM_STORE_TIMEOUT',
        `The ${options.what} made no progress for ${stallTimeoutMs} ms and was given up`,
      ),
    );
  const onAbort = (): void => {
    stall?.cancel();
    const { graceMs = GRACE_MS } = options;
    if (graceMs === 0) outcome.reject(signal.reason);
    else grace = clock.setTimer(graceMs, () => outcome.reject(signal.reason));
  };

  watch();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });

  const started = startCall(call, {
    signal,
    pacer: options.pacer && unwatchedPacer(options.pacer, () => stall?.cancel(), watch),
    onProgress: (bytes) => {
      watch();
      options.onProgress?.(bytes);
    },
  });
  let ended = false;
  const settled = started.then(
    (value) => {
      ended = true;
      outcome.resolve(value);
    },
    (error: unknown) => {
      ended = true;
      // The reason of an abort tells more than whatever the plugin made of it.
      outcome.reject(signal.aborted ? signal.reason : error);
    },
  );
  const result = outcome.promise.finally(() => {
    stall?.cancel();
    grace?.cancel();
    signal.removeEventListener('abort', onAbort);
    unlink();
  });
  return { result, settled, isSettled: () => ended };
}

/** A plugin that throws instead of rejecting is treated alike. */
async function startCall<T>(
  call: (options: CallOptions) => Promise<T>,
  options: CallOptions,
): Promise<T> {
  options.signal?.throwIfAborted();
  return await call(options);
}

function unwatchedPacer(pacer: Pacer, pause: () => void, resume: () => void): Pacer {
  return {
    get sliceBytes(): number | undefined {
      return pacer.sliceBytes;
    },
    async take(bytes, options): Promise<void> {
      pause();
      try {
        await pacer.take(bytes, options);
      } finally {
        resume();
      }
    },
  };
}
