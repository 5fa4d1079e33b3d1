import { type Clock, systemClock } from '@logloft/clock';
import { startGcsStub } from '@logloft/stub-servers/gcs';
import { type S3StubOptions, startS3Stub } from '@logloft/stub-servers/s3';
import { describe, expect, it } from 'vitest';
import { type Ended, LogloftProcess } from './logloft-process.ts';

const KEY = { accessKeyId: 'the-key', secretAccessKey: 'the-secret' };

type Properties = Readonly<Record<string, string>>;

async function doctor(store: string, properties: Properties, ...flags: string[]): Promise<Ended> {
  const set = Object.entries(properties).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  await using logloft = new LogloftProcess(['doctor', '--remote-storage', store, ...set, ...flags]);
  return await logloft.ended();
}

function s3Properties(url: string, changes: Properties = {}): Properties {
  return {
    'rsm.config.storage.s3.bucket.name': 'loft',
    'rsm.config.storage.s3.region': 'us-east-1',
    'rsm.config.storage.s3.endpoint.url': url,
    'rsm.config.storage.s3.path.style.access.enabled': 'true',
    'rsm.config.storage.aws.access.key.id': KEY.accessKeyId,
    'rsm.config.storage.aws.secret.access.key': KEY.secretAccessKey,
    ...changes,
  };
}

async function doctorOfS3(options: S3StubOptions, changes: Properties = {}): Promise<Ended> {
  await using stub = await startS3Stub({ buckets: ['loft'], credentials: [KEY], ...options });
  return await doctor('s3', s3Properties(stub.url, changes));
}

const LATE: Clock = {
  now: () => systemClock.now() + 20 * 60_000,
  monotonic: () => systemClock.monotonic(),
  setTimer: (ms, fire) => systemClock.setTimer(ms, fire),
};

interface WrongSetUp {
  readonly what: string;
  readonly options?: S3StubOptions;
  readonly changes?: Properties;
  /** The check that finds it. */
  readonly found: string;
  /** What it says is to be changed. */
  readonly remedy: RegExp;
}

const WRONG: readonly WrongSetUp[] = [
  {
    what: 'a wrong secret',
    changes: { 'rsm.config.storage.aws.secret.access.key': 'another' },
    found: 'bucket',
    remedy: /secret does not belong to the key id.*storage\.aws\.secret\.access\.key/,
  },
  {
    what: 'an unknown key id',
    changes: { 'rsm.config.storage.aws.access.key.id': 'nobody' },
    found: 'bucket',
    remedy: /does not know the key id.*storage\.aws\.access\.key\.id/,
  },
  {
    what: 'expired credentials',
    options: { credentials: [{ ...KEY, expired: true }] },
    found: 'bucket',
    remedy: /credentials have expired/,
  },
  {
    what: 'a bucket that is not there',
    changes: { 'rsm.config.storage.s3.bucket.name': 'elsewhere' },
    found: 'bucket',
    remedy: /Create the bucket, or correct storage\.s3\.bucket\.name/,
  },
  {
    what: 'no permission to write',
    options: { credentials: [{ ...KEY, deniedOperations: ['PutObject'] }] },
    found: 'write',
    remedy: /Grant s3:PutObject/,
  },
  {
    what: 'no permission to read',
    options: { credentials: [{ ...KEY, deniedOperations: ['GetObject'] }] },
    found: 'ranged read',
    remedy: /Grant s3:GetObject/,
  },
  {
    what: 'no permission to delete',
    options: { credentials: [{ ...KEY, deniedOperations: ['DeleteObject', 'DeleteObjects'] }] },
    found: 'delete',
    remedy: /Grant s3:DeleteObject/,
  },
  {
    what: 'a clock that is off',
    options: { clock: LATE },
    found: 'clock',
    remedy: /clock is wrong.*NTP/,
  },
  {
    what: 'a store that refuses checksums',
    options: { checksums: 'refuse' },
    found: 'write',
    remedy: /storage\.s3\.checksums=none/,
  },
  {
    what: 'a store without conditional writes',
    options: { conditionalWrites: 'none' },
    found: 'conditional write',
    remedy: /storage\.s3\.conditional\.writes=false/,
  },
  {
    what: 'an endpoint where nothing listens',
    changes: { 'rsm.config.storage.s3.endpoint.url': 'http://127.0.0.1:1' },
    found: 'bucket',
    remedy: /Nothing answers at the endpoint/,
  },
  {
    what: 'an option that is mistyped',
    changes: { 'rsm.config.storage.s3.bukket.name': 'loft' },
    found: 'settings',
    remedy: /Correct the option/,
  },
];

describe('logloft doctor', () => {
  it('finds nothing wrong with a right set-up of S3', async () => {
    const { code, stdout, stderr } = await doctorOfS3({});
    expect(stdout, stderr).not.toMatch(/FAIL|warn/);
    expect(stdout).toMatch(/ok {4}conditional write/);
    expect(stdout).toMatch(/ok {4}segment/);
    expect(stdout).toContain('The store is fit for tiering');
    expect(code).toBe(0);
  });

  it('leaves nothing behind', async () => {
    await using stub = await startS3Stub({ buckets: ['loft'], credentials: [KEY] });
    await doctor('s3', s3Properties(stub.url));
    expect(stub.objects('loft')).toEqual([]);
    expect(stub.pendingUploads('loft')).toEqual([]);
  });

  it.each(WRONG)('S3, $what: says what to change', async (wrong) => {
    const { options = {}, changes, found, remedy } = wrong;
    const { code, stdout, stderr } = await doctorOfS3(options, changes);
    const lines = stdout.split('\n');
    const at = lines.findIndex((line) => line.startsWith(`  FAIL  ${found.padEnd(18)}`));
    expect(at, `${stdout}\n${stderr}`).toBeGreaterThanOrEqual(0);
    expect(lines[at + 1]).toMatch(remedy);
    expect(stdout).toContain('Not fit yet');
    expect(code).toBe(1);
  });

  it('names the option that was probably meant', async () => {
    const changes = { 'rsm.config.storage.s3.bukket.name': 'loft' };
    const { stdout } = await doctorOfS3({}, changes);
    expect(stdout).toContain('Did you mean "s3.bucket.name"?');
  });

  it('Google Cloud Storage: right, and without its bucket', async () => {
    await using stub = await startGcsStub({ buckets: ['loft'] });
    const properties = {
      'rsm.config.storage.gcs.bucket.name': 'loft',
      'rsm.config.storage.gcs.endpoint.url': stub.url,
    };
    const right = await doctor('gcs', properties);
    expect(right.stdout, right.stderr).toContain('The store is fit for tiering');
    expect(right.code).toBe(0);
    const wrong = await doctor('gcs', {
      ...properties,
      'rsm.config.storage.gcs.bucket.name': 'elsewhere',
    });
    expect(wrong.stdout).toMatch(/Create the bucket, or correct storage\.gcs\.bucket\.name/);
    expect(wrong.code).toBe(1);
  });

  it('ends on Ctrl-C, and leaves nothing behind then either', async () => {
    await using stub = await startS3Stub({ buckets: ['loft'], credentials: [KEY] });
    const hanging = stub.failures.add({ operation: 'GetObject', action: { kind: 'hang' } });
    const properties = Object.entries(s3Properties(stub.url));
    const set = properties.flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    await using logloft = new LogloftProcess(['doctor', '--remote-storage', 's3', ...set]);
    await hanging.whenFired();
    logloft.child.kill('SIGINT');
    const { code, stderr } = await logloft.ended();
    expect(code, stderr).toBe(130);
    expect(stderr).toContain('interrupted');
    expect(stub.objects('loft')).toEqual([]);
  });

  it('prints one JSON object with --json', async () => {
    await using stub = await startS3Stub({ buckets: ['loft'], credentials: [KEY] });
    const { stdout, code } = await doctor('s3', s3Properties(stub.url), '--json');
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({ event: 'doctor', store: 's3', isSound: true });
    expect(code).toBe(0);
  });

  it('wants to know which store', async () => {
    await using logloft = new LogloftProcess(['doctor']);
    const { code, stderr } = await logloft.ended();
    expect(code).toBe(2);
    expect(stderr).toContain('--remote-storage s3, gcs, azure');
  });
});
