import { assert, present } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';
import type { ProvedBlock } from '../blocks/block.ts';
import { sha256Binary } from '../crypto/hashes.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { blockIdAt } from '../state/block_ids.ts';
import { storedBlock } from '../state/stored_blocks.ts';
import { dynamicGlobalProperties, type DynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { tables } from '../state/tables/index.ts';
import type { KeyValueStore } from '../storage/key_value.ts';
import type { SealedBlock } from '../storage/seal.ts';
import { Layers } from '../storage/undo.ts';
import { View } from '../storage/view.ts';
import type { BlockId } from '../values/hash.ts';
import { applyBlock, type Trust } from './apply_block.ts';
import { BufferedStore } from './buffered_store.ts';
import { writeGenesis } from './genesis.ts';
import { DISK_FORMAT, encodeHead, HEAD_COLUMN, headKey, readHead, undoKey, type HeadRecord } from './head_record.ts';
import { HistorySequences } from './history_sequences.ts';
import { WorkingState } from './working_state.ts';

/** How the chain uses memory and disk; nothing here changes what blocks mean. */
export interface LedgerOptions {
  readonly store: KeyValueStore;
  readonly parameters: ChainParameters;
  /** Decoded rows kept in memory, about 1 KiB each. */
  readonly cachedRows: number;
  /** Wait for the disk at every block, so that a block survives a power failure and not only the end of the process. */
  readonly durable: boolean;
  /** Hears what whoever runs the node should know. */
  readonly remark: (sentence: string) => void;
}

const VIEWED_ROWS = 1000; // the few rows of the head that are read while the next block is open

/** The blocks that are applied, one state behind each: the rows, the disk, and what is needed to go one block forward or back. */
export class Ledger {
  readonly parameters: ChainParameters;
  readonly state: WorkingState;
  /** The rows of the head, even while the next block is open. */
  readonly committed: View;
  readonly #store: BufferedStore;
  readonly #durable: boolean;
  #record: HeadRecord;
  /** While branches are tried, every block can be taken back, however final it is on one of them. */
  #isTrying = false;

  /** Opens the chain that lies in the store, or begins it there. Fault `configuration` when it is another chain's. */
  constructor({ store, parameters, cachedRows, durable, remark }: LedgerOptions) {
    const found = readHead(store);
    if (found !== undefined && found.chain_id !== parameters.chainId) {
      throw new Fault('configuration', `the data is of chain ${found.chain_id}, the genesis of chain ${parameters.chainId}`);
    }
    this.parameters = parameters;
    this.#durable = durable;
    this.#store = new BufferedStore(store);
    this.committed = new View(this.#store, VIEWED_ROWS);
    const stateHash = found === undefined ? {} : { stateHash: found.state_hash };
    const rows = new Layers({ committed: this.#store, register: tables, sha256: sha256Binary, cachedRows, ...stateHash });
    const sequences = new HistorySequences(this.committed, parameters.rules.first_history_sequence);
    this.state = new WorkingState(rows, parameters, sequences, remark);
    this.#record = found ?? {
      format: DISK_FORMAT,
      chain_id: parameters.chainId,
      state_hash: rows.stateHash(),
      head_block_number: 0,
      oldest_undo: 1,
    };
    if (found === undefined) this.#begin();
  }

  /** The head, as its row says. */
  get head(): DynamicGlobalProperties {
    return this.committed.only(dynamicGlobalProperties);
  }

  /** The state hash of the head, 64 hex digits: equal wherever the same blocks were applied. */
  get stateHash(): string {
    return this.#record.state_hash;
  }

  /** The first block that can be taken back. */
  get oldestUndo(): number {
    return this.#record.oldest_undo;
  }

  /** Applies a block on the head and writes it; a block that is refused changes nothing. */
  apply(block: ProvedBlock, trust: Trust): void {
    this.state.rows.beginBlock();
    this.#attempt(() => applyBlock(this.state, block, trust));
    this.commit();
  }

  /**
   * Applies blocks that can't be taken back, and writes them as one: much cheaper than one by one. When one is refused
   * none has been applied.
   */
  applyFinal(some: readonly ProvedBlock[], trust: Trust): void {
    this.state.rows.beginBlock();
    this.#attempt(() => some.forEach((block) => applyBlock(this.state, block, trust)));
    const sealed = this.state.rows.seal({ undo: false });
    const { head_block_number } = this.state.rows.only(dynamicGlobalProperties);
    this.#forgetUndo(sealed, this.#record.head_block_number);
    this.#record = { ...this.#record, oldest_undo: head_block_number + 1 };
    this.#write(sealed, head_block_number);
  }

  /** Writes the open block, which is complete. */
  commit(): void {
    const sealed = this.state.rows.seal();
    const { head_block_number, last_irreversible_block_num } = this.state.rows.only(dynamicGlobalProperties);
    sealed.batch.put(HEAD_COLUMN, undoKey(head_block_number), sealed.undo);
    this.#forgetUndo(sealed, last_irreversible_block_num);
    this.#write(sealed, head_block_number);
  }

  /** Takes the head block back. */
  undo(): void {
    const { head_block_number } = this.#record;
    assert(head_block_number >= this.#record.oldest_undo, `block ${head_block_number} can be taken back`);
    const key = undoKey(head_block_number);
    const sealed = this.state.rows.undoBlock(present(this.#store.get(HEAD_COLUMN, key), 'an undo record'));
    sealed.batch.delete(HEAD_COLUMN, key);
    this.#write(sealed, head_block_number - 1);
    this.state.sequences.discard();
  }

  /** Everything that `run` applies and undoes reaches the disk and the readers at once. */
  inOneWrite<T>(run: () => T): T {
    this.#store.hold();
    this.#isTrying = true;
    const result = run();
    this.#isTrying = false;
    this.#store.release(this.#durable);
    return result;
  }

  /** The id of one of the last 65 536 blocks. */
  idOf(number: number): BlockId {
    return blockIdAt(this.committed, number);
  }

  storedBlock(number: number): NonNullable<ReturnType<typeof storedBlock>> {
    return present(storedBlock(this.committed, number), `block ${number}`);
  }

  #begin(): void {
    this.state.rows.beginBlock();
    writeGenesis(this.state);
    this.#write(this.state.rows.seal(), 0);
  }

  #attempt(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.state.rows.discardBlock();
      this.state.sequences.discard();
      throw error;
    }
  }

  /** Blocks up to this one can't be taken back any more. */
  #forgetUndo({ batch }: SealedBlock, final: number): void {
    if (this.#isTrying) return;
    let { oldest_undo } = this.#record;
    for (; oldest_undo <= final; oldest_undo++) batch.delete(HEAD_COLUMN, undoKey(oldest_undo));
    this.#record = { ...this.#record, oldest_undo };
  }

  #write({ batch, stateHash }: SealedBlock, head_block_number: number): void {
    this.#record = { ...this.#record, state_hash: stateHash, head_block_number };
    batch.put(HEAD_COLUMN, headKey(), encodeHead(this.#record));
    this.#store.write(batch, this.#durable);
    this.state.rows.markCommitted();
    this.state.sequences.commit();
  }
}
