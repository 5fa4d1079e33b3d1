import { describe, expect, it } from 'vitest';
import { optionsFromProperties, REMOTE_LOG_MANAGER_PROPERTIES } from '../src/index.ts';
import { resolveOptions } from '../src/options.ts';

const from = (properties: Record<string, string>) =>
  resolveOptions(optionsFromProperties(new Map(Object.entries(properties))));
const invalid = expect.objectContaining({ code: 'LOGLOFT_RLM_INVALID_OPTION' });
const write = 'remote.log.manager.write.quota';
const copy = 'remote.log.manager.copy';

describe('the options of the remote log manager', () => {
  it('have the defaults of KIP-956 and Kafka', () => {
    const options = from({});
    expect(options).toMatchObject({
      taskIntervalMs: 30_000,
      copierThreads: 10,
      readerThreads: 10,
      readerMaxPendingTasks: 100,
      customMetadataMaxBytes: 128,
      writeWindowNum: 61,
      writeWindowSeconds: 1,
      writeScope: 'broker',
      writeExhausted: 'abort',
      readWindowNum: 11,
      readWindowSeconds: 1,
    });
    expect(options.writeLimit.toString()).toBe('9223372036854775807');
    expect(options.readLimit.isUnlimited).toBe(true);
  });

  it('are read under either name of a property', () => {
    expect(from({ [`${write}.default`]: '1000' }).writeLimit.bytesPerSecond).toBe(1000);
    expect(from({ [`${copy}.max.bytes.per.second`]: '1000' }).writeLimit.bytesPerSecond).toBe(1000);
    expect(from({ [`${copy}.quota.window.num`]: '11' }).writeWindowNum).toBe(11);
    expect(from({ 'remote.log.manager.fetch.quota.window.num': '5' }).readWindowNum).toBe(5);
    const both = { [`${write}.default`]: '1000', [`${copy}.max.bytes.per.second`]: ' 1000 ' };
    expect(from(both).writeLimit.bytesPerSecond).toBe(1000);
  });

  it('stop the start when both names differ, naming both', () => {
    const both = { [`${write}.window.num`]: '61', [`${copy}.quota.window.num`]: '11' };
    expect(() => from(both)).toThrow(invalid);
    expect(() => from(both)).toThrow(/write\.quota\.window\.num.*copy\.quota\.window\.num/);
  });

  it.each([
    [`${write}.default`, '0'],
    [`${write}.default`, '-1'],
    [`${write}.default`, '9223372036854775808'],
    [`${write}.window.num`, '0'],
    [`${write}.window.num`, '2147483648'],
    [`${write}.window.num`, '1.5'],
    [`${write}.window.num`, ''],
    [`${write}.scope`, 'thread'],
    [`${write}.exhausted`, ''],
    ['remote.log.manager.task.interval.ms', '1e3'],
    ['remote.log.manager.task.retry.jitter', '0.51'],
    ['remote.log.metadata.custom.metadata.max.bytes', '-1'],
  ])('refuse %s=%s by name', (name, value) => {
    expect(() => from({ [name]: value })).toThrow(invalid);
    expect(() => from({ [name]: value })).toThrow(name);
  });

  it('refuse numbers out of range that are given directly', () => {
    expect(() => resolveOptions({ copierThreads: 0 })).toThrow(invalid);
    expect(() => resolveOptions({ taskIntervalMs: Number.NaN })).toThrow(invalid);
  });

  it('leave other properties alone, whatever they are called', () => {
    expect(from({ constructor: 'x', __proto__: 'y' })).toEqual(from({}));
  });

  it('have each name once', () => {
    const names = REMOTE_LOG_MANAGER_PROPERTIES.flatMap(({ name, alias }) => [name, alias ?? name]);
    const own = REMOTE_LOG_MANAGER_PROPERTIES.map(({ name }) => name);
    expect(new Set(own).size).toBe(own.length);
    expect(new Set(names).size).toBe(own.length + 6);
  });
});
