import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';

/**
 * How a segment is in flight: `working` on it, or `abandoned`: its plugin call was given up without
 * having ended, or it is not known whether its last event was stored.
 */
export type FlightState = 'working' | 'abandoned';

/** A segment's mark. */
export interface FlightMark {
  /** Keeps the mark, but says that nobody waits for it any more. */
  abandon(): void;
  /** Takes the mark away. Further calls have no effect. */
  end(): void;
}

/**
 * The segments that this process works on. Expiration leaves them alone, the abandoned ones, too:
 * objects, or a FINISHED event, may still appear under their ids. What stays abandoned is found as an
 * unfinished copy after the next start.
 */
export class SegmentsInFlight {
  readonly #states = new Map<string, FlightState>();

  /** How many are worked on. */
  get size(): number {
    return this.#states.size;
  }

  stateOf(id: string): FlightState | undefined {
    return this.#states.get(id);
  }

  /**
   * How a segment of the catalogue is in flight. A copy that was given up and is finished there after
   * all is not: nothing more can appear under its id, and left alone it would lose its turn to expire.
   */
  flightOf(segment: RemoteLogSegmentMetadata): FlightState | undefined {
    return flightIn(this.#states, segment);
  }

  /** {@link SegmentsInFlight.flightOf} as of now, for a decision that takes a while. */
  snapshot(): (segment: RemoteLogSegmentMetadata) => FlightState | undefined {
    const states = new Map(this.#states);
    return (segment) => flightIn(states, segment);
  }

  /** Marks a segment as worked on. */
  begin(id: string): FlightMark {
    this.#states.set(id, 'working');
    return {
      abandon: () => void this.#states.set(id, 'abandoned'),
      end: () => void this.#states.delete(id),
    };
  }
}

function flightIn(
  states: ReadonlyMap<string, FlightState>,
  segment: RemoteLogSegmentMetadata,
): FlightState | undefined {
  const state = states.get(segment.remoteLogSegmentId.id);
  const hasEnded = state === 'abandoned' && segment.state === 'COPY_SEGMENT_FINISHED';
  return hasEnded ? undefined : state;
}
