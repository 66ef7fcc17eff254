// "base64m" (wire_format.md#base64-of-names): base64 with '-' and '_' for 62 and 63. No padding characters.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Digit value of each ASCII character; 255 if it is not in the alphabet; '+' and '/' read as '-' and '_'. */
const digitOf = new Uint8Array(128).fill(255);
for (let digit = 0; digit < ALPHABET.length; digit++) digitOf[ALPHABET.charCodeAt(digit)] = digit;
digitOf['+'.charCodeAt(0)] = 62;
digitOf['/'.charCodeAt(0)] = 63;

/**
 * Decodes a text leniently (wire_format.md#lenient-reading-of-names): stops silently at the first invalid character; a
 * last group of 2 characters gives 1 byte, of 3 gives 2, of 1 gives none.
 */
export function base64mDecode(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let size = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = digitOf[text.charCodeAt(i)] ?? 255;
    if (digit === 255) break;
    held = ((held << 6) | digit) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[size++] = (held >> bits) & 0xff;
  }
  return bytes.subarray(0, size);
}

/** Encodes any bytes without padding, so 1 byte gives 2 characters and 2 bytes give 3. */
export function base64mEncode(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64url');
}
