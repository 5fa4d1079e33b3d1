/** A key of a listing as it is, when the store did as it was asked and escaped it. */
export function decodedKey(key: string, encoding: string | undefined): string {
  if (encoding !== 'url') return key;
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    // Not escaped after all.
    return key;
  }
}
