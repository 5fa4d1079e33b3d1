import { compareUtf8, type SortedKeys } from '../storage/sorted-keys.ts';
import { GcsError } from './gcs-error.ts';
import type { Query } from './preconditions.ts';
import type { StoredObject } from './stored-object.ts';

const MAX_PAGE_ENTRIES = 1000;
const NOT_SERVED = ['matchGlob', 'filter', 'softDeleted', 'includeFoldersAsPrefixes'] as const;

/** What a request to list objects asks for. */
export interface ListQuery {
  readonly prefix: string;
  readonly delimiter: string;
  /** Names before this are left out. */
  readonly startOffset: string;
  /** Names from this on are left out, unless it is empty. */
  readonly endOffset: string;
  /** Whether objects whose names end with the delimiter are listed besides their prefix. */
  readonly includeTrailingDelimiter: boolean;
  /** Most objects and prefixes of a page, 1 to 1000. */
  readonly maxResults: number;
  /** Where the page before ended: the last name or prefix of it. */
  readonly after: string | undefined;
}

/** One page. */
export interface ListPage {
  readonly objects: readonly StoredObject[];
  readonly prefixes: readonly string[];
  readonly nextPageToken: string | undefined;
}

/** @throws GcsError `invalid` for a bad number or token, `notImplemented` for what is not served */
export function readListQuery(query: Query): ListQuery {
  for (const name of NOT_SERVED) {
    if (query.has(name)) throw new GcsError('notImplemented', `${name} is not served here`);
  }
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    startOffset: query.get('startOffset') ?? '',
    endOffset: query.get('endOffset') ?? '',
    includeTrailingDelimiter: query.get('includeTrailingDelimiter') === 'true',
    maxResults: readMaxResults(query.get('maxResults')),
    after: readPageToken(query.get('pageToken')),
  };
}

/** Lists objects in the order of their names' UTF-8 bytes; a prefix counts as one entry of a page. */
export function listObjects(names: SortedKeys<StoredObject>, query: ListQuery): ListPage {
  const page = new PageBuilder(query);
  let index = names.firstIndexFrom(firstName(query));
  for (let name = names.keyAt(index); name !== undefined; name = names.keyAt(index)) {
    if (!name.startsWith(query.prefix) || isBehindEnd(name, query)) break;
    const object = names.get(name);
    if (object !== undefined && !page.add(object)) return page.finish({ more: true });
    index += 1;
  }
  return page.finish({ more: false });
}

class PageBuilder {
  readonly #query: ListQuery;
  readonly #objects: StoredObject[] = [];
  readonly #prefixes: string[] = [];
  #last: string | undefined;

  constructor(query: ListQuery) {
    this.#query = query;
  }

  /** Takes the next object, or returns `false` when the page is full without it. */
  add(object: StoredObject): boolean {
    const { name } = object;
    const { after, includeTrailingDelimiter, maxResults } = this.#query;
    const group = groupOf(name, this.#query);
    const isNewGroup = group !== undefined && group !== this.#prefixes.at(-1) && group !== after;
    const isListed = group === undefined || (includeTrailingDelimiter && group === name);
    const entries = Number(isNewGroup) + Number(isListed);
    if (entries === 0) return true;
    const filled = this.#objects.length + this.#prefixes.length;
    // An object that is listed besides its own prefix makes two entries; they stay together.
    if (filled > 0 && filled + entries > maxResults) return false;
    if (isNewGroup) this.#prefixes.push(group);
    if (isListed) this.#objects.push(object);
    this.#last = group ?? name;
    return true;
  }

  finish({ more }: { readonly more: boolean }): ListPage {
    return {
      objects: this.#objects,
      prefixes: this.#prefixes,
      nextPageToken: more && this.#last !== undefined ? writePageToken(this.#last) : undefined,
    };
  }
}

function firstName(query: ListQuery): string {
  const candidates = [query.prefix, query.startOffset];
  // The least string behind a name is that name with a NUL.
  if (query.after !== undefined) candidates.push(`${query.after}\0`);
  return candidates.reduce((a, b) => (compareUtf8(a, b) < 0 ? b : a));
}

function isBehindEnd(name: string, { endOffset }: ListQuery): boolean {
  return endOffset !== '' && compareUtf8(name, endOffset) >= 0;
}

/** The name up to and with the first delimiter behind the prefix, if there is one. */
function groupOf(name: string, { prefix, delimiter }: ListQuery): string | undefined {
  if (delimiter === '') return undefined;
  const at = name.indexOf(delimiter, prefix.length);
  return at === -1 ? undefined : name.slice(0, at + delimiter.length);
}

function readMaxResults(text: string | undefined): number {
  if (text === undefined || text === '') return MAX_PAGE_ENTRIES;
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) {
    throw new GcsError('invalid', `Invalid value ${JSON.stringify(text)} for maxResults`);
  }
  return Math.min(Number(text), MAX_PAGE_ENTRIES);
}

function writePageToken(last: string): string {
  return Buffer.from(`t${last}`).toString('base64url');
}

function readPageToken(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined;
  const text = Buffer.from(token, 'base64url').toString('utf8');
  if (text.startsWith('t')) return text.slice(1);
  throw new GcsError('invalid', 'Invalid page token');
}
