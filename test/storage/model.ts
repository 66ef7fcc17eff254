import type { ValueOf } from '../../src/codec/codec.ts';
import type { accounts, documents, entries, escrows } from './tables.ts';

export type Account = ValueOf<typeof accounts.value>;
export type Escrow = ValueOf<typeof escrows.value>;
export type EntryRow = ValueOf<typeof entries.value>;
export type DocumentRow = ValueOf<typeof documents.value>;

/** The state as anybody would write it: plain maps, copied whole where the sessions remember changes. */
export interface Model {
  accounts: Map<string, Account>;
  escrows: Map<string, Escrow>;
  entries: Map<string, EntryRow>;
  documents: DocumentRow[];
  nextEscrow: bigint;
  nextEntry: number;
}

export function emptyModel(): Model {
  return {
    ...{ accounts: new Map(), escrows: new Map(), entries: new Map(), documents: [] },
    ...{ nextEscrow: 0n, nextEntry: 0 },
  };
}

export function copyModel(model: Model): Model {
  return {
    accounts: new Map(model.accounts),
    escrows: new Map(model.escrows),
    entries: new Map(model.entries),
    documents: [...model.documents],
    nextEscrow: model.nextEscrow,
    nextEntry: model.nextEntry,
  };
}

export function escrowKey(escrow: { from: string; escrow_id: number }): string {
  return JSON.stringify([escrow.from, escrow.escrow_id]);
}

/** Rows by when something is due, then by name; those that are never due are absent. */
export function byDue(model: Model): Account[] {
  return [...model.accounts.values()]
    .filter((row) => row.due !== 0)
    .sort((a, b) => a.due - b.due || compareText(a.name, b.name));
}

/** The richest first; equally rich ones in the order of their keys. */
export function byBalance(model: Model): Account[] {
  return [...model.accounts.values()].sort((a, b) => Number(b.balance - a.balance) || compareText(a.name, b.name));
}

export function byDeadline(model: Model): Escrow[] {
  return [...model.escrows.values()].sort((a, b) => a.deadline - b.deadline || Number(a.id - b.id));
}

export function byProxy(model: Model): Account[] {
  return [...model.accounts.values()].sort((a, b) => compareText(a.proxy, b.proxy) || compareText(a.name, b.name));
}

export function byAuthor(model: Model): DocumentRow[] {
  return [...model.documents].sort((a, b) => compareText(a.author, b.author) || a.id - b.id);
}

function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
