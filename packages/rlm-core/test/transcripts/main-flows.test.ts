import { describe, expect, it } from 'vitest';
import { plain, play } from './transcript.ts';

async function holds(transcript: string): Promise<void> {
  expect(await play(transcript)).toBe(plain(transcript));
}

describe('copying', () => {
  it('is metadata, objects, metadata, and then the log may let go, in order of the offsets', async () => {
    await holds(`
      > segment
      > segment
      > append
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      meta 3-5 COPY_SEGMENT_STARTED
      store copy 3-5
      meta 3-5 COPY_SEGMENT_FINISHED
      log tiered to 5
      > status
      copy up-to-date
      0-2 both
      3-5 both
      6-6 local active
      > metric RemoteCopyLagSegments
      RemoteCopyLagSegments 0
      > local-retention
      log removes 0
      log removes 3
      > wait 30
      > status
      copy up-to-date
      0-2 remote
      3-5 remote
      6-6 local active
    `);
  });

  it('goes on every 30 s with what was rolled meanwhile', async () => {
    await holds(`
      > lead
      > segment
      > wait 29
      > wait 1
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
    `);
  });

  it('stops where a transaction is open', async () => {
    await holds(`
      > segment
      > segment
      > open-transaction 4
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      > status
      copy up-to-date
      0-2 both
      3-5 local above-last-stable-offset
      6-5 local active
      > open-transaction
      > wait 30
      meta 3-5 COPY_SEGMENT_STARTED
      store copy 3-5
      meta 3-5 COPY_SEGMENT_FINISHED
      log tiered to 5
    `);
  });

  it('finds after a restart what it has copied before, and copies nothing twice', async () => {
    await holds(`
      > segment
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      > segment
      > restart
      log tiered to 2
      meta 3-5 COPY_SEGMENT_STARTED
      store copy 3-5
      meta 3-5 COPY_SEGMENT_FINISHED
      log tiered to 5
    `);
  });

  it('is taken back when it fails, and tried again with a new id; local data stays', async () => {
    await holds(`
      > segment
      > store copy denied
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 DELETE_SEGMENT_STARTED
      store delete 0-2
      meta 0-2 DELETE_SEGMENT_FINISHED
      > local-retention
      > status
      copy failed
      0-2 local waiting
      3-2 local active
      > metric RemoteCopyErrorsTotal
      RemoteCopyErrorsTotal 1
      > metric RemoteCopyLagSegments
      RemoteCopyLagSegments 1
      > store copy well
      > wait 30
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      > metric RemoteCopyLagSegments
      RemoteCopyLagSegments 0
    `);
  });

  it('leaves what it cannot take back to expiration', async () => {
    await holds(`
      > segment
      > store copy half
      > store delete unavailable
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 DELETE_SEGMENT_STARTED
      store delete 0-2
      > store copy well
      > store delete well
      > wait 30
      store delete 0-2
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 DELETE_SEGMENT_FINISHED
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
    `);
  });

  it('gives a call up that does not come back, and leaves its id alone until the next start', async () => {
    await holds(`
      > segment
      > store copy hang
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      > store copy well
      > wait 64
      > wait 31
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      > restart
      log tiered to 2
      meta 0-2 DELETE_SEGMENT_STARTED
      store delete 0-2
      meta 0-2 DELETE_SEGMENT_FINISHED
    `);
  });

  it('is halted by custom metadata above the limit, which is there to find the objects by', async () => {
    await holds(`
      > segment
      > custom-metadata 129
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 DELETE_SEGMENT_STARTED
      store delete 0-2
      meta 0-2 DELETE_SEGMENT_FINISHED
      > metric RemoteCopyErrorsTotal
      RemoteCopyErrorsTotal 1
      > wait 300
      > status
      copy halted
      0-2 local waiting
      3-2 local active
      > custom-metadata 128
      > restart
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
    `);
  });

  it('can be switched off for a topic, whose remote data still expires', async () => {
    await holds(`
      > segment
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      > config remoteLogCopyDisable true
      > segment
      > config retentionMs 1000
      > wait 30
      log starts at 6
      meta 0-2 DELETE_SEGMENT_STARTED
      store delete 0-2
      meta 0-2 DELETE_SEGMENT_FINISHED
      > status
      copy up-to-date
      0-2 both
      3-5 local below-log-start
      6-5 local active
    `);
  });
});

describe('the write quota', () => {
  it('ends the run when it is exhausted, and the next run goes on', async () => {
    await holds(`
      > segment
      > segment
      > segment
      > write-limit 10
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      > status
      copy quota-exhausted
      0-2 both
      3-5 local quota-exhausted
      6-8 local quota-exhausted
      9-8 local active
      > wait 30
      meta 3-5 COPY_SEGMENT_STARTED
      store copy 3-5
      meta 3-5 COPY_SEGMENT_FINISHED
      log tiered to 5
      > write-limit 9223372036854775807
      > wait 30
      meta 6-8 COPY_SEGMENT_STARTED
      store copy 6-8
      meta 6-8 COPY_SEGMENT_FINISHED
      log tiered to 8
    `);
  });

  it('does not hold up expiration', async () => {
    await holds(`
      > segment
      > segment
      > write-limit 1
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      > delete-records 3
      log starts at 3
      > wait 30
      meta 0-2 DELETE_SEGMENT_STARTED
      store delete 0-2
      meta 0-2 DELETE_SEGMENT_FINISHED
      > status
      copy quota-exhausted
      0-2 both
      3-5 local quota-exhausted
      6-5 local active
    `);
  });
});

describe('reading', () => {
  it('fetches the index once, and the bytes each time', async () => {
    await holds(`
      > segment
      > segment
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      meta 3-5 COPY_SEGMENT_STARTED
      store copy 3-5
      meta 3-5 COPY_SEGMENT_FINISHED
      log tiered to 5
      > fetch 0
      store index 0-2
      store fetch 0-2
      answer: 264 bytes
      > fetch 2
      store fetch 0-2
      answer: 88 bytes
      > fetch 3 1
      store index 3-5
      store fetch 3-5
      answer: 88 bytes
      > fetch 6
      answer: LOGLOFT_RLM_OFFSET_OUT_OF_RANGE
    `);
  });

  it('answers empty while the read quota is exhausted, and flows again when the window has room', async () => {
    await holds(`
      > segment
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      > read-limit 50
      > fetch 0
      store index 0-2
      store fetch 0-2
      answer: 264 bytes
      > fetch 0
      answer: throttled
      > wait 5
      > fetch 0
      answer: throttled
      > wait 1
      > fetch 0
      store fetch 0-2
      answer: 264 bytes
    `);
  });
});

describe('expiring', () => {
  it('moves the log start before anything is deleted', async () => {
    await holds(`
      > segment
      > segment
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      meta 3-5 COPY_SEGMENT_STARTED
      store copy 3-5
      meta 3-5 COPY_SEGMENT_FINISHED
      log tiered to 5
      > config retentionBytes 0
      > wait 30
      log starts at 6
      meta 0-2 DELETE_SEGMENT_STARTED
      store delete 0-2
      meta 0-2 DELETE_SEGMENT_FINISHED
      meta 3-5 DELETE_SEGMENT_STARTED
      store delete 3-5
      meta 3-5 DELETE_SEGMENT_FINISHED
      > metric RemoteDeleteLagSegments
      RemoteDeleteLagSegments 0
    `);
  });

  it('ends the run when a deletion fails, and takes it up in the next', async () => {
    await holds(`
      > segment
      > segment
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      meta 3-5 COPY_SEGMENT_STARTED
      store copy 3-5
      meta 3-5 COPY_SEGMENT_FINISHED
      log tiered to 5
      > config retentionMs 1000
      > store delete unavailable
      > wait 30
      log starts at 6
      meta 0-2 DELETE_SEGMENT_STARTED
      store delete 0-2
      > metric RemoteDeleteErrorsTotal
      RemoteDeleteErrorsTotal 1
      > metric RemoteDeleteLagSegments
      RemoteDeleteLagSegments 2
      > store delete well
      > wait 30
      store delete 0-2
      meta 0-2 DELETE_SEGMENT_FINISHED
      meta 3-5 DELETE_SEGMENT_STARTED
      store delete 3-5
      meta 3-5 DELETE_SEGMENT_FINISHED
    `);
  });
});

describe('stopping', () => {
  it('aborts what is under way and leaves it as a crash would', async () => {
    await holds(`
      > segment
      > store copy slow
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      > stop
      > store copy well
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      meta 0-2 DELETE_SEGMENT_STARTED
      store copy 0-2
      store delete 0-2
      meta 0-2 DELETE_SEGMENT_FINISHED
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
    `);
  });

  it('of a deleted topic removes everything, over failures and restarts', async () => {
    await holds(`
      > segment
      > segment
      > lead
      meta 0-2 COPY_SEGMENT_STARTED
      store copy 0-2
      meta 0-2 COPY_SEGMENT_FINISHED
      log tiered to 2
      meta 3-5 COPY_SEGMENT_STARTED
      store copy 3-5
      meta 3-5 COPY_SEGMENT_FINISHED
      log tiered to 5
      > store delete unavailable
      > delete-topic
      meta DELETE_PARTITION_MARKED
      > wait 0
      meta DELETE_PARTITION_STARTED
      meta 0-2 DELETE_SEGMENT_STARTED
      store delete 0-2
      > restart-without-partition
      meta DELETE_PARTITION_STARTED
      store delete 0-2
      > store delete well
      > wait 30
      meta DELETE_PARTITION_STARTED
      store delete 0-2
      meta 0-2 DELETE_SEGMENT_FINISHED
      meta 3-5 DELETE_SEGMENT_STARTED
      store delete 3-5
      meta 3-5 DELETE_SEGMENT_FINISHED
      meta DELETE_PARTITION_FINISHED
      > wait 60
      > restart-without-partition
    `);
  });
});
