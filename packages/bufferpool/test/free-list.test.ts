import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FreeList } from '../src/free-list.ts';

test('a free list is a queue that can also lose its end, however long and often it turns over', () => {
  const operation = fc.constantFrom('append', 'append', 'takeHead', 'dropTail');
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 300 }), (operations) => {
      const list = new FreeList(1);
      const model: Buffer[] = [];
      for (const [index, name] of operations.entries()) {
        if (name === 'append') {
          const buffer = Buffer.of(index & 0xff);
          list.append(buffer);
          model.push(buffer);
        } else if (name === 'takeHead') expect(list.takeHead()).toBe(model.shift());
        else {
          list.dropTail();
          model.pop();
        }
        expect(list.length).toBe(model.length);
      }
      for (const buffer of model) expect(list.takeHead()).toBe(buffer);
      expect(list.takeHead()).toBeUndefined();
    }),
  );
});
