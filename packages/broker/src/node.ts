/** Where clients reach this broker through one listener. */
export interface AdvertisedEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Who this broker is. */
export interface NodeIdentity {
  readonly nodeId: number;
  readonly clusterId: string;
  /** `broker.rack`, or null. */
  readonly rack: string | null;
  /** Where clients of a listener reach this broker. */
  endpointOf(listenerName: string): AdvertisedEndpoint;
}
