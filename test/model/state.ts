import type { Parameters } from './parameters.ts';
import type {
  Account,
  Application,
  Bandwidth,
  Buying,
  Document,
  Economy,
  Escrow,
  Feed,
  Globals,
  Hardforks,
  HistoryEntry,
  OwnerHistory,
  Payment,
  Place,
  RecoveryChange,
  RecoveryRequest,
  Schedule,
  VirtualOperation,
  Witness,
  WitnessVote,
} from './records.ts';
import { known } from './refusal.ts';
import type { Rules } from './rules.ts';
import type { Fiat } from './values.ts';

/** Kinds of objects that have ids of their own; ids are never used twice. */
export type Counted =
  | 'account'
  | 'witness'
  | 'vote'
  | 'ownerHistory'
  | 'request'
  | 'recoveryChange'
  | 'escrow'
  | 'application'
  | 'buying'
  | 'document';

/** Single rows. */
interface Singles {
  globals: Globals;
  economy: Economy;
  schedule: Schedule;
  hardforks: Hardforks;
  /** The place of the operation that is being applied. */
  place: Place;
}

/** A key of two parts; no name holds a blank. */
export const pairKey = (first: string, second: string | number): string => `${first} ${second}`;

/**
 * The whole state: plain maps of rows that are replaced, never changed, so that a copy of the maps is a copy of the
 * state. Whatever fails is done on a copy.
 */
export class State {
  readonly parameters: Parameters;
  readonly single: Singles;
  readonly accounts = new Map<string, Account>();
  readonly ownerHistories = new Map<number, OwnerHistory>();
  readonly requests = new Map<string, RecoveryRequest>();
  readonly recoveryChanges = new Map<string, RecoveryChange>();
  /** The sponsor of each sponsored account. */
  readonly sponsors = new Map<string, string>();
  readonly bandwidths = new Map<string, Bandwidth>();
  readonly witnesses = new Map<string, Witness>();
  readonly votes = new Map<string, WitnessVote>();
  readonly feeds = new Map<Fiat, Feed>();
  readonly escrows = new Map<string, Escrow>();
  readonly applications = new Map<string, Application>();
  readonly buyings = new Map<string, Buying>();
  readonly documents: Document[] = [];
  /** When each transaction of the duplicate-detection list expires. */
  readonly transactions = new Map<string, number>();
  readonly blockIds = new Map<number, string>();
  readonly historicSupply = new Map<number, bigint>();
  readonly keyIndex = new Set<string>();
  readonly history: HistoryEntry[] = [];
  readonly sequences = new Map<string, number>();
  /** Of the block that is being applied. */
  readonly virtualOperations: VirtualOperation[] = [];
  /** Operations of the block that another account than their own paid for. */
  readonly payments: Payment[] = [];
  readonly #counters = new Map<Counted, number>();

  constructor(parameters: Parameters, single: Singles) {
    this.parameters = parameters;
    this.single = single;
  }

  copy(): State {
    const copied = new State(this.parameters, { ...this.single });
    fill(copied.accounts, this.accounts);
    fill(copied.ownerHistories, this.ownerHistories);
    fill(copied.requests, this.requests);
    fill(copied.recoveryChanges, this.recoveryChanges);
    fill(copied.sponsors, this.sponsors);
    fill(copied.bandwidths, this.bandwidths);
    fill(copied.witnesses, this.witnesses);
    fill(copied.votes, this.votes);
    fill(copied.feeds, this.feeds);
    fill(copied.escrows, this.escrows);
    fill(copied.applications, this.applications);
    fill(copied.buyings, this.buyings);
    for (const document of this.documents) copied.documents.push(document);
    fill(copied.transactions, this.transactions);
    fill(copied.blockIds, this.blockIds);
    fill(copied.historicSupply, this.historicSupply);
    for (const key of this.keyIndex) copied.keyIndex.add(key);
    for (const entry of this.history) copied.history.push(entry);
    fill(copied.sequences, this.sequences);
    for (const entry of this.virtualOperations) copied.virtualOperations.push(entry);
    for (const entry of this.payments) copied.payments.push(entry);
    fill(copied.#counters, this.#counters);
    return copied;
  }

  get rules(): Rules {
    return this.parameters.rules;
  }

  get globals(): Globals {
    return this.single.globals;
  }

  get economy(): Economy {
    return this.single.economy;
  }

  get schedule(): Schedule {
    return this.single.schedule;
  }

  get headTime(): number {
    return this.globals.time;
  }

  /** The witnesses that the running round has slots for. */
  get round(): readonly string[] {
    return this.schedule.witnesses.slice(0, this.schedule.scheduled);
  }

  hasHardfork(id: number): boolean {
    return this.single.hardforks.processed.length > id;
  }

  nextId(kind: Counted): number {
    const id = this.#counters.get(kind) ?? 0;
    this.#counters.set(kind, id + 1);
    return id;
  }

  account(name: string): Account {
    return known(this.accounts.get(name));
  }

  changeAccount(name: string, changes: Partial<Account>): void {
    this.accounts.set(name, { ...this.account(name), ...changes });
  }

  changeWitness(owner: string, changes: Partial<Witness>): void {
    this.witnesses.set(owner, { ...known(this.witnesses.get(owner)), ...changes });
  }

  changeGlobals(changes: Partial<Globals>): void {
    this.single.globals = { ...this.globals, ...changes };
  }

  changeEconomy(changes: Partial<Economy>): void {
    this.single.economy = { ...this.economy, ...changes };
  }

  changeSchedule(changes: Partial<Schedule>): void {
    this.single.schedule = { ...this.schedule, ...changes };
  }
}

function fill<K, V>(target: Map<K, V>, source: ReadonlyMap<K, V>): void {
  for (const [key, value] of source) target.set(key, value);
}
