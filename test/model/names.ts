import { ripemd160 } from '../../src/crypto/hashes.ts';

// wire_format.md#account-names: a name is 24 bytes, written in base 64.

const NAME_BYTES = 24;

/** The 24 bytes that a text denotes. */
function nameBytes(text: string): Buffer {
  const bytes = Buffer.alloc(NAME_BYTES);
  const digits = text.replaceAll('+', '-').replaceAll('/', '_');
  const readable = /^[A-Za-z0-9_-]*/.exec(digits)?.[0] ?? '';
  const padded =
    readable.length === digits.length ? readable.padEnd(Math.ceil(readable.length / 4) * 4, 'A') : readable;
  Buffer.from(padded, 'base64url').copy(bytes);
  return bytes;
}

/** The name as it is stored and shown. */
export function decodeName(text: string): string {
  return nameBytes(text).toString('base64url').replace(/A+$/, '');
}

/** The order of names: that of their bytes. */
export function byName(a: string, b: string): number {
  return Buffer.compare(nameBytes(a), nameBytes(b));
}

export function nameOfSeed(seed: string): string {
  return decodeName(Buffer.concat([ripemd160(Buffer.from(seed)), Buffer.alloc(1)]).toString('base64url'));
}

const LABEL = /^[a-z][a-z0-9-]+[a-z0-9]$/;

/** The strict check of names inside authorities. */
export function isStrictName(name: string): boolean {
  return name.length >= 3 && name.length <= 16 && name.split('.').every((label) => LABEL.test(label));
}
