import { type RandomSource, randomBelow } from '@logloft/clock';
import {
  type ApiDescription,
  encodeRequest,
  type Field,
  type StructDescription,
  type TypeDescription,
  ZERO_UUID,
} from '@logloft/protocol';
import { BatchBuilder } from '@logloft/records';

/** Topics, groups and settings that the requests are about; none is one of the healthy client. */
const NAMES = ['mutant-a', 'mutant-b', 'constructor', '__proto__', 'retention.ms', '60000', ''];
const MAX_ELEMENTS = 3;
const MAX_WAIT_MS = 5;

/** An API in a version. */
export interface ApiVersion {
  readonly api: ApiDescription;
  readonly version: number;
}

/**
 * A request that is valid by its schema, with values that a client could send.
 *
 * @returns the frame with its length
 */
export function randomRequest(
  { api, version }: ApiVersion,
  correlationId: number,
  random: RandomSource,
): Buffer {
  const body = structOf(api.request.struct, version, random);
  const envelope = { version, correlationId, clientId: 'mutant' };
  return Buffer.concat(encodeRequest(api, envelope, body).chunks);
}

function structOf(
  { fields }: StructDescription<object>,
  version: number,
  random: RandomSource,
): object {
  // The boundary to the schema: its fields are named as those of the message.
  const named = Object.entries(fields) as [string, Field<unknown>][];
  return Object.fromEntries(
    named.map(([name, field]) => {
      const isThere = version >= field.from && version <= field.to;
      const mayBeNull = version >= field.nullableFrom;
      if (!isThere) return [name, field.default];
      if (mayBeNull && randomBelow(random, 4) === 0) return [name, null];
      return [name, randomValue(field.type, { name, version, random })];
    }),
  );
}

interface Place {
  readonly name: string;
  readonly version: number;
  readonly random: RandomSource;
}

function randomValue(type: TypeDescription, place: Place): unknown {
  const { name, version, random } = place;
  switch (type.kind) {
    case 'array': {
      const length = randomBelow(random, MAX_ELEMENTS);
      return Array.from({ length }, () => randomValue(type.element, place));
    }
    case 'struct':
      return structOf(type.struct, version, random);
    case 'bool':
      // No topics out of nothing: those are made on purpose.
      return name !== 'allowAutoTopicCreation' && randomBelow(random, 2) === 0;
    case 'string':
      return NAMES[randomBelow(random, NAMES.length)] ?? '';
    case 'uuid':
      return ZERO_UUID;
    case 'bytes':
      return random.fill(Buffer.alloc(randomBelow(random, 32)));
    case 'records':
      return smallBatch();
    case 'float64':
      return randomBelow(random, 100);
    default:
      return numberFor(name, random);
  }
}

function numberFor(name: string, random: RandomSource): number {
  // Requests that wait would only make the run longer.
  if (/wait|timeoutMs$/i.test(name)) return randomBelow(random, MAX_WAIT_MS);
  if (name === 'acks' || name === 'replicaId') return -1;
  return randomBelow(random, 4) - 1;
}

function smallBatch(): Buffer {
  const builder = new BatchBuilder();
  builder.append({ timestamp: Date.now(), key: 'mutant', value: 'of a batch' });
  return builder.build();
}
