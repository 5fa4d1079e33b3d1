// Hot path: one DataView for each underlying ArrayBuffer, however many Buffers look into it. A view
// costs 100 to 200 ns to make, a batch header some 20 ns to read.

const views = new WeakMap<ArrayBufferLike, DataView>();
// The bytes read last are kept alive until others are read: one buffer at most. To compare them is
// cheaper than to ask a Buffer for what is under it.
let lastBytes: Uint8Array = new Uint8Array(0);
let lastView: DataView = new DataView(lastBytes.buffer);

/** A view of everything under `bytes`: add `bytes.byteOffset` to a position, and check bounds. */
export function viewOf(bytes: Uint8Array): DataView {
  return bytes === lastBytes ? lastView : switchView(bytes);
}

function switchView(bytes: Uint8Array): DataView {
  const buffer = bytes.buffer;
  lastBytes = bytes;
  // Other bytes are most often another part of the same slab.
  if (lastView.buffer === buffer) return lastView;
  let view = views.get(buffer);
  if (view === undefined) {
    view = new DataView(buffer);
    views.set(buffer, view);
  }
  lastView = view;
  return view;
}

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
