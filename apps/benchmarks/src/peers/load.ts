// What the generator is asked for, and what it tells.

/** Where requests go, and how many at a time. */
export interface LoadTarget {
  readonly port: number;
  readonly topic: string;
  readonly connections: number;
  /** Requests of a connection that wait for their answers at a time. */
  readonly inFlight: number;
  /** Requests over all connections. */
  readonly requests: number;
}

/** Produce as fast as the answers allow. */
export interface ProduceLoad extends LoadTarget {
  /** Partitions of the topic; connection `i` writes to partition `i` modulo this, or to all. */
  readonly partitions: number;
  /** Bytes of each batch. */
  readonly batchBytes: number;
  /** Whether each request carries one batch for every partition. Default: for one partition. */
  readonly allPartitions?: boolean | undefined;
}

/** Fetch as fast as the answers allow, from partition 0, again and again over all of it. */
export interface FetchLoad extends LoadTarget {
  /** Bytes of each batch in the log, as they were produced. */
  readonly batchBytes: number;
  /** Batches in the log. */
  readonly batches: number;
  /** Bytes of each answer: a multiple of `batchBytes`. */
  readonly sliceBytes: number;
}

/** Produce at a fixed rate over one connection, and perhaps consume over another. */
export interface PacedLoad {
  readonly port: number;
  readonly topic: string;
  readonly batchBytes: number;
  readonly requestsPerSecond: number;
  readonly requests: number;
  /** Needs a broker that lets a fetch wait for records. */
  readonly consume: boolean;
}

/** Echoes at a fixed rate. */
export interface EchoLoad {
  readonly port: number;
  readonly bytes: number;
  readonly requestsPerSecond: number;
  readonly requests: number;
}

/** Frames without an answer, cut at random, until the sink has had them all. */
export interface StreamLoad {
  readonly port: number;
  readonly frameBytes: number;
  readonly frames: number;
  readonly seed: number;
}

/** Milliseconds from sending to the answer. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** What a load showed. */
export interface LoadResult {
  readonly elapsedMs: number;
  readonly requests: number;
  /** Bytes of batches. */
  readonly bytes: number;
  readonly latency: Latency;
}

/** What a paced load showed. */
export interface PacedResult {
  /** From the time when a request was due. */
  readonly produce: Latency;
  /** From the time when the request was due until its records were consumed; NaN if they were not. */
  readonly endToEnd: Latency;
  /** The rate that was kept, of 1. */
  readonly keptRate: number;
}
