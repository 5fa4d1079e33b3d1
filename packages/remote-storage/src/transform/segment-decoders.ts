import type { Clock } from '@logloft/clock';
import type { SegmentManifest } from '../layout/manifest.ts';
import type { KeyRing } from './key-ring.ts';
import { SegmentCipher } from './segment-cipher.ts';
import { SegmentDecoder } from './segment-decoder.ts';

/** A decoder for each manifest, whose data key is unwrapped once: that takes a millisecond and more. */
export class SegmentDecoders {
  readonly #keyRing: KeyRing;
  readonly #clock: Clock;
  readonly #decoders = new WeakMap<SegmentManifest, SegmentDecoder>();

  constructor(keyRing: KeyRing, clock: Clock) {
    this.#keyRing = keyRing;
    this.#clock = clock;
  }

  /**
   * @param manifestKey of the manifest's object, for the message
   * @throws RemoteStorageError `invalid-configuration` when the private key is not on the ring, `denied`
   *   when it does not open the data key
   */
  of(manifest: SegmentManifest, manifestKey: string): SegmentDecoder {
    const known = this.#decoders.get(manifest);
    if (known !== undefined) return known;
    const { isCompressed = false, encryption } = manifest;
    const cipher =
      encryption &&
      new SegmentCipher(this.#keyRing.unwrap(encryption.dataKey, manifestKey), encryption.aad);
    const decoder = new SegmentDecoder({ clock: this.#clock, isCompressed, cipher });
    this.#decoders.set(manifest, decoder);
    return decoder;
  }
}
