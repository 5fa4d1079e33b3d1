import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NullObjects } from './null-objects.ts';

/** A protocol that the null store speaks. */
export type Dialect = 's3' | 'gcs' | 'azure';

/** Answers one request. */
export type Route = (
  request: IncomingMessage,
  response: ServerResponse,
  objects: NullObjects,
) => Promise<void>;
