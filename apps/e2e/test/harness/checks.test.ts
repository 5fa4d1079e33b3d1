import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Checks } from '../../src/harness/checks.ts';

describe('checks', () => {
  const printed: string[] = [];

  beforeEach(() => {
    printed.length = 0;
    vi.spyOn(console, 'log').mockImplementation((line: string) => {
      printed.push(line);
    });
  });

  test('are counted, and those that failed do not keep others from being run', async () => {
    const checks = new Checks();
    expect(await checks.check('good', () => '3 things')).toBe(true);
    expect(await checks.check('bad', () => Promise.reject(new Error('no such thing')))).toBe(false);
    expect(await checks.check('good again', () => undefined)).toBe(true);
    expect(checks.summary).toBe('2 passed, 1 failed');
    expect(checks.failed).toBe(1);
    const text = printed.join('\n');
    expect(text).toContain('1 ok    good (3 things)');
    expect(text).toContain('2 FAIL  bad');
    expect(text).toContain('no such thing');
  });

  test('print what an error was caused by', async () => {
    const checks = new Checks();
    const cause = new AggregateError([new Error('the innermost')], 'several');
    await checks.check('bad', () => {
      throw new Error('outer', { cause });
    });
    expect(printed.join('\n')).toContain('the innermost');
  });

  test('that are skipped count neither way', () => {
    const checks = new Checks();
    checks.skip('something', 'it is not installed');
    expect(checks.summary).toBe('0 passed, 0 failed');
    expect(printed).toEqual(['    skip  something: it is not installed']);
  });
});
