import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { ByteReader } from '../codec/bytes.ts';
import { structMembers, type AnyCodec } from '../codec/struct.ts';
import { accounts } from '../state/tables/account.ts';
import type { SomeTable } from '../storage/table.ts';
import { accountName } from '../values/account_name.ts';
import { AccountOrder, AccountWalk } from './account_order.ts';
import { cellLengths, packCells, unpackCells, type RowLayout } from './cells.ts';
import { sealChunk } from './snapshot_digests.ts';
import type { SnapshotChunk, SnapshotColumn } from './snapshot_schema.ts';

/** So a row says whose it is, where it is an account's. */
const WHOSE = 'account';
/** A chunk of a MiB can't have more, and its rows are made from what it says. */
const LARGEST_ROWS = 256 * 1024 * 1024;

interface MemberOfRows {
  readonly name: string;
  readonly codec: AnyCodec;
}

/** Turns rows into columns, and columns into rows: table by table, in order, as a snapshot has them. */
export class ChunkPacking {
  readonly #accounts = new AccountOrder();
  #table: SomeTable | undefined;
  #walk = new AccountWalk(this.#accounts);

  /** Packs rows as they lie on the disk. Fault `damaged_data` when one isn't of the table. */
  pack(table: SomeTable, values: readonly Uint8Array[]): SnapshotChunk {
    this.#begin(table);
    const members = membersOfTable(table);
    const layout = makeLayout(table, members, values);
    const columns = members.map((member, index) => this.#column(layout, member, index));
    this.#note(table, members, layout);
    return { seal: sealChunk(table.name, values.length, columns), columns };
  }

  /** The rows that were packed. Fault `damaged_data` when these can't have been. */
  unpack(table: SomeTable, { seal: { rows }, columns }: SnapshotChunk): Uint8Array[] {
    this.#begin(table);
    const members = membersOfTable(table);
    const fits =
      columns.length === members.length && members.every(({ name }, index) => columns[index]?.member === name);
    if (!fits || !(rows > 0)) throw misshapen(table);
    const sources = columns.map((column) => this.#columnSource(table, column, rows));
    const layout = emptyLayout(table, sources, rows);
    for (const [index, source] of sources.entries()) this.#fill(layout, index, source);
    this.#note(table, members, layout);
    return Array.from({ length: rows }, (_, row) =>
      layout.bytes.subarray(layout.bounds[row * members.length], layout.bounds[(row + 1) * members.length]),
    );
  }

  /** In another table, the accounts are gone through from the first one on. */
  #begin(table: SomeTable): void {
    if (table === this.#table) return;
    this.#table = table;
    this.#walk = new AccountWalk(this.#accounts);
  }

  #column(layout: RowLayout, { name, codec }: MemberOfRows, index: number): SnapshotColumn {
    if (name === WHOSE && codec === accountName) {
      const passes = this.#walk.splitPasses(layout.bytes, memberStarts(layout, index));
      if (passes !== undefined) return { member: name, form: 'accounts', lengths: Buffer.alloc(0), cells: passes };
    }
    return { member: name, form: 'cells', ...packCells(layout, index) };
  }

  #columnSource(table: SomeTable, { form, ...packed }: SnapshotColumn, rows: number): ColumnSource {
    const names = form === 'accounts' ? this.#walk.nameStarts(packed.cells, rows) : undefined;
    const lengths =
      names === undefined ? cellLengths(packed, rows) : names.map((at) => (this.#accounts.passEnd(at) ?? at) - at);
    if (lengths === undefined || (form === 'accounts' && names === undefined)) throw misshapen(table);
    return { names, lengths, cells: packed.cells };
  }

  #fill(layout: RowLayout, index: number, { names, cells }: ColumnSource): void {
    if (names === undefined) unpackCells(layout, index, cells);
    else
      for (const [row, at] of names.entries())
        this.#accounts.copy(at, layout.bytes, layout.bounds[row * layout.members + index] ?? 0);
  }

  /** Accounts are known to the tables behind their own. */
  #note(table: SomeTable, members: readonly MemberOfRows[], layout: RowLayout): void {
    const is = (other: SomeTable): boolean => table === other;
    if (!is(accounts)) return;
    const index = members.findIndex(({ name }) => name === 'name');
    const { bytes, bounds, rows } = layout;
    for (let row = 0, at = index; row < rows; row++, at += members.length)
      this.#accounts.add(bytes, bounds[at] ?? 0, bounds[at + 1] ?? 0);
  }
}

interface ColumnSource {
  /** The positions of the names among the accounts; undefined for cells. */
  readonly names: Uint32Array | undefined;
  readonly lengths: Uint32Array;
  readonly cells: Buffer;
}

function membersOfTable({ value }: SomeTable): readonly MemberOfRows[] {
  return structMembers(value);
}

/** Finds the positions of the members of rows by reading them. */
function makeLayout(table: SomeTable, members: readonly MemberOfRows[], values: readonly Uint8Array[]): RowLayout {
  const bytes = Buffer.concat(values);
  const bounds = new Uint32Array(values.length * members.length + 1);
  const input = new ByteReader(bytes);
  let [at, end] = [0, 0];
  try {
    for (const value of values) {
      end += value.length;
      for (const { codec } of members) {
        codec.read(input);
        bounds[++at] = input.position;
      }
      if (input.position !== end) throw misshapen(table);
    }
  } catch (error) {
    throw error instanceof Refusal ? misshapen(table, error) : error;
  }
  return { bytes, members: members.length, rows: values.length, bounds };
}

function emptyLayout(table: SomeTable, sources: readonly ColumnSource[], rows: number): RowLayout {
  const bounds = new Uint32Array(rows * sources.length + 1);
  let [at, end] = [0, 0];
  for (let row = 0; row < rows; row++) {
    for (const { lengths } of sources) {
      end += lengths[row] ?? 0;
      bounds[++at] = end;
    }
    if (end > LARGEST_ROWS) throw misshapen(table);
  }
  return { bytes: Buffer.allocUnsafe(end), members: sources.length, rows, bounds };
}

function memberStarts({ bounds, members, rows }: RowLayout, member: number): Uint32Array {
  return Uint32Array.from({ length: rows }, (_, row) => bounds[row * members + member] ?? 0);
}

function misshapen({ name }: SomeTable, cause?: unknown): Fault {
  return new Fault('damaged_data', `rows of table ${name} are none of it`, cause);
}
