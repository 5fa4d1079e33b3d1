// Keeps the remote tier in one SQLite file: --set rsm.config.storage.file=FILE
import { DatabaseSync } from 'node:sqlite';
import {
  assertObjectKey,
  clipByteRange,
  pacedSlices,
  RemoteStorageError,
  readPluginOptions,
  sourceSlices,
  textOption,
} from '@logloft/remote-storage';

// The file is one process's alone. What a killed one left unfinished goes when it is opened again.
const OPENING = `
  PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA recursive_triggers = ON;
  CREATE TABLE IF NOT EXISTS objects (key TEXT PRIMARY KEY, id TEXT, size INTEGER);
  CREATE TABLE IF NOT EXISTS pieces (id TEXT, at INTEGER, bytes BLOB, PRIMARY KEY (id, at));
  CREATE TRIGGER IF NOT EXISTS gone DELETE ON objects BEGIN DELETE FROM pieces WHERE id=old.id; END;
  DELETE FROM pieces WHERE id NOT IN (SELECT id FROM objects)`;
const PAGE = 'SELECT key, size FROM objects WHERE key > ? AND key >= ? ORDER BY key LIMIT 500';
const PIECE = 'SELECT at, bytes FROM pieces WHERE id = ? AND at <= ? ORDER BY at DESC LIMIT 1';
const MAX = { maxObjectBytes: 2 ** 40, maxKeyBytes: 1024 };

export function createObjectStore(options) {
  return new SqliteObjectStore(readPluginOptions(options, { file: textOption() }).file);
}

class SqliteObjectStore {
  capabilities = { name: 'sqlite', durable: true, conditionalPut: true, paced: true, ...MAX };
  #db;
  constructor(file) {
    this.#db = new DatabaseSync(file);
    this.#db.exec(OPENING);
  }
  async put(key, source, options = {}) {
    assertObjectKey(key, MAX.maxKeyBytes);
    const id = crypto.randomUUID();
    let size = 0;
    try {
      for await (const bytes of sourceSlices(source, options)) {
        this.#query(options, 'INSERT INTO pieces VALUES (?, ?, ?)', id, size, bytes);
        size += bytes.byteLength;
      }
      // One statement shows all pieces at once; the trigger removes those of an object before.
      const verb = options.ifAbsent ? 'INSERT' : 'INSERT OR REPLACE';
      this.#query(options, `${verb} INTO objects VALUES (?, ?, ?)`, key, id, size);
    } catch (error) {
      if (this.#db.isOpen) this.#query({}, 'DELETE FROM pieces WHERE id = ?', id);
      throw error;
    }
  }
  async get(key, range, options = {}) {
    const { id, size } = this.#find(key, options);
    const { start, length } = range ? clipByteRange(range, size) : { start: 0, length: size };
    return pacedSlices(this.#pieces(id, start, start + length), options);
  }
  async head(key, options = {}) {
    return { key, size: this.#find(key, options).size };
  }
  async delete(keys, options = {}) {
    for (const key of keys) assertObjectKey(key, MAX.maxKeyBytes);
    for (const key of keys) this.#query(options, 'DELETE FROM objects WHERE key = ?', key);
  }
  async *list({ prefix = '', signal } = {}) {
    for (let page; page?.length !== 0; ) {
      page = this.#query({ signal }, PAGE, page?.at(-1).key ?? '', prefix);
      page = page.filter(({ key }) => key.startsWith(prefix));
      yield* page;
    }
  }
  async [Symbol.asyncDispose]() {
    if (this.#db.isOpen) this.#db.close();
  }
  async *#pieces(id, start, end) {
    for (let next = start, bytes; next < end; next += bytes.byteLength) {
      const [piece] = this.#query({}, PIECE, id, next);
      if (!piece) throw new RemoteStorageError('unavailable', 'The object was replaced meanwhile');
      bytes = piece.bytes.subarray(next - piece.at, end - piece.at);
      yield bytes;
    }
  }
  #find(key, options) {
    assertObjectKey(key, MAX.maxKeyBytes);
    const [found] = this.#query(options, 'SELECT id, size FROM objects WHERE key = ?', key);
    if (!found) throw new RemoteStorageError('not-found', `There is no object ${key}`, { key });
    return found;
  }
  #query({ signal }, sql, ...values) {
    signal?.throwIfAborted();
    if (!this.#db.isOpen) throw new RemoteStorageError('aborted', 'The store is closed');
    try {
      return this.#db.prepare(sql).all(...values);
    } catch (cause) {
      // SQLite's own codes: the disk is full, and a key that exists already.
      const kind = { 13: 'full', 19: 'precondition' }[cause.errcode & 0xff] ?? 'unavailable';
      throw new RemoteStorageError(kind, cause.message, { cause });
    }
  }
}
