import { Refusal } from '../base/refusal.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { Codec } from '../codec/codec.ts';
import { structMembers, type AnyCodec } from '../codec/struct.ts';
import type { Register } from './register.ts';
import type { Sha256 } from './state_hash.ts';
import type { SomeTable } from './table.ts';

type SomeIndex = SomeTable['indexes'][number];

/** A program's layout of one table on disk. Two programs with equal digests read each other's bytes. */
export interface TableLayout {
  readonly number: number;
  readonly name: string;
  /** Of the rows: their keys, members and bytes. 64 hex digits. */
  readonly rows: string;
  /** Of the entries of each index, in the order of their numbers. */
  readonly indexes: readonly IndexLayout[];
}

export interface IndexLayout {
  readonly name: string;
  readonly digest: string;
}

/**
 * The layouts of all tables, from what their declarations do to bytes: which calls read a row, the names of its
 * members, and where sample rows and their index entries lie. Texts that describe a value for people change nothing.
 */
export function tableLayouts({ tables }: Register, sha256Hex: Sha256): TableLayout[] {
  const factsDigest = (facts: unknown): string => sha256Hex(Buffer.from(JSON.stringify(facts)));
  return tables.map((table) => {
    const samples = codecSamples(table.value);
    return {
      number: table.number,
      name: table.name,
      rows: factsDigest(rowFacts(table, samples)),
      indexes: table.indexes.map((index) => ({
        name: index.name,
        digest: factsDigest(indexFacts(table, index, samples)),
      })),
    };
  });
}

/** A row read from scripted values, as far as its codec took them. */
interface Sample {
  readonly calls: readonly string[];
  readonly row: unknown;
  readonly isWhole: boolean;
}

function rowFacts(table: SomeTable, samples: readonly Sample[]): unknown {
  const { number, name, column, hashed, value } = table;
  return {
    ...{ number, name, column, hashed },
    members: memberNames(value),
    samples: samples.map(({ calls, row, isWhole }) => {
      if (!isWhole) return { calls };
      return {
        calls,
        key: writtenBytes((out) => table.writeKey(out, table.keyOf(row))),
        value: writtenBytes((out) => value.write(out, row)),
      };
    }),
  };
}

function indexFacts(table: SomeTable, index: SomeIndex, samples: readonly Sample[]): unknown {
  const { name, number, unique } = index;
  return {
    ...{ name, number, unique },
    samples: samples.filter(({ isWhole }) => isWhole).map(({ row }) => indexEntry(table, index, row)),
  };
}

function indexEntry(table: SomeTable, index: SomeIndex, row: unknown): string {
  const tuple = index.of(row);
  if (tuple === undefined) return 'none';
  return writtenBytes((out) => {
    index.writePrefix(out, tuple);
    if (!index.unique) table.writeKeyParts(out, table.keyOf(row));
  });
}

function writtenBytes(write: (out: ByteWriter) => void): string {
  const out = new ByteWriter();
  write(out);
  return Buffer.from(out.view()).toString('hex');
}

/** The names of a struct's members and of those of structs directly in it. */
function memberNames(codec: AnyCodec): unknown {
  if (!('fields' in codec)) return null;
  return structMembers(codec).map(({ name, codec: member }) => [name, memberNames(member)]);
}

/** Zero leaves lists and options empty, one fills them, and rising numbers tell members of one type apart. */
const SCRIPTS: readonly ((call: number) => number)[] = [() => 0, () => 1, (call) => call % 2, (call) => (call % 5) + 1];

function codecSamples(codec: Codec<unknown>): Sample[] {
  return SCRIPTS.map((script) => {
    const input = new ScriptedReader(script);
    try {
      return { row: codec.read(input), calls: input.calls, isWhole: true };
    } catch (error) {
      // Such a value isn't one of this type. What was read before still tells the layout.
      if (error instanceof Refusal) return { row: undefined, calls: input.calls, isWhole: false };
      throw error;
    }
  });
}

/** Stands for any bytes: each call is answered by a script and noted. */
class ScriptedReader extends ByteReader {
  readonly calls: string[] = [];
  readonly #script: (call: number) => number;

  constructor(script: (call: number) => number) {
    super(new Uint8Array(0));
    this.#script = script;
  }

  override get position(): number {
    return 0;
  }

  override get remaining(): number {
    return MOST_REMAINING;
  }

  /** Often a boolean. */
  override u8(): number {
    return this.#next('u8') % 2;
  }

  override u16(): number {
    return this.#next('u16');
  }

  override u32(): number {
    return this.#next('u32');
  }

  override i64(): bigint {
    return BigInt(this.#next('i64'));
  }

  override u64(): bigint {
    return BigInt(this.#next('u64'));
  }

  override varint(): number {
    return this.#next('varint');
  }

  override bytes(count: number): Uint8Array {
    return new Uint8Array(count).fill(this.#next(`bytes ${count}`));
  }

  override skip(count: number): void {
    this.#next(`skip ${count}`);
  }

  override hex(count: number): string {
    return `0${this.#next(`hex ${count}`)}`.repeat(count);
  }

  override latin1(count: number): string {
    return binaryLetter(this.#next(`latin1 ${count}`)).repeat(count);
  }

  override mapped(count: number): string | undefined {
    return binaryLetter(this.#next(`mapped ${count}`)).repeat(count);
  }

  override text(): string {
    return binaryLetter(this.#next('text'));
  }

  #next(call: string): number {
    this.calls.push(call);
    return this.#script(this.calls.length);
  }
}

/** More than any sample takes. */
const MOST_REMAINING = 1024;

function binaryLetter(value: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + value);
}
