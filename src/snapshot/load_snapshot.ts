import { Fault } from '../base/fault.ts';
import { adoptState } from '../chain/adopt_state.ts';
import type { HeadRecord } from '../state/head_record.ts';
import { invariantViolations } from '../chain/invariants.ts';
import { sha256Binary } from '../crypto/hashes.ts';
import { authorityKeys } from '../state/authorities.ts';
import { requireFittingPlan } from '../state/hardfork_plan.ts';
import { requireKnownHardforks } from '../state/hardforks.ts';
import { InboxesOfMessages } from '../state/inboxes.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { accountAuthorities, type AccountAuthority } from '../state/tables/account_authority.ts';
import { customContents } from '../state/tables/custom_content.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { hardforkProperty } from '../state/tables/hardfork_property.ts';
import { inboxes } from '../state/tables/inbox.ts';
import { keyLookups } from '../state/tables/key_lookup.ts';
import { encodeIndexKey } from '../storage/index_key.ts';
import { WriteBatch, type KeyValueStore } from '../storage/key_value.ts';
import { decodeRow, encodeKey, encodeRow } from '../storage/row_bytes.ts';
import { SortedRun } from '../storage/sorted_run.ts';
import { StateHash } from '../storage/state_hash.ts';
import type { SomeTable } from '../storage/table.ts';
import { View } from '../storage/view.ts';
import { BlockProblems } from '../data_folder/verify/block_problems.ts';
import type { FinalityBeginning } from '../chain/ledger/finality_records.ts';
import { ChunkPacking } from './chunk_packing.ts';
import { namedTable } from './read_snapshot.ts';
import { FINALITY, readFinality } from './finality_chunk.ts';
import { snapshotTables } from './snapshot_rows.ts';
import type { SnapshotChunk, SnapshotHeader } from './snapshot_schema.ts';
import { replacing } from '../codec/struct.ts';
import { witnesses, witnessRow } from '../state/tables/witness.ts';
import { walkEntries } from '../storage/entries.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';

const withKey = replacing(witnessRow, ['signing_key']);

/**
 * Has each witness of a state sign with this key, but for those that have stopped: whoever forks a chain has none of
 * their keys.
 */
function giveWitnessesKey(store: KeyValueStore, signing_key: PublicKey, hash: StateHash): void {
  const batch = new WriteBatch();
  for (const { key, value } of walkEntries(store, witnesses)) {
    const witness = decodeRow(witnesses, value);
    if (witness.signing_key === NULL_KEY) continue;
    const after = encodeRow(witnesses, witness.owner, withKey(witness, { signing_key }));
    hash.subtract(sha256Binary(Buffer.concat([key, value])));
    hash.add(sha256Binary(Buffer.concat([after.key, after.value])));
    batch.put(witnesses.column, after.key, after.value);
  }
  store.write(batch, false);
}

const CACHED_ROWS = 1000;
const LOADED_BY_NEWER =
  'a newer release has made the snapshot; install a release of Pharos that knows the hardfork, and load the snapshot with that';

type SomeIndex = SomeTable['indexes'][number];

/** Puts the rows of a snapshot into an empty store, with everything that follows from them. */
export class SnapshotLoading {
  readonly #store: KeyValueStore;
  readonly #parameters: ChainParameters;
  readonly #tables: ReadonlyMap<string, SomeTable>;
  readonly #hash = new StateHash();
  readonly #packing = new ChunkPacking();
  #table: SomeTable | undefined;
  #finality: FinalityBeginning | undefined;
  /** The first chunk that is none of this program's. */
  #misfit: Fault | undefined;
  #last: Uint8Array = new Uint8Array(0);
  readonly #inboxes = new InboxesOfMessages();
  /** Of the table whose rows are being added. */
  readonly #indexEntries = new Map<SomeIndex, SortedRun>();
  readonly #lookups: SortedRun;

  constructor(store: KeyValueStore, parameters: ChainParameters) {
    this.#store = store;
    this.#parameters = parameters;
    this.#lookups = new SortedRun(store, keyLookups.column);
    this.#tables = new Map(snapshotTables(parameters).map((table) => [table.name, table]));
  }

  /**
   * Fault `outdated` when the chain has applied a hardfork that this program doesn't know. Its release may have other
   * tables and rows, so that a row that isn't one of its table is told at the end.
   */
  add(chunk: SnapshotChunk): void {
    const isOfHardforks = chunk.seal.table === hardforkProperty.name;
    if (this.#misfit !== undefined && !isOfHardforks) return;
    try {
      this.#add(chunk);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'damaged_data') throw error;
      this.#misfit ??= error;
      return;
    }
    if (isOfHardforks)
      requireKnownHardforks(new View(this.#store, CACHED_ROWS), this.#parameters.hardforks, LOADED_BY_NEWER);
  }

  #add(chunk: SnapshotChunk): void {
    const { table: name } = chunk.seal;
    if (name === FINALITY) return void (this.#finality = readFinality(chunk));
    const table = this.#tables.get(name);
    if (table === undefined)
      throw new Fault('damaged_data', `the snapshot has rows of ${namedTable(name)}, which no snapshot has`);
    if (table !== this.#table) this.#endTable();
    this.#table = table;
    const batch = new WriteBatch();
    for (const value of this.#packing.unpack(table, chunk)) this.#addRow(batch, table, value);
    this.#store.write(batch, false);
  }

  /** Makes a chain of what was added, when everything fits. Fault `damaged_data` when it doesn't. */
  finish({ chain_id, block_number, block_id, state_hash, oldest_block: oldest }: SnapshotHeader): HeadRecord {
    if (this.#misfit !== undefined) throw this.#misfit;
    this.#endTable();
    this.#lookups.flush();
    this.#writeInboxes();
    const stateHash = this.#hash.toHex();
    if (stateHash !== state_hash) throw misfit(`its rows have state hash ${stateHash}, its header says ${state_hash}`);
    const { fork, initialSigningKey } = this.#parameters;
    if (fork?.chain_id === chain_id) giveWitnessesKey(this.#store, initialSigningKey, this.#hash);
    const head = adoptState(this.#store, this.#parameters, {
      stateHash: this.#hash.toHex(),
      oldest,
      finality: this.#finality,
    });
    const view = new View(this.#store, CACHED_ROWS);
    requireKnownHardforks(view, this.#parameters.hardforks, LOADED_BY_NEWER);
    requireFittingPlan(view, this.#parameters.hardforkBlocks);
    const { head_block_number, head_block_id } = view.only(dynamicGlobalProperties);
    if (head_block_number !== block_number || head_block_id !== block_id)
      throw misfit(`its state is that of block ${head_block_number}, its header says ${block_number}`);
    const problems = [
      ...new BlockProblems(this.#store, this.#parameters).find(head_block_number, () => undefined),
      ...invariantViolations(view, this.#parameters),
    ];
    if (problems.length > 0) throw misfit(problems.join('\n  '));
    return head;
  }

  #addRow(batch: WriteBatch, table: SomeTable, value: Uint8Array): void {
    const row = this.#read(table, value);
    const key = encodeKey(table, table.keyOf(row));
    // Over tables too, so that none comes twice.
    if (Buffer.compare(this.#last, key) >= 0) throw misfit(`the rows of ${table.name} are not in order`);
    this.#last = key;
    batch.put(table.column, key, value);
    if (table.hashed) this.#hash.add(sha256Binary(Buffer.concat([key, value])));
    for (const index of table.indexes) {
      const tuple = index.of(row);
      // After the table's number, the key on disk consists of the key's parts.
      if (tuple !== undefined)
        this.#indexRun(index).put(encodeIndexKey(index, tuple, table, table.keyOf(row)), key.subarray(1));
    }
  }

  #indexRun(index: SomeIndex): SortedRun {
    let entries = this.#indexEntries.get(index);
    if (entries === undefined) this.#indexEntries.set(index, (entries = new SortedRun(this.#store, 'order')));
    return entries;
  }

  #endTable(): void {
    for (const entries of this.#indexEntries.values()) entries.flush();
    this.#indexEntries.clear();
  }

  /** The row; what follows from it is noted. */
  #read(table: SomeTable, value: Uint8Array): unknown {
    const is = (other: SomeTable): boolean => table === other;
    if (is(accountAuthorities)) {
      const authorities = decodeRow(accountAuthorities, value);
      this.#addLookups(authorities);
      return authorities;
    }
    if (!is(customContents)) return decodeRow(table, value);
    const content = decodeRow(customContents, value);
    this.#inboxes.add(content);
    return content;
  }

  #addLookups(authorities: AccountAuthority): void {
    const { rules } = this.#parameters;
    if (!rules.complete_key_index) return;
    for (const key of authorityKeys(authorities, rules)) {
      const lookup = { key, account: authorities.account };
      const bytes = encodeRow(keyLookups, lookup, lookup);
      this.#lookups.put(bytes.key, bytes.value);
    }
  }

  #writeInboxes(): void {
    const run = new SortedRun(this.#store, inboxes.column);
    for (const inbox of this.#inboxes.all) {
      const { key, value } = encodeRow(inboxes, inbox, inbox);
      run.put(key, value);
    }
    run.flush();
  }
}

function misfit(why: string): Fault {
  return new Fault('damaged_data', `the snapshot does not fit together: ${why}`);
}
