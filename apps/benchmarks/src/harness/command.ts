/** What a child process can be told, by name: one argument at most, one result. */
// Its parameter is what the one side sends and the other takes; a table is only ever used with its own type.
// biome-ignore lint/suspicious/noExplicitAny: a constraint that any argument meets cannot be written with unknown.
export type CommandTable = Readonly<Record<string, (argument: any) => unknown>>;

/** A command on its way to the child. */
export interface Request {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

/** The child's answer. */
export interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string | undefined;
}

/** Settings of {@link serveCommands}. */
export interface ServeOptions {
  /** Called before the process ends because the harness let it go. */
  readonly onEnd?: (() => Promise<void> | void) | undefined;
}

/** The child's side: answers commands until the harness lets go, then ends the process. */
export function serveCommands(commands: CommandTable, options: ServeOptions = {}): void {
  process.on('message', (message) => {
    // Sent by the harness, which knows the table's type.
    void answer(commands, message as Request);
  });
  process.once('disconnect', () => {
    void end(options);
  });
  // The harness decides what Ctrl-C means; the terminal sends it to the children, too.
  process.on('SIGINT', () => undefined);
}

async function end({ onEnd }: ServeOptions): Promise<void> {
  try {
    await onEnd?.();
  } finally {
    process.exit(0);
  }
}

async function answer(commands: CommandTable, request: Request): Promise<void> {
  const { id, name, argument } = request;
  try {
    const command = commands[name];
    if (command === undefined) throw new Error(`unknown command ${name}`);
    send({ id, result: await command(argument) });
  } catch (error) {
    send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function send(reply: Reply): void {
  if (process.connected) process.send?.(reply);
}
