const TWO_TO_32 = 2 ** 32;

/** Reads an int64 as a number: exact within the safe integers, and unsafe for every other value. */
export function getInt64(view: DataView, at: number): number {
  return view.getInt32(at) * TWO_TO_32 + view.getUint32(at + 4);
}

/** Writes a safe integer as an int64. */
export function setInt64(view: DataView, at: number, value: number): void {
  const low = value >>> 0;
  view.setInt32(at, (value - low) / TWO_TO_32);
  view.setUint32(at + 4, low);
}
