import { describe, expect, it } from 'vitest';
import { SegmentsInFlight } from '../src/segments-in-flight.ts';
import { segment, segmentId } from './support/segments.ts';

describe('segments in flight', () => {
  const started = segment('A', 0, 9);
  const finished = segment('A', 0, 9, { state: 'COPY_SEGMENT_FINISHED' });

  it('are those that are worked on, and no more after the end of the work', () => {
    const inFlight = new SegmentsInFlight();
    expect(inFlight.flightOf(started)).toBeUndefined();
    const mark = inFlight.begin(segmentId('A'));
    expect(inFlight.flightOf(started)).toBe('working');
    expect(inFlight.flightOf(finished)).toBe('working');
    mark.end();
    expect([inFlight.flightOf(started), inFlight.size]).toEqual([undefined, 0]);
  });

  it('are those that were given up, until the catalogue has them finished after all', () => {
    const inFlight = new SegmentsInFlight();
    inFlight.begin(segmentId('A')).abandon();
    expect(inFlight.flightOf(started)).toBe('abandoned');
    expect(inFlight.flightOf(finished)).toBeUndefined();
  });

  it('of a snapshot stay as they were', () => {
    const inFlight = new SegmentsInFlight();
    const mark = inFlight.begin(segmentId('A'));
    const flightOf = inFlight.snapshot();
    mark.end();
    expect([flightOf(started), inFlight.flightOf(started)]).toEqual(['working', undefined]);
  });
});
