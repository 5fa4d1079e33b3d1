const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

// S3 writes control characters of keys as character references, which XML 1.0 does not allow, but
// its clients read them.
function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be replaced
  return text.replace(/[&<>"\u0000-\u001f\u007f]/g, (character) => {
    return ENTITIES.get(character) ?? `&#x${character.charCodeAt(0).toString(16)};`;
  });
}

/** An element with text in it. */
export function xmlText(name: string, value: string | number | boolean): string {
  return `<${name}>${escapeXml(String(value))}</${name}>`;
}

/** An element with elements in it. */
export function xmlGroup(name: string, elements: readonly string[]): string {
  return `<${name}>${elements.join('')}</${name}>`;
}

/** A whole document. Errors have no namespace, all else has S3's. */
export function xmlDocument(name: string, elements: readonly string[]): string {
  const open = name === 'Error' ? `<${name}>` : `<${name} xmlns="${NAMESPACE}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${open}${elements.join('')}</${name}>`;
}
