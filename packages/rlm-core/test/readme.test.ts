import { readFileSync } from 'node:fs';
import { systemClock } from '@logloft/clock';
import { describe, expect, it } from 'vitest';
import { REMOTE_LOG_MANAGER_PROPERTIES } from '../src/index.ts';
import { tier } from './readme-example.ts';
import { ModelLog } from './support/model-log.ts';
import { ModelStore } from './support/model-store.ts';
import { RecordingLogger } from './support/recording-logger.ts';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const readme = read('../README.md');

describe('the README', () => {
  it('has an example that runs', async () => {
    const [, example] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(example).toBe(read('./readme-example.ts'));
    const log = new ModelLog();
    log.append();
    expect(await tier(log, new ModelStore(systemClock), new RecordingLogger())).toBeUndefined();
  });

  it('has every error code, and no other', () => {
    const codes = (text: string): Set<string> =>
      new Set([...text.matchAll(/LOGLOFT_RLM_[A-Z_]+/g)].map(([code]) => code));
    expect(codes(readme)).toEqual(codes(read('../src/errors.ts')));
  });

  it('has every option with its property and default', () => {
    const rows = [...readme.matchAll(/^\| `(\w+)` \| `([\w.]+)`(?: \(ours\))? \| `?([\w.]+)/gm)];
    const documented = rows.map(([, option, name, fallback]) => `${option} ${name} ${fallback}`);
    const actual = REMOTE_LOG_MANAGER_PROPERTIES.map((property) => {
      const { option, name, type } = property;
      if (type === 'limit') return `${option} ${name} unlimited`;
      if (type === 'choice') return `${option} ${name} ${property.choices[0]}`;
      return `${option} ${name} ${property.default}`;
    });
    expect(documented).toEqual(actual);
  });
});
