import type { Operation } from '../../client/index.ts';
import type { Chosen } from './router.ts';
import { operationSentence } from './sentences.ts';

/** The choices of a reader of a history; '' for any. */
export interface HistoryFilter {
  readonly kind: string;
  /** Another account that the operation names. */
  readonly partner: string;
  /** Bounds of an amount of the operation. */
  readonly least: string;
  readonly most: string;
  /** Days in UTC, the first and the last of the entries. */
  readonly from: string;
  readonly until: string;
}

/** An entry of a history, as far as filters are concerned. */
export interface FilteredEntry {
  readonly timestamp: string;
  readonly op: Operation;
}

export const NO_FILTER: HistoryFilter = { kind: '', partner: '', least: '', most: '', from: '', until: '' };

/** Reads the filter of an address; a value that none can have counts as none. */
export function readFilter(chosen: Chosen, kinds: readonly string[]): HistoryFilter {
  const value = (name: keyof HistoryFilter): string => chosen[name] ?? '';
  const amount = (name: 'least' | 'most'): string => (/^\d+(\.\d+)?$/.test(value(name)) ? value(name) : '');
  const day = (name: 'from' | 'until'): string => (/^\d{4}-\d{2}-\d{2}$/.test(value(name)) ? value(name) : '');
  return {
    kind: kinds.includes(value('kind')) ? value('kind') : '',
    partner: value('partner').trim().replace(/^@/, ''),
    least: amount('least'),
    most: amount('most'),
    from: day('from'),
    until: day('until'),
  };
}

export function isFiltered(filter: HistoryFilter): boolean {
  return Object.values(filter).some((value) => value !== '');
}

/** True if the entry is one of those chosen. The days are left to the walk, which knows their ends. */
export function matchesFilter({ kind, partner, least, most }: HistoryFilter, { op }: FilteredEntry): boolean {
  if (kind !== '' && op[0] !== kind) return false;
  if (partner === '' && least === '' && most === '') return true;
  const pieces = operationSentence(op).filter((piece) => typeof piece === 'object');
  const names = pieces.flatMap((piece) => ('account' in piece ? [piece.account] : []));
  const amounts = pieces.flatMap((piece) => ('amount' in piece ? [Number.parseFloat(piece.amount)] : []));
  const isPartner = partner === '' || names.includes(partner);
  if (least === '' && most === '') return isPartner;
  const [from, to] = [Number(least), most === '' ? Infinity : Number(most)];
  return isPartner && amounts.some((amount) => amount >= from && amount <= to);
}

export function isAfter({ until }: HistoryFilter, { timestamp }: Pick<FilteredEntry, 'timestamp'>): boolean {
  return until !== '' && timestamp.slice(0, until.length) > until;
}

export function isBefore({ from }: HistoryFilter, { timestamp }: Pick<FilteredEntry, 'timestamp'>): boolean {
  return from !== '' && timestamp.slice(0, from.length) < from;
}
