// Base58 with Bitcoin's alphabet: the bytes as one big-endian number, each leading zero byte as a leading '1'.
// Works on words of 24 bits and groups of 4 digits, whose products stay below 2^53.

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const WORD = 2 ** 24;
const GROUP = 58 ** 4;
const ZERO_DIGIT = ALPHABET.charCodeAt(0);

/** Digit value of each ASCII character; 255 if it is not in the alphabet. */
const digitOf = new Uint8Array(128).fill(255);
for (let digit = 0; digit < ALPHABET.length; digit++) digitOf[ALPHABET.charCodeAt(digit)] = digit;

/**
 * Computes number × factor + addend in place, for a number of little-endian parts below `base`; appends parts as
 * needed.
 */
function multiplyAdd(parts: number[], base: number, factor: number, addend: number): void {
  // A division takes longer than all else here, and its quotient is at most one off.
  const inverse = 1 / base;
  let carry = addend;
  for (let i = 0; i < parts.length; i++) {
    const product = (parts[i] ?? 0) * factor + carry;
    let quotient = Math.floor(product * inverse);
    let rest = product - quotient * base;
    if (rest < 0) {
      quotient--;
      rest += base;
    } else if (rest >= base) {
      quotient++;
      rest -= base;
    }
    parts[i] = rest;
    carry = quotient;
  }
  for (; carry > 0; carry = Math.floor(carry / base)) parts.push(carry % base);
}

const PAIR = 58 * 58;
/** The two digits of each number below 58²: the first in the low byte. */
const PAIRS = Uint16Array.from({ length: PAIR }, (_, number) => Buffer.from(digitsOfPair(number)).readUInt16LE());

function digitsOfPair(number: number): string {
  return ALPHABET.charAt(Math.floor(number / 58)) + ALPHABET.charAt(number % 58);
}

/** Scratch space for the digits of a key; longer texts get their own. */
const SHORT_BYTES = 128;
const short = Buffer.alloc(SHORT_BYTES);

/**
 * The digits of a number of groups, without leading zeros. One copy: put together from pieces, a text would be
 * flattened later.
 */
function groupsText(groups: readonly number[]): string {
  const size = groups.length * 4;
  const digits = size > SHORT_BYTES ? Buffer.alloc(size) : short;
  let end = 0;
  for (let i = groups.length - 1; i >= 0; i--) {
    const group = groups[i] ?? 0;
    const upper = Math.trunc(group / PAIR);
    const high = PAIRS[upper] ?? 0;
    const low = PAIRS[group - upper * PAIR] ?? 0;
    digits[end++] = high & 0xff;
    digits[end++] = high >> 8;
    digits[end++] = low & 0xff;
    digits[end++] = low >> 8;
  }
  let zeros = 0;
  while (zeros < end && digits[zeros] === ZERO_DIGIT) zeros++;
  return digits.toString('latin1', zeros, end);
}

/** Encodes any bytes. Takes time quadratic in the length, so callers must limit it first. */
export function base58Encode(data: Uint8Array): string {
  let zeros = 0;
  while (zeros < data.length && data[zeros] === 0) zeros++;
  const groups: number[] = [];
  // The first word takes the remainder of the length divided by three.
  let at = zeros;
  while (at < data.length) {
    const size = (data.length - at) % 3 || 3;
    let word = 0;
    for (let k = 0; k < size; k++) word = word * 256 + (data[at++] ?? 0);
    multiplyAdd(groups, GROUP, WORD, word);
  }
  return zeros === 0 ? groupsText(groups) : '1'.repeat(zeros) + groupsText(groups);
}

/** The bytes of a number of words, after `zeros` zero bytes and without further leading zeros. */
function wordBytes(words: readonly number[], zeros: number): Uint8Array {
  const bytes = new Uint8Array(words.length * 3);
  for (let i = 0; i < words.length; i++) {
    const word = words[words.length - 1 - i] ?? 0;
    bytes[i * 3] = word >>> 16;
    bytes[i * 3 + 1] = word >>> 8;
    bytes[i * 3 + 2] = word;
  }
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  const data = new Uint8Array(zeros + bytes.length - start);
  data.set(bytes.subarray(start), zeros);
  return data;
}

/** Decodes a text; undefined if a character is not in the alphabet. Takes time quadratic in the length. */
export function base58Decode(text: string): Uint8Array | undefined {
  let zeros = 0;
  while (zeros < text.length && text.charCodeAt(zeros) === 0x31) zeros++;
  const words: number[] = [];
  let at = zeros;
  while (at < text.length) {
    const size = (text.length - at) % 4 || 4;
    let group = 0;
    for (let k = 0; k < size; k++) {
      const digit = digitOf[text.charCodeAt(at++)] ?? 255;
      if (digit === 255) return undefined;
      group = group * 58 + digit;
    }
    multiplyAdd(words, WORD, GROUP, group);
  }
  return wordBytes(words, zeros);
}
