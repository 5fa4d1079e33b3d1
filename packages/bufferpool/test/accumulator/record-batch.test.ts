import { expect, test } from 'vitest';
import { makeAccumulator, namesOf, record } from './test-accumulator.ts';

const FOR_EVER = { maxBlockMs: Number.POSITIVE_INFINITY };

test('write puts the bytes of records into the memory of the batch, until it is settled', async () => {
  const { accumulator } = makeAccumulator({
    write: ({ name }, target, offset) => target.write(name, offset, 'latin1'),
  });
  const batch = await accumulator.append('p', record('hello'));
  await accumulator.append('p', record(' world'));
  expect(batch.bytes.toString('latin1')).toBe('hello world');
  expect(batch.sizeBytes).toBe(11);
  void accumulator.flush();
  for (const taken of accumulator.drain(1000)) accumulator.complete(taken);
  await batch.settled();
  expect(() => batch.bytes).toThrow(
    expect.objectContaining({ code: 'LOGLOFT_ACCUMULATOR_BATCH_RELEASED' }),
  );
});

test('what write throws, or a wrong count, fails that append alone', async () => {
  const { accumulator, pool } = makeAccumulator({
    write: ({ name }) => {
      if (name === 'bad') throw new Error('bad record');
      return name === 'long' ? 41 : 40;
    },
  });
  await expect(accumulator.append('p', record('bad'))).rejects.toThrow('bad record');
  expect(pool.stats().availableBytes).toBe(300);
  expect(accumulator.stats().partitions).toBe(0);
  const batch = await accumulator.append('p', record('good'));
  expect(() => accumulator.tryAppend('p', record('bad'))).toThrow('bad record');
  await expect(accumulator.append('p', record('long'))).rejects.toMatchObject({
    code: 'LOGLOFT_ACCUMULATOR_INVALID_RECORD',
  });
  expect(namesOf([batch])).toEqual(['good']);
});

test('a write that throws for a record that waited leaves the others in line', async () => {
  const { accumulator, clock, pool } = makeAccumulator(
    {
      write: ({ name, bytes }) => {
        if (name.startsWith('bad')) throw new Error('bad record');
        return bytes;
      },
    },
    100,
  );
  const held = pool.tryAllocate(100);
  const waits = ['bad1', 'a', 'bad2', 'b'].map((name) =>
    accumulator.append('p', record(name), FOR_EVER).then(
      () => `${name} in`,
      () => `${name} out`,
    ),
  );
  pool.deallocate(held);
  expect(await Promise.all(waits)).toEqual(['bad1 out', 'a in', 'bad2 out', 'b in']);
  await clock.advanceAsync(5);
  expect(namesOf(accumulator.drain(1000))).toEqual(['a+b']);
});

test.each([-1, 0.5, Number.NaN])('an estimate of %s bytes is refused', async (bytes) => {
  const { accumulator } = makeAccumulator();
  await expect(accumulator.append('p', record('a', bytes))).rejects.toMatchObject({
    code: 'LOGLOFT_ACCUMULATOR_INVALID_RECORD',
  });
});
