import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';
import snappyCodec from 'kafkajs-snappy';
import { compressFrame, decompressFrame } from 'lz4-napi';

const { CompressionCodecs, CompressionTypes } = kafkajs;

/** The codecs of kafkajs by their names in Kafka; all but gzip are plugged in by its users. */
export const KAFKAJS_CODECS: Readonly<Record<string, kafkajs.CompressionTypes>> = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
};

/** Throws for a name that is none of {@link KAFKAJS_CODECS}. */
export function kafkajsCodec(name: string): kafkajs.CompressionTypes {
  const type = KAFKAJS_CODECS[name];
  if (type !== undefined) return type;
  throw new Error(`kafkajs has no codec ${name}`);
}

/** What kafkajs hands to a codec. */
interface Encoder {
  readonly buffer: Buffer;
}

const toZstd = promisify(zstdCompress);
const fromZstd = promisify(zstdDecompress);

/** Plugs codecs that are not the broker's own into kafkajs, for the whole process. */
export function plugKafkajsCodecs(): void {
  Object.assign(CompressionCodecs, {
    [CompressionTypes.Snappy]: snappyCodec,
    [CompressionTypes.LZ4]: () => ({
      compress: async ({ buffer }: Encoder) => await compressFrame(buffer),
      decompress: async (bytes: Buffer) => await decompressFrame(bytes),
    }),
    [CompressionTypes.ZSTD]: () => ({
      compress: async ({ buffer }: Encoder) => await toZstd(buffer),
      decompress: async (bytes: Buffer) => await fromZstd(bytes),
    }),
  });
}
