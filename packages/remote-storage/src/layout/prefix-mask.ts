import type { PluginLogger } from '../plugin.ts';

// Anything shorter would be found in words that have nothing to do with it.
const LEAST_BARE_LENGTH = 3;
const MAX_PREFIXES = 100;

// What programs go by; no key is in them.
const FIXED_PROPERTIES: ReadonlySet<string> = new Set(['name', 'code', 'kind']);

/**
 * Keeps the key prefix out of whatever is printed: keys show as `<prefix>/` and the rest, in messages,
 * stacks, properties and causes of errors and in log lines. What is stored does not change.
 *
 * A prefix of one or two characters is masked only where the path of a segment follows it.
 */
export class PrefixMask {
  readonly #isOn: boolean;
  readonly #prefixes = new Set<string>();
  readonly #masked = new WeakSet<Error>();
  #rules: readonly { readonly pattern: RegExp; readonly shown: string }[] = [];

  constructor(options: { readonly isOn: boolean; readonly prefix: string }) {
    this.#isOn = options.isOn;
    this.add(options.prefix);
  }

  /** Masks another prefix as well, one under which segments were copied earlier. */
  add(prefix: string): void {
    if (!this.#isOn || prefix === '' || this.#prefixes.has(prefix)) return;
    if (this.#prefixes.size >= MAX_PREFIXES) return;
    this.#prefixes.add(prefix);
    // Longer ones first: one may begin with another.
    const longestFirst = [...this.#prefixes].sort((a, b) => b.length - a.length);
    this.#rules = longestFirst.flatMap(rulesFor);
  }

  /** The text without the prefix. */
  text(text: string): string {
    let shown = text;
    for (const rule of this.#rules) shown = shown.replace(rule.pattern, rule.shown);
    return shown;
  }

  /** The same error, changed in place, so that whoever waits for this very one still gets it. */
  error<T>(thrown: T): T {
    if (this.#isOn && thrown instanceof Error) this.#maskError(thrown);
    return thrown;
  }

  /** Runs something whose errors are masked. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.error(error);
    }
  }

  /** A stream whose errors are masked. */
  stream<T>(source: AsyncIterable<T>): AsyncIterable<T> {
    if (!this.#isOn) return source;
    const inner = source[Symbol.asyncIterator]();
    const iterator: AsyncIterableIterator<T> = {
      next: () => this.run(() => inner.next()),
      return: async () => {
        await this.run(async () => await inner.return?.());
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  /** A logger whose lines are masked. */
  logger(logger: PluginLogger): PluginLogger {
    if (!this.#isOn) return logger;
    const masked =
      (level: keyof PluginLogger) =>
      (message: string, fields?: Readonly<Record<string, unknown>>): void =>
        logger[level](this.text(message), fields && this.#maskFields(fields));
    return {
      debug: masked('debug'),
      info: masked('info'),
      warn: masked('warn'),
      error: masked('error'),
    };
  }

  #maskFields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const entries = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? this.text(value) : this.error(value),
    ]);
    return Object.fromEntries(entries);
  }

  #maskError(error: Error): void {
    if (this.#masked.has(error)) return;
    this.#masked.add(error);
    for (const name of Object.getOwnPropertyNames(error)) {
      if (FIXED_PROPERTIES.has(name)) continue;
      const value: unknown = Reflect.get(error, name);
      if (typeof value === 'string') this.#maskProperty(error, name, value);
      for (const inner of Array.isArray(value) ? value : [value]) this.error(inner);
    }
  }

  #maskProperty(error: Error, name: string, value: string): void {
    const shown = this.text(value);
    if (shown === value) return;
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, name);
    Reflect.defineProperty(error, name, {
      value: shown,
      enumerable,
      writable: true,
      configurable: true,
    });
  }
}

function rulesFor(prefix: string): { readonly pattern: RegExp; readonly shown: string }[] {
  // As the store, its address, and a text in quotes show it.
  const forms = [prefix, encodeURI(prefix), encodeURIComponent(prefix), quoted(prefix)];
  const whole = [...new Set(forms)].map(escaped).join('|');
  if (prefix.length < LEAST_BARE_LENGTH) {
    const path = '(?=[a-zA-Z0-9._-]+-[a-zA-Z0-9_-]{22}(?:/|%2F))';
    return [{ pattern: new RegExp(`(?:${whole})${path}`, 'g'), shown: '<prefix>/' }];
  }
  const rules = [{ pattern: new RegExp(whole, 'g'), shown: '<prefix>/' }];
  const bare = [...new Set(forms)]
    .map((form) => form.replace(/(?:\/|%2F)+$/, ''))
    .filter((form) => form.length >= LEAST_BARE_LENGTH)
    .map(escaped);
  if (bare.length > 0) {
    const name = `(?<![a-zA-Z0-9_-])(?:${bare.join('|')})(?![a-zA-Z0-9_-])`;
    rules.push({ pattern: new RegExp(name, 'g'), shown: '<prefix>' });
  }
  return rules;
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
