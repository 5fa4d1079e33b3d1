/** What emits signals: the process, or a stand-in in tests. */
export interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/** How signals are answered. */
export interface SignalHandlers {
  /** At the first one: begin to end cleanly. */
  readonly stop: () => void;
  /** At the second one: end at once. */
  readonly force: () => void;
}

/**
 * Answers SIGINT and SIGTERM: the first ends cleanly, a second at once. It counts from the moment it
 * is called, so that a broker which is still starting can be stopped, too.
 *
 * @returns a function that stops listening
 */
export function onStopSignals(source: SignalSource, handlers: SignalHandlers): () => void {
  let signals = 0;
  const listener = (): void => {
    signals += 1;
    if (signals === 1) handlers.stop();
    else handlers.force();
  };
  source.on('SIGINT', listener);
  source.on('SIGTERM', listener);
  return () => {
    source.off('SIGINT', listener);
    source.off('SIGTERM', listener);
  };
}
