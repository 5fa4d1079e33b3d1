/** The text that `vectors/compressed.json.gz` holds in many forms: never change what it returns. */
export function sampleText(bytes: number): string {
  let text = '';
  for (let i = 0; text.length < bytes; i += 1) {
    const name = ['order', 'payment', 'refund', 'parcel'][(i * i) % 4];
    text += `{"id":${i},"type":"${name}","amount":${(i * 7919) % 97},"state":"done"}\n`;
  }
  return text.slice(0, bytes);
}
