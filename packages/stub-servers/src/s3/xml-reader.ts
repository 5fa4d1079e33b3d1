/** An element of a document: its name without a prefix, its text, its child elements. */
export interface XmlElement {
  readonly name: string;
  /** The text directly inside, entities resolved, pieces joined. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** The text is not a document of the kind that S3 takes. */
export class XmlError extends Error {
  constructor(problem: string) {
    super(`not the XML that is expected: ${problem}`);
    this.name = 'XmlError';
  }
}

interface OpenElement {
  readonly rawName: string;
  text: string;
  readonly children: XmlElement[];
}

const DEPTH_MAX = 16;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

// One token at the present position: text, a tag, or something to skip. A document type falls through
// all of them and is an error: no client of S3 sends one, and entity declarations are an attack.
const TOKEN =
  /([^<]+)|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([^\s<>/]+)\s*>|<([^\s<>/!?]+)(?:\s[^<>]*?)?(\/?)>/y;

/**
 * Reads a document: elements, text, CDATA, the five named entities and character references.
 * Attributes are skipped. There is no document type, hence no entity that grows.
 *
 * @throws XmlError when it is not well-formed, or nested deeper than 16 elements
 */
export function readXml(document: string): XmlElement {
  const outside: OpenElement = { rawName: '', text: '', children: [] };
  const open: OpenElement[] = [outside];
  const token = new RegExp(TOKEN);
  while (token.lastIndex < document.length) {
    const at = token.lastIndex;
    const match = token.exec(document);
    if (match === null) throw new XmlError(`cannot read on at character ${at}`);
    takeToken(open, match);
  }
  const [root] = outside.children;
  if (open.length > 1) throw new XmlError(`<${open.at(-1)?.rawName ?? ''}> is not closed`);
  if (root === undefined || outside.children.length > 1) throw new XmlError('not one root element');
  if (outside.text.trim() !== '') throw new XmlError('text outside the root element');
  return root;
}

function takeToken(open: OpenElement[], match: RegExpExecArray): void {
  const [, text, characters, closing, opening, selfClosing] = match;
  const current = open.at(-1);
  if (current === undefined) throw new XmlError('nothing is open');
  if (text !== undefined) current.text += resolveEntities(text);
  if (characters !== undefined) current.text += characters;
  if (opening !== undefined) {
    if (open.length > DEPTH_MAX) throw new XmlError(`nested deeper than ${DEPTH_MAX} elements`);
    const element = { rawName: opening, text: '', children: [] };
    if (selfClosing === '/') current.children.push(finished(element));
    else open.push(element);
  }
  if (closing !== undefined) {
    const parent = open.at(-2);
    if (parent === undefined || current.rawName !== closing) {
      throw new XmlError(`</${closing}> closes nothing`);
    }
    open.pop();
    parent.children.push(finished(current));
  }
}

function finished(element: OpenElement): XmlElement {
  const { rawName, text, children } = element;
  return { name: rawName.slice(rawName.indexOf(':') + 1), text, children };
}

function resolveEntities(text: string): string {
  return text.replace(/&([^;&]{0,10})(;?)/g, (_whole, name: string, end: string) => {
    const resolved = end === ';' ? (NAMED.get(name) ?? characterReference(name)) : undefined;
    if (resolved === undefined) throw new XmlError(`&${name} is not an entity`);
    return resolved;
  });
}

function characterReference(name: string): string | undefined {
  const parts = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name);
  if (parts === null) return undefined;
  const [, hexadecimal, decimal] = parts;
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** The text of the first child of that name, or `undefined`. */
export function childText(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}
