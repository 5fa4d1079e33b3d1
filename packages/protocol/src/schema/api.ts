import { type StructFields, struct } from './description.ts';
import { MessageCodec, type VersionRange } from './message-codec.ts';

/** One API of the protocol: a request and the response to it. */
export interface ApiDescription<Request extends object = object, Response extends object = object> {
  /** The number in the request header. */
  readonly key: number;
  /** Kafka's name, such as `Produce`. */
  readonly name: string;
  /** Versions that this package can decode and encode; what to advertise is the broker's choice. */
  readonly versions: VersionRange;
  /** First version with compact lengths and tagged fields; infinite when there is none. */
  readonly flexibleFrom: number;
  readonly request: MessageCodec<Request>;
  readonly response: MessageCodec<Response>;
}

/** What {@link defineApi} makes an API from. */
export interface ApiDefinition<Request extends object, Response extends object> {
  readonly key: number;
  readonly name: string;
  /** First and last version. */
  readonly versions: readonly [min: number, max: number];
  /** Default: never. */
  readonly flexibleFrom?: number | undefined;
  readonly request: StructFields<Request>;
  readonly response: StructFields<Response>;
}

/** Makes the two codecs of an API from the fields of its messages. */
export function defineApi<Request extends object, Response extends object>(
  definition: ApiDefinition<Request, Response>,
): ApiDescription<Request, Response> {
  const { key, name } = definition;
  const versions = { min: definition.versions[0], max: definition.versions[1] };
  const flexibleFrom = definition.flexibleFrom ?? Number.POSITIVE_INFINITY;
  const request = struct(definition.request);
  const response = struct(definition.response);
  return {
    key,
    name,
    versions,
    flexibleFrom,
    request: new MessageCodec({ name: `${name}Request`, versions, flexibleFrom, struct: request }),
    response: new MessageCodec({
      name: `${name}Response`,
      versions,
      flexibleFrom,
      struct: response,
    }),
  };
}
