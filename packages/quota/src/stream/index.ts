export { paced } from './paced.ts';
export type { PacedOptions } from './paced-options.ts';
export { PacedTransform } from './paced-transform.ts';
export type { PacedWebStream } from './paced-web-stream.ts';
export { pacedWebStream } from './paced-web-stream.ts';
