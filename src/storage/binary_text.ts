/** Bytes as a string with one character a byte: compares as the bytes do, and a `Map` finds it. */
export function binaryText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The bytes of a binary text. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
