import { concernedAccounts, type HistoryEntry } from '../queries/history_entry.ts';
import type { OperationKind } from '../operations/operation.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Stream } from './stream.ts';

/**
 * Finds the streams that an operation or a changed account belongs to: what nobody follows costs a look at its accounts
 * and its kind.
 */
export class StreamIndex {
  readonly #byAccount = new Map<AccountName, Set<Stream>>();
  readonly #balances = new Map<AccountName, Stream>();
  readonly #byKind = new Map<OperationKind, Set<Stream>>();
  readonly #ofAll = new Set<Stream>();
  readonly #ofBlocks = new Set<Stream>();
  readonly #ofWholeBlocks = new Set<Stream>();
  readonly #streams = new Set<Stream>();

  get streams(): ReadonlySet<Stream> {
    return this.#streams;
  }

  /** The streams of blocks. */
  get ofBlocks(): ReadonlySet<Stream> {
    return this.#ofBlocks;
  }

  /** The streams of all operations that are told of blocks, too. */
  get ofWholeBlocks(): ReadonlySet<Stream> {
    return this.#ofWholeBlocks;
  }

  /** True when any stream depends on the accounts that a block has changed. */
  get needsBalances(): boolean {
    return this.#balances.size > 0;
  }

  /** True when any stream depends on the operations of a block. */
  get needsOperations(): boolean {
    return this.#streams.size > this.#ofBlocks.size + this.#balances.size;
  }

  add(stream: Stream): void {
    this.#streams.add(stream);
    if (stream.subject.kind === 'balances') this.#balances.set(stream.subject.account, stream);
    for (const [map, key] of this.#keysOf(stream)) getEntry(map, key).add(stream);
    this.#wholeSetOf(stream)?.add(stream);
    if (isOfWholeBlocks(stream)) this.#ofWholeBlocks.add(stream);
  }

  delete(stream: Stream): void {
    this.#streams.delete(stream);
    if (stream.subject.kind === 'balances') this.#balances.delete(stream.subject.account);
    for (const [map, key] of this.#keysOf(stream)) {
      const entry = map.get(key);
      entry?.delete(stream);
      if (entry?.size === 0) map.delete(key);
    }
    this.#wholeSetOf(stream)?.delete(stream);
    this.#ofWholeBlocks.delete(stream);
  }

  /** The streams of the balances of these accounts; of all balances when undefined. */
  findBalances(accounts: readonly AccountName[] | undefined): Iterable<Stream> {
    if (accounts === undefined) return this.#balances.values();
    return accounts.flatMap((account) => this.#balances.get(account) ?? []);
  }

  /** The streams of operations that this operation belongs to. */
  findStreams(entry: Pick<HistoryEntry, 'op' | 'fee_payer'>): Set<Stream> {
    const found = new Set(this.#ofAll);
    const { kind } = entry.op;
    for (const stream of this.#byKind.get(kind) ?? []) found.add(stream);
    if (this.#byAccount.size === 0) return found;
    for (const account of concernedAccounts(entry)) {
      for (const stream of this.#byAccount.get(account) ?? []) if (takes(stream, kind)) found.add(stream);
    }
    return found;
  }

  *#keysOf({ subject }: Stream): Generator<[Map<unknown, Set<Stream>>, unknown]> {
    if (subject.kind !== 'operations') return;
    for (const account of subject.accounts ?? []) yield [this.#byAccount, account];
    if (subject.accounts === undefined) for (const kind of subject.kinds ?? []) yield [this.#byKind, kind];
  }

  #wholeSetOf({ subject }: Stream): Set<Stream> | undefined {
    if (subject.kind === 'blocks') return this.#ofBlocks;
    return subject.kind === 'operations' && subject.accounts === undefined && subject.kinds === undefined
      ? this.#ofAll
      : undefined;
  }
}

function isOfWholeBlocks({ subject }: Stream): boolean {
  return subject.kind === 'operations' && subject.withBlocks;
}

function takes({ subject }: Stream, kind: OperationKind): boolean {
  return subject.kind !== 'operations' || subject.kinds === undefined || subject.kinds.has(kind);
}

function getEntry<K>(map: Map<K, Set<Stream>>, key: K): Set<Stream> {
  const entry = map.get(key) ?? new Set<Stream>();
  map.set(key, entry);
  return entry;
}
