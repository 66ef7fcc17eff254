// Stands in for Node's Buffer where a runtime has none. It has the parts that the codecs use: bytes, and their texts in
// three encodings.

type Encoding = 'utf8' | 'hex' | 'latin1' | 'binary' | 'base64';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes with the methods of a Buffer that are used in this package. */
class Bytes extends Uint8Array {
  override toString(encoding: Encoding = 'utf8', start = 0, end = this.length): string {
    const bytes = Uint8Array.prototype.subarray.call(this, start, end);
    if (encoding === 'utf8') return decoder.decode(bytes);
    if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return encoding === 'base64' ? btoa(decodeLatin1(bytes)) : decodeLatin1(bytes);
  }

  write(text: string, offset: unknown = 0, length?: unknown, encoding?: unknown): number {
    const [at, as] =
      typeof offset === 'number' ? [offset, typeof length === 'string' ? length : encoding] : [0, offset];
    const bytes = encodeText(text, as);
    this.set(bytes, at);
    return bytes.length;
  }

  copy(target: Uint8Array, targetStart = 0, start = 0, end = this.length): number {
    target.set(Uint8Array.prototype.subarray.call(this, start, end), targetStart);
    return end - start;
  }

  compare(other: Uint8Array, start = 0, end = other.length, ownStart = 0, ownEnd = this.length): number {
    return compareBytes(Uint8Array.prototype.subarray.call(this, ownStart, ownEnd), other.subarray(start, end));
  }

  override subarray(start?: number, end?: number): Bytes {
    const view = super.subarray(start, end);
    return new Bytes(view.buffer, view.byteOffset, view.byteLength);
  }

  readUInt8(at: number): number {
    return this[at] ?? 0;
  }

  readUInt16LE(at = 0): number {
    return this.#view().getUint16(at, true);
  }

  readUInt32LE(at = 0): number {
    return this.#view().getUint32(at, true);
  }

  writeUInt32LE(value: number, at = 0): number {
    this.#view().setUint32(at, value, true);
    return at + 4;
  }

  readBigUInt64LE(at = 0): bigint {
    return this.#view().getBigUint64(at, true);
  }

  writeBigUInt64LE(value: bigint, at = 0): void {
    this.#view().setBigUint64(at, value, true);
  }

  #view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }
}

/** The functions of the class. */
export const Buffer = {
  alloc: (length: number): Bytes => new Bytes(length),
  allocUnsafeSlow: (length: number): Bytes => new Bytes(length),
  of: (...bytes: number[]): Bytes => copied(Uint8Array.from(bytes)),
  isBuffer: (value: unknown): value is Bytes => value instanceof Bytes,
  from(source: string | ArrayBuffer | Iterable<number>, encoding?: unknown, length?: unknown): Bytes {
    if (typeof source === 'string') return copied(encodeText(source, encoding));
    if (Symbol.iterator in source) return copied(Uint8Array.from(source));
    return new Bytes(source, Number(encoding ?? 0), Number(length ?? source.byteLength));
  },
  byteLength: (text: string): number => encoder.encode(text).length,
  compare: compareBytes,
  concat(parts: readonly Uint8Array[]): Bytes {
    const whole = new Bytes(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  },
};

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

/** True when bytes are well-formed UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function encodeText(text: string, encoding: unknown): Uint8Array {
  if (encoding === 'hex') return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
  if (encoding === 'latin1' || encoding === 'binary')
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  return encoding === 'base64' ? encodeText(atob(text), 'latin1') : encoder.encode(text);
}

function copied(bytes: Uint8Array): Bytes {
  const copy = new Bytes(bytes.length);
  copy.set(bytes);
  return copy;
}

function decodeLatin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
