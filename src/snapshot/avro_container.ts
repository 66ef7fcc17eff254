import { closeSync, openSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import avsc, { type Schema, type Type } from 'avsc';
import { onDisk } from '../system/system_error.ts';

// The library's own reader of such files waits for ever where one is cut off in its header, and holds a block of any
// announced size.

/** The reason why a file can't be read as a container, without the file's name. */
export class NotAContainer extends Error {}

/** It is one, of other records. */
export class OtherRecords extends NotAContainer {
  /** Of their schema, in hexadecimal digits. */
  readonly fingerprint: string;

  constructor(fingerprint: string) {
    super('its records are others');
    this.fingerprint = fingerprint;
  }
}

const MAGIC = Buffer.from('Obj\u0001');
const SYNC_BYTES = 16;
/** A schema and the name of a codec are needed; the longest text is the schema. */
const MOST_METADATA = 16;
const LONGEST_TEXT = 64 * 1024;
/** A block has a MiB of rows, and one row more: a part of a block or a message, of which the largest are a block. */
const LARGEST_BLOCK = 128 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;
const LONGEST_NUMBER = 9;

const textType = avsc.Type.forSchema('bytes');
const numberType = avsc.Type.forSchema('long');

/**
 * The records of an Avro object container file whose schema is that of `type` but for its remarks, in order. Throws
 * `NotAContainer` where the file isn't one, or ends in the middle; Fault `disk` where it can't be read.
 */
export function* recordsOfContainer(path: string, type: Type): Generator {
  const source = new ByteSource(path);
  try {
    if (!source.take(MAGIC.length).equals(MAGIC)) throw new NotAContainer('it is no Avro container file');
    const unpack = chooseCodec(readMetadata(source), type);
    const sync = source.take(SYNC_BYTES);
    while (!source.isAtEnd) {
      const [count, size] = [source.number(), source.number()];
      if (size < 0 || size > LARGEST_BLOCK) throw new NotAContainer('a block is larger than any can be');
      const data = source.take(size);
      if (!source.take(SYNC_BYTES).equals(sync)) throw new NotAContainer('a block does not end where it should');
      yield* decodeRecords(unpack(data), count, type);
    }
  } finally {
    source.close();
  }
}

/** One by one, because the library believes any count. */
function readMetadata(source: ByteSource): ReadonlyMap<string, string> {
  const metadata = new Map<string, string>();
  for (let count = source.number(); count !== 0; count = source.number()) {
    if (count < 0 || count > MOST_METADATA) throw new NotAContainer('it says too much of itself');
    for (let index = 0; index < count; index++) metadata.set(source.text(), source.text());
    if (metadata.size > MOST_METADATA) throw new NotAContainer('it says too much of itself');
  }
  return metadata;
}

function chooseCodec(metadata: ReadonlyMap<string, string>, type: Type): (data: Buffer) => Buffer {
  requireSchema(metadata.get('avro.schema') ?? '', type);
  const codec = metadata.get('avro.codec') ?? 'null';
  if (codec === 'null') return (data) => data;
  if (codec !== 'deflate') throw new NotAContainer('it is packed by a codec that is not known here');
  return (data) =>
    failingAs('a block can not be unpacked', () => inflateRawSync(data, { maxOutputLength: LARGEST_BLOCK }));
}

function requireSchema(text: string, type: Type): void {
  const found = failingAs('its schema is none', () => avsc.Type.forSchema(parseSchema(text))).fingerprint();
  if (Buffer.compare(found, type.fingerprint()) !== 0) throw new OtherRecords(found.toString('hex'));
}

function parseSchema(text: string): Schema {
  const schema: unknown = JSON.parse(text);
  if (!isSchema(schema)) throw new NotAContainer('its schema is none');
  return schema;
}

/** The library looks at the members itself. */
function isSchema(value: unknown): value is Schema {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

function* decodeRecords(bytes: Buffer, count: number, type: Type): Generator {
  let at = 0;
  for (let index = 0; index < count; index++) {
    const { value, offset } = decoded(type, bytes, at);
    at = offset;
    yield value;
  }
  if (at !== bytes.length) throw new NotAContainer('a block has more than its records');
}

interface Decoded {
  readonly value: unknown;
  readonly offset: number;
}

/** The value at a place, and the place behind it. */
function decoded(type: Type, bytes: Buffer, at: number): Decoded {
  const found: Decoded = failingAs('a value is none', () => type.decode(bytes, at));
  if (found.offset < 0) throw new NotAContainer('it is cut off');
  return found;
}

function failingAs<T>(why: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new NotAContainer(why, { cause: error });
  }
}

/** A file that is read from its beginning to its end. */
class ByteSource {
  readonly #path: string;
  readonly #file: number;
  #bytes = Buffer.alloc(0);
  #at = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = onDisk(`cannot read ${path}`, () => openSync(path, 'r'));
  }

  get isAtEnd(): boolean {
    return !this.#has(1);
  }

  take(count: number): Buffer {
    if (!this.#has(count)) throw new NotAContainer('it is cut off');
    return this.#bytes.subarray(this.#at, (this.#at += count));
  }

  number(): number {
    const value = this.#decode(numberType, LONGEST_NUMBER);
    return typeof value === 'number' ? value : 0;
  }

  text(): string {
    const value = this.#decode(textType, LONGEST_TEXT);
    return Buffer.isBuffer(value) ? value.toString() : '';
  }

  close(): void {
    closeSync(this.#file);
  }

  /** A value of at most so many bytes. */
  #decode(type: Type, most: number): unknown {
    this.#has(most);
    const { value, offset } = decoded(type, this.#bytes.subarray(this.#at, this.#at + most), 0);
    this.#at += offset;
    return value;
  }

  /** True when this many bytes are there; they are in memory then. */
  #has(count: number): boolean {
    while (this.#bytes.length - this.#at < count) {
      const more = Buffer.allocUnsafe(Math.max(READ_BYTES, count));
      const length = onDisk(`cannot read ${this.#path}`, () => readSync(this.#file, more));
      if (length === 0) return false;
      this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), more.subarray(0, length)]);
      this.#at = 0;
    }
    return true;
  }
}
