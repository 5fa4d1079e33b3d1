/** Where the command writes; lines are given without their line end. */
export interface Output {
  /** The result: banner, progress, JSON. */
  readonly out: (line: string) => void;
  /** Log lines for people, and errors. */
  readonly err: (line: string) => void;
}

/** The standard streams. A reader that went away (`logloft | head`) is no reason to fail. */
export function standardOutput(): Output {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
  };
}
