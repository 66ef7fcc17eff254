/** Bytes as a string with one character per byte: compares as the bytes do, and can be a `Map` key. */
export function binaryText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The bytes of a binary text. */
export function binaryTextBytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
