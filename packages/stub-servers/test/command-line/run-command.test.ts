import { expect, test } from 'vitest';
import { runCommand } from '../../src/command-line/run-command.ts';
import { HELP, parseCommandLine } from '../../src/command-line/stub-options.ts';

async function run(...args: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(args, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    stopped: Promise.resolve(),
  });
  return { code, out, err };
}

test.each([
  [['azure'], "there is no stub 'azure'"],
  [['s3', '--prot', '1'], "Unknown option '--prot'"],
  [['s3', '--port', 'one'], "--port takes a number, got 'one'"],
  [['s3', '--access-key', 'a'], '--access-key and --secret-key go together'],
  [['s3', '--checksums', 'maybe'], '--checksums takes one of verify, ignore, refuse'],
  [['gcs', '--checksums', 'verify'], "Unknown option '--checksums'"],
  [['gcs', 'bucket'], "Unexpected argument 'bucket'"],
])('%j is wrong, and said to be', async (args, message) => {
  const { code, out, err } = await run(...args);
  expect([code, out]).toEqual([2, []]);
  expect(err[0]).toContain(message);
});

test.each([[[]], [['--help']], [['s3', '-h']], [['gcs', '--help']]])('%j helps', async (args) => {
  expect(await run(...args)).toEqual({ code: 0, out: [HELP], err: [] });
});

test('what cannot be started is exit code 1', async () => {
  expect((await run('s3', '--port', '70000')).code).toBe(1);
  expect((await run('s3', '--bucket', 'No')).err[0]).toContain('not valid');
});

test('all options reach the stub', () => {
  const text =
    's3 --port 1 --bucket a --bucket b --max-bytes 2 --region r --access-key i --secret-key s --no-auth --conditional-writes none --checksums ignore --json';
  expect(parseCommandLine(text.split(' '))).toEqual({
    kind: 's3',
    json: true,
    options: {
      port: 1,
      buckets: ['a', 'b'],
      maxBytes: 2,
      region: 'r',
      credentials: [{ accessKeyId: 'i', secretAccessKey: 's' }],
      authentication: 'ignore',
      conditionalWrites: 'none',
      checksums: 'ignore',
    },
  });
  expect(parseCommandLine('gcs --port 1 --bucket a --max-bytes 2 --token t'.split(' '))).toEqual({
    kind: 'gcs',
    json: false,
    options: { port: 1, buckets: ['a'], maxBytes: 2, token: 't' },
  });
});
