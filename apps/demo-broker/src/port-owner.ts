import { readdir, readFile, readlink } from 'node:fs/promises';

const LISTENING = '0A';

/**
 * The program that listens on a TCP port, as `name (pid 123)`. Only Linux tells, and only of processes
 * that this one may look into; otherwise `undefined`.
 */
export async function portOwner(port: number): Promise<string | undefined> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(readIfThere));
  const inodes = new Set(tables.flatMap((table) => listeningInodes(table, port)));
  if (inodes.size === 0) return undefined;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    if (!(await hasSocket(pid, inodes))) continue;
    const name = (await readIfThere(`/proc/${pid}/comm`)).trim();
    return `${name} (pid ${pid})`;
  }
  return undefined;
}

/** Inodes of the sockets that listen on a port, from a table of the kernel: port and state are hexadecimal. */
function listeningInodes(table: string, port: number): readonly string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    const matches = local?.endsWith(`:${wanted}`) === true && state === LISTENING;
    return matches && inode !== undefined ? [inode] : [];
  });
}

async function hasSocket(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const file of files) {
    const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '');
    const inode = /^socket:\[(?<inode>\d+)\]$/.exec(target)?.groups?.['inode'];
    if (inode !== undefined && inodes.has(inode)) return true;
  }
  return false;
}

async function readIfThere(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '');
}
