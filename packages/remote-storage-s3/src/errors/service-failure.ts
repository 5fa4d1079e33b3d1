/** What a failure of the SDK tells, whatever its class. */
export interface ServiceFailure {
  /** The code of the store, or of the operating system, or the name of the error. */
  readonly code: string;
  readonly message: string;
  /** Status of the answer; `undefined` when there was none. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** Header of the answer, by its name in lower case. */
  header(name: string): string | undefined;
}

/** Reads the facts off whatever was thrown. */
export function serviceFailure(thrown: unknown): ServiceFailure {
  const metadata = recordOf(property(thrown, '$metadata'));
  const response = recordOf(property(thrown, '$response'));
  const headers = new Map(Object.entries(recordOf(response['headers'])));
  const status = response['statusCode'] ?? metadata['httpStatusCode'];
  const header = (name: string): string | undefined => text(headers.get(name));
  return {
    code: codeOf(thrown),
    message: thrown instanceof Error ? thrown.message : String(thrown),
    status: typeof status === 'number' ? status : undefined,
    requestId: text(metadata['requestId'])?.split(',', 1)[0] ?? header('x-amz-request-id'),
    header,
  };
}

function codeOf(thrown: unknown): string {
  const found = [property(thrown, 'Code'), property(thrown, 'code'), property(thrown, 'name')];
  return found.map(text).find((code) => code !== undefined) ?? 'Unknown';
}

function property(value: unknown, name: string): unknown {
  return recordOf(value)[name];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  // Only looked at, never called: any object can be read as a record of unknown things.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
