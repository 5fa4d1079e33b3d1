/** The words of a name in lower case: `RLMCopy`, `byte-rate` and `BytesInPerSec` have 2, 2 and 4. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return spaced.split(/[^\p{L}\p{N}:]+/u).filter((word) => word !== '');
}
