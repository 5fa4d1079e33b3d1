import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  COMPRESSION,
  type CompressionName,
  codecOf,
  compressionName,
  DecompressionLimitError,
  UnsupportedCompressionError,
  writableCompressions,
} from '../../src/index.ts';
import { onlyTypedErrors, readVectors, reasonOf } from '../fixtures.ts';
import { sampleText } from '../sample-text.ts';

const CODECS = ['gzip', 'snappy', 'lz4', 'zstd'] as const;
const SAMPLE = Buffer.from(sampleText(150_000));
const ROOM = 2 ** 20;

interface Compressed {
  readonly codec: (typeof CODECS)[number];
  readonly by: string;
  readonly base64: string;
}

const VECTORS = readVectors<Compressed[]>('compressed').map(({ codec, by, base64 }) => ({
  codec,
  by,
  data: Buffer.from(base64, 'base64'),
}));

function codec(name: CompressionName) {
  return codecOf(COMPRESSION[name]);
}

describe('what others compressed', () => {
  test.each(VECTORS)('$codec by $by is read', ({ codec: name, data }) => {
    expect(codec(name).decompress(data, ROOM).equals(SAMPLE)).toBe(true);
  });

  test.each(VECTORS)('$codec by $by is bound to the byte', ({ codec: name, data }) => {
    expect(codec(name).decompress(data, SAMPLE.length).length).toBe(SAMPLE.length);
    for (const limit of [0, 1, 1000, 65_536, SAMPLE.length - 1]) {
      expect(() => codec(name).decompress(data, limit)).toThrow(DecompressionLimitError);
    }
  });

  test.each(VECTORS)('$codec by $by is corrupt when cut', ({ codec: name, data }) => {
    const cuts = [
      ...Array(40).keys(),
      ...Array.from({ length: 40 }, (_, i) => data.length - 1 - i),
    ];
    for (const end of cuts) {
      const cut = () => codec(name).decompress(data.subarray(0, end), ROOM);
      expect([end, reasonOf(cut)]).toEqual([end, 'compressed-data']);
    }
  });

  test.each(VECTORS)('$codec by $by may begin anywhere in memory', ({ codec: name, data }) => {
    const slab = Buffer.concat([Buffer.alloc(13), data, Buffer.alloc(9)]);
    const part = slab.subarray(13, 13 + data.length);
    expect(codec(name).decompress(part, ROOM).equals(SAMPLE)).toBe(true);
  });
});

describe.each(CODECS)('%s', (name) => {
  test('whatever is compressed comes back', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.integer({ min: 1, max: 600 }),
        (piece, times) => {
          const data = Buffer.concat(Array.from({ length: times }, () => piece));
          const compressed = codec(name).compress(data);
          expect(codec(name).decompress(compressed, data.length).equals(data)).toBe(true);
        },
      ),
    );
  });

  test('arbitrary bytes cause typed errors only', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (data) => {
        onlyTypedErrors(() => codec(name).decompress(data, 4096));
      }),
      { numRuns: 500 },
    );
  });

  test('sound data with bytes changed stays within the bound, or is a typed error', () => {
    const sound = codec(name).compress(SAMPLE.subarray(0, 20_000));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: sound.length - 1 }), fc.nat({ max: 255 })), {
          minLength: 1,
          maxLength: 3,
        }),
        (changes) => {
          const data = Buffer.from(sound);
          for (const [at, value] of changes) data[at] = value;
          onlyTypedErrors(() => {
            expect(codec(name).decompress(data, 30_000).length).toBeLessThanOrEqual(30_000);
          });
        },
      ),
      { numRuns: 500 },
    );
  });

  test('no bytes at all are not data of the codec, and no content is', () => {
    expect(reasonOf(() => codec(name).decompress(Buffer.alloc(0), 10))).toBe('compressed-data');
    const nothing = codec(name).compress(Buffer.alloc(0));
    expect(codec(name).decompress(nothing, 0)).toHaveLength(0);
  });

  test('it is known by its id and by its name', () => {
    expect(codec(name)).toMatchObject({ id: COMPRESSION[name], name });
    expect(compressionName(COMPRESSION[name])).toBe(name);
  });
});

test('ids without a codec are unsupported', () => {
  for (const id of [0, 5, 7, -1, 1.5]) {
    expect(() => codecOf(id)).toThrow(UnsupportedCompressionError);
  }
  expect(compressionName(0)).toBe('none');
  expect(compressionName(5)).toBeUndefined();
});

test('with the optional packages installed, every codec can be written', () => {
  expect(writableCompressions()).toEqual(CODECS);
});

describe('levels', () => {
  test.each(['gzip', 'zstd'] as const)('%s gets smaller with a higher one', (name) => {
    const sizes = [1, 9].map((level) => codec(name).compress(SAMPLE, { level }).length);
    expect(sizes[0]).toBeGreaterThan(sizes[1] ?? 0);
  });
});

describe('zstd', () => {
  const zstd = codec('zstd');

  test('frames that follow one another are all read, and bound together', () => {
    const frames = ['one ', 'two ', 'three'].map((text) => zstdCompressSync(Buffer.from(text)));
    // A skippable frame in between, as some tools write it.
    frames.splice(1, 0, Buffer.from('502a4d1803000000ffffff', 'hex'));
    const data = Buffer.concat(frames);
    expect(zstd.decompress(data, 13).toString()).toBe('one two three');
    expect(() => zstd.decompress(data, 12)).toThrow(DecompressionLimitError);
    expect(reasonOf(() => zstd.decompress(Buffer.concat([data, Buffer.from('junk')]), 99))).toBe(
      'compressed-data',
    );
  });

  test('a frame that asks for a window beyond the bound is refused before it gets the memory', () => {
    // Magic, no content size, a window of 2^31 + …, and an empty last block.
    const greedy = Buffer.from('28b52ffd00a8010000', 'hex');
    expect(() => zstd.decompress(greedy, 1000)).toThrow(DecompressionLimitError);
  });

  test('a declared content beyond the bound is refused at once', () => {
    // Single segment, content size in eight bytes: 2^40.
    const liar = Buffer.from('28b52ffde00000000000010000010000', 'hex');
    expect(() => zstd.decompress(liar, 2 ** 30)).toThrow(DecompressionLimitError);
  });
});
