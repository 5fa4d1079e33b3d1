import { describe, expect, it } from 'vitest';
import type { DemoCommand, StartCommand } from '../../src/command-line/command.ts';
import { FLAGS } from '../../src/command-line/flags.ts';
import { helpText } from '../../src/command-line/help.ts';
import { parseCommandLine } from '../../src/command-line/parse-command-line.ts';
import { UsageError } from '../../src/command-line/usage-error.ts';

function start(...args: string[]): StartCommand {
  const command = parseCommandLine(args);
  if (command.kind !== 'start') throw new TypeError(`parsed as ${command.kind}`);
  return command;
}

function demo(...args: string[]): DemoCommand {
  const command = parseCommandLine(['demo', ...args]);
  if (command.kind !== 'demo') throw new TypeError(`parsed as ${command.kind}`);
  return command;
}

describe('the command line', () => {
  it('starts a broker with the defaults when it is empty', () => {
    expect(start()).toEqual({
      kind: 'start',
      host: undefined,
      port: undefined,
      advertised: undefined,
      dataDirectory: undefined,
      memoryBytes: undefined,
      remoteStorage: undefined,
      configFile: undefined,
      properties: new Map(),
      http: { host: '127.0.0.1', port: 9464 },
      json: false,
      quiet: false,
      logLevel: 'warn',
    });
    expect(parseCommandLine(['start'])).toEqual(start());
  });

  it('takes all flags of start', () => {
    const command = start(
      ...['-p', '0', '--host', '::1', '--advertised', '[::1]:19092', '--data', 'd'],
      ...['--remote-storage', './mine.js', '--config', 'server.properties', '--http', 'off'],
      ...['--set', 'a.b=c=d', '-s', 'e=', '--json', '--log-level', 'debug'],
    );
    expect(command).toMatchObject({
      host: '::1',
      port: 0,
      advertised: { host: '::1', port: 19_092 },
      dataDirectory: 'd',
      remoteStorage: './mine.js',
      configFile: 'server.properties',
      http: undefined,
      json: true,
      logLevel: 'debug',
    });
    expect([...command.properties]).toEqual([
      ['a.b', 'c=d'],
      ['e', ''],
    ]);
  });

  it('takes memory with and without a size', () => {
    expect(start('--memory').memoryBytes).toBe(512 * 1024 * 1024);
    expect(start('--memory=64k').memoryBytes).toBe(65_536);
    expect(start('--memory=1.5MiB').memoryBytes).toBe(1_572_864);
  });

  it('takes the address of HTTP in part or whole', () => {
    expect(start('--http', '9999').http).toEqual({ host: '127.0.0.1', port: 9999 });
    expect(start('--http', 'localhost').http).toEqual({ host: 'localhost', port: 9464 });
    expect(start('--http', '0.0.0.0:0').http).toEqual({ host: '0.0.0.0', port: 0 });
  });

  it('lets log lines follow the mode unless they are chosen', () => {
    expect(start('--json').logLevel).toBe('info');
    expect(start('--quiet').logLevel).toBe('error');
    expect(start('--quiet', '--log-level', 'info').logLevel).toBe('info');
  });

  it('takes the flags of demo', () => {
    expect(demo()).toEqual({
      kind: 'demo',
      input: undefined,
      sizeBytes: 16 * 1024 * 1024,
      remoteStorage: undefined,
      configFile: undefined,
      properties: new Map(),
      logLevel: 'warn',
    });
    const flags = ['-i', 'docs', '--size', '2MiB', '--remote-storage', 's3', '--set', 'a=b'];
    expect(demo(...flags)).toMatchObject({
      input: 'docs',
      sizeBytes: 2097152,
      remoteStorage: 's3',
      properties: new Map([['a', 'b']]),
    });
  });

  it('takes the flags of doctor', () => {
    expect(parseCommandLine(['doctor'])).toEqual({
      kind: 'doctor',
      remoteStorage: undefined,
      dataDirectory: undefined,
      configFile: undefined,
      properties: new Map(),
      sizeBytes: 20 * 1024 * 1024,
      json: false,
      logLevel: 'error',
    });
    const flags = ['--remote-storage', 'gcs', '-c', 'f', '-s', 'a=b', '--size', '1MiB', '--json'];
    expect(parseCommandLine(['doctor', ...flags])).toMatchObject({
      remoteStorage: 'gcs',
      configFile: 'f',
      properties: new Map([['a', 'b']]),
      sizeBytes: 1024 * 1024,
      json: true,
    });
    expect(() => parseCommandLine(['doctor', '--size', '2GiB'])).toThrow('at most 1GiB');
  });

  it('shows help and version by command or flag', () => {
    expect(parseCommandLine(['help']).kind).toBe('help');
    expect(parseCommandLine(['demo', '--help']).kind).toBe('help');
    expect(parseCommandLine(['version']).kind).toBe('version');
    expect(parseCommandLine(['-v']).kind).toBe('version');
  });

  it.each([
    [['--prot', '1'], 'There is no flag --prot. Did you mean --port?'],
    [['--remote', 'x'], 'Did you mean --remote-storage?'],
    [['-x'], 'There is no flag -x.'],
    [['strat'], 'Did you mean start?'],
    [['produce-something'], 'There are start, demo, doctor, quota-lab, help, version.'],
    [['start', 'demo'], 'Nothing can follow start but flags, got "demo".'],
    [['--port'], '--port needs a value'],
    [['--port', '--json'], '--port needs a value'],
    [['--port='], '--port needs a value'],
    [['--port', '65536'], 'got "65536"'],
    [['--port', 'http'], '--port needs a port from 0'],
    [['--port', '1', '-p', '2'], '--port is given twice'],
    [['--json=yes'], '--json takes no value, got "yes"'],
    [['--memory=much'], '--memory needs a size such as 512MiB, got "much"'],
    [['--memory=0'], '--memory needs a size'],
    [['--memory', '--data', 'd'], '--data and --memory exclude each other'],
    [['--memory', '--remote-storage', 'local'], '--memory asks for the opposite'],
    [['--set', 'log.segment.bytes'], '--set needs KEY=VALUE, got "log.segment.bytes"'],
    [['--set', '=1'], '--set needs KEY=VALUE'],
    [['--log-level', 'loud'], '--log-level is debug, info, warn, error, got "loud"'],
    [['--http', ':80'], '--http needs HOST or HOST:PORT'],
    [['--advertised', 'a:b:c'], '--advertised needs HOST or HOST:PORT'],
    [['--input', 'x'], '--input is a flag of logloft demo, not of start'],
    [['demo', '--port', '1'], '--port is a flag of logloft start, not of demo'],
  ])('refuses %j', (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(UsageError);
    expect(() => parseCommandLine(args)).toThrow(message);
  });

  it('treats names of object properties as unknown flags', () => {
    expect(() => parseCommandLine(['--constructor'])).toThrow('There is no flag --constructor');
    expect(() => parseCommandLine(['--__proto__=1'])).toThrow('There is no flag --__proto__');
    expect([...start('--set', '__proto__=1').properties]).toEqual([['__proto__', '1']]);
  });

  it('shows every flag in the help, no line wider than a terminal', () => {
    const help = helpText();
    for (const { name } of FLAGS) expect(help).toContain(`--${name}`);
    for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });
});
