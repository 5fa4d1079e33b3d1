import { pipeline, type Readable, Transform } from 'node:stream';
import { RemoteStorageError } from '@logloft/remote-storage';

/** A body that ends with an error when there is more of it than there may be. */
export function limitedBody(body: Readable, maxBytes: number): Readable {
  let bytes = 0;
  const limited = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.byteLength;
      if (bytes <= maxBytes) done(null, piece);
      else done(tooLong(maxBytes));
    },
  });
  // Whoever reads gets the error; it needs no second listener.
  pipeline(body, limited, () => undefined);
  return limited;
}

function tooLong(maxBytes: number): RemoteStorageError {
  return new RemoteStorageError('corrupt', `The store's answer has more than ${maxBytes} bytes`);
}
