import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonProtocols, selectProtocol } from '../../src/group/protocol-selection.ts';

function voters(...lists: readonly (readonly string[])[]): { protocolNames: readonly string[] }[] {
  return lists.map((protocolNames) => ({ protocolNames }));
}

describe('the choice of a protocol', () => {
  it('falls on the one that most prefer of those that all support', () => {
    expect(selectProtocol(voters(['a', 'b', 'c'], ['c', 'b'], ['b', 'c']))).toBe('b');
    expect(selectProtocol(voters(['a', 'b'], ['b', 'a'], ['b', 'a']))).toBe('b');
  });

  it('falls on the one that was voted for first when votes are equal', () => {
    expect(selectProtocol(voters(['a', 'b'], ['b', 'a']))).toBe('a');
  });

  it('has no result without members or without a common protocol', () => {
    expect(selectProtocol([])).toBeUndefined();
    expect(selectProtocol(voters(['a'], ['b']))).toBeUndefined();
  });

  it('counts a name that a member lists twice once', () => {
    expect(commonProtocols(voters(['a', 'a', 'b'], ['b', 'a']))).toEqual(new Set(['a', 'b']));
  });

  it('is always supported by everybody, and made whenever anything is', () => {
    const list = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '__proto__'), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(list, { minLength: 1 }), (lists) => {
        const chosen = selectProtocol(voters(...lists));
        const common =
          lists[0]?.filter((name) => lists.every((names) => names.includes(name))) ?? [];
        expect(chosen === undefined).toBe(common.length === 0);
        if (chosen !== undefined) expect(common).toContain(chosen);
      }),
    );
  });
});
