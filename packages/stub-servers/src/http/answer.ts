/** What a stub answers to one request. */
export interface Answer {
  /** HTTP status, 200 to 599. */
  readonly status: number;
  /** Without `Content-Length` (it follows from the body, unless it is given) and `Date`. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body in pieces that nobody changes any more. For a HEAD it is measured and not sent. */
  readonly body: readonly Uint8Array[];
}

/** An answer whose body is `text` in UTF-8. */
export function textAnswer(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: new Map(Object.entries(headers)),
    body: text === '' ? [] : [Buffer.from(text, 'utf8')],
  };
}

/** An answer without a body. */
export function emptyAnswer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return textAnswer(status, '', headers);
}

/** How many bytes the body of an answer has. */
export function bodyBytes(answer: Answer): number {
  return answer.body.reduce((sum, piece) => sum + piece.byteLength, 0);
}
