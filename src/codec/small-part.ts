// Pieces that are less than half of their memory: who keeps one copies it, because that memory is used again, or is much more.

/**
 * Whether a piece is less than half of its memory, and would keep all of that. This is true of every piece of memory that is used again: the
 * buffer into which all sockets are read, blocks, slabs, and the windows of the journal. Such a piece is valid only at once.
 */
export function isSmallPart(piece: Uint8Array): boolean {
  return piece.length * 2 < piece.buffer.byteLength;
}

/** Copies a piece that is less than half of its memory: a read, Node's pool, or memory that is used again. */
export function compacted<Bytes extends Uint8Array>(piece: Bytes): Bytes | Buffer {
  if (!isSmallPart(piece)) return piece;
  const copy = Buffer.allocUnsafeSlow(piece.length);
  copy.set(piece);
  return copy;
}
