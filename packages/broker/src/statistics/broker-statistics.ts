/** API keys are below this; a request for a higher one is counted in the last place. */
const API_KEYS = 128;

/**
 * What a broker has done since it started: plain counters, raised once a request, read by whoever
 * looks. All are totals.
 */
export class BrokerStatistics {
  /** Requests by API key. */
  readonly requests: Float64Array = new Float64Array(API_KEYS);
  /** Connections that were accepted. */
  connectionsOpened = 0;
  connectionsClosed = 0;
  /** Connections that were closed because of what their client sent. */
  connectionFaults = 0;
  /** Bytes of requests, without their length prefix. */
  bytesIn = 0;
  /** Bytes of responses. */
  bytesOut = 0;
  /** Record batches appended for clients, and their bytes. */
  batchesAppended = 0;
  batchBytesAppended = 0;
  /** Batches that were refused. */
  batchesRefused = 0;
  /** Bytes of batches given to clients from local segments. */
  localFetchBytes = 0;
  /** Bytes of batches given to clients from the remote tier. */
  remoteFetchBytes = 0;
  /** Partitions of fetches that were answered empty because the read quota was exhausted. */
  remoteFetchesThrottled = 0;

  /** Counts a request. */
  countRequest(apiKey: number, bytes: number): void {
    const place = apiKey >= 0 && apiKey < API_KEYS ? apiKey : API_KEYS - 1;
    this.requests[place] = (this.requests[place] ?? 0) + 1;
    this.bytesIn += bytes;
  }
}
