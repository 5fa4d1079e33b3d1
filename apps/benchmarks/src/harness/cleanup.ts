/** What is to be undone, the last first, however the process ends. */
const pending: (() => void)[] = [];
let isInstalled = false;

/**
 * Runs `undo` when the process ends: normally, by an error, or by Ctrl-C. It must be synchronous and
 * must not throw. The returned function runs it earlier, once.
 */
export function atExit(undo: () => void): () => void {
  install();
  pending.push(undo);
  return () => {
    const index = pending.indexOf(undo);
    if (index < 0) return;
    pending.splice(index, 1);
    undo();
  };
}

function install(): void {
  if (isInstalled) return;
  isInstalled = true;
  process.once('exit', () => {
    for (const undo of pending.splice(0).reverse()) undo();
  });
  // Ending through `exit` runs the above; the codes are those of a shell.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  process.once('SIGHUP', () => process.exit(129));
}
