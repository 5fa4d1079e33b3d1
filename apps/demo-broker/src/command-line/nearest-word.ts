/**
 * The candidate that was probably meant: the one with the fewest letters changed, as long as these
 * are not more than half of the word; or the only one that begins with it.
 */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const completions = candidates.filter((candidate) => candidate.startsWith(word));
  if (completions.length === 1) return completions[0];
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: lettersChanged(word, candidate) }))
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best !== undefined && best.edits <= word.length / 2 ? best.candidate : undefined;
}

/** Levenshtein distance; the words are flags and commands, so quadratic memory is nothing. */
function lettersChanged(a: string, b: string): number {
  const known = new Map<string, number>();
  const distance = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const key = `${i},${j}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const change = a[i - 1] === b[j - 1] ? 0 : 1;
    const fewest = Math.min(
      distance(i - 1, j) + 1,
      distance(i, j - 1) + 1,
      distance(i - 1, j - 1) + change,
    );
    known.set(key, fewest);
    return fewest;
  };
  // Nobody mistypes a flag at such length, and the recursion must not be driven deep.
  if (a.length > 64) return a.length;
  return distance(a.length, b.length);
}
