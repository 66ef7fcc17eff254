import { assert, present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import type { VerifiedBlock } from '../../blocks/block.ts';
import { sha256Binary } from '../../crypto/hashes.ts';
import type { GivenSigningKey } from '../../operations/operation.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { requireFittingPlan } from '../../state/hardfork_plan.ts';
import { requireKnownHardforks } from '../../state/hardforks.ts';
import { blockRow, storedBlock } from '../../state/stored_blocks.ts';
import { dynamicGlobalProperties, type DynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { tables } from '../../state/tables/index.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { WriteBatch, type KeyValueReader, type KeyValueStore } from '../../storage/key_value.ts';
import type { RowReader } from '../../storage/rows.ts';
import type { SealedBlock } from '../../storage/seal.ts';
import { UndoSessions } from '../../storage/undo_session.ts';
import { View } from '../../storage/view.ts';
import { getBlockNumber, ZERO_HASH160, type BlockId } from '../../values/hash.ts';
import type { AccountName } from '../../values/account_name.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';
import { applyBlock, type Trust } from '../apply/apply_block.ts';
import { BranchPoints, type KnownPoint } from './branch_points.ts';
import { makeFinalityRecord, noFinality, raised, uncertified, type FinalBlock } from '../apply/finality.ts';
import { confirmedBlock } from '../apply/irreversible.ts';
import { BoundaryCertificates } from './boundary_certificates.ts';
import { FinalityRecords } from './finality_records.ts';
import { KeyChanges, type KeyChange } from './key_changes.ts';
import { BufferedStore } from './buffered_store.ts';
import { requireOwnBeginning, writeGenesis } from './genesis.ts';
import {
  DISK_FORMAT,
  encodeHead,
  HEAD_COLUMN,
  headKey,
  readHead,
  undoKey,
  type HeadRecord,
} from '../../state/head_record.ts';
import { JournaledHeads, type HeadJournal, type HeadMark } from './head_journal.ts';
import { recordTables } from './recorded_tables.ts';
import { expirationBlocks, Pruning } from '../prune/pruning.ts';
import { HistorySequences } from '../apply/history_sequences.ts';
import { WorkingState } from '../apply/working_state.ts';

/** Options for memory and disk; none of them affects the validity of blocks. */
export interface LedgerOptions {
  readonly store: KeyValueStore;
  readonly parameters: ChainParameters;
  /** The memory for decoded rows. */
  readonly cachedBytes: number;
  /** Wait for the disk at every block, so that a block survives a power failure and not only the end of the process. */
  readonly durable: boolean;
  /**
   * The bytes that a switch of branch may hold in memory before it writes. Above that, readers may see a branch that is
   * still being applied.
   */
  readonly heldBytes: number;
  /** The number of blocks to keep besides those that can be undone; all when undefined. */
  readonly blocksKept: number | undefined;
  /**
   * The number of newest blocks that can be undone on command, final or not. Branches are chosen among behind the final
   * block alone.
   */
  readonly undoBlocks: number;
  /** The number of newest epochs whose certificates are all kept. */
  readonly epochsKept: number;
  /** Called with messages for the operator of the node. */
  readonly remark: (sentence: string) => void;
  /** Called with each head of the store; undefined where nothing outside the store records it. */
  readonly journal: HeadJournal | undefined;
}

const VIEWED_ROWS = 1000; // the few rows of the head that are read while the next block is open
/**
 * When irreversibility jumps, obsolete records are deleted along with the next blocks: 1 000 deletions take some 2 ms.
 */
const MOST_FORGOTTEN = 1000;

/** The applied blocks and their state: the rows, the disk, and what is needed to apply or undo a block. */
export class Ledger {
  readonly parameters: ChainParameters;
  readonly state: WorkingState;
  /** The rows of the head, even while the next block is open. */
  readonly committed: View;
  /** The certificates of rounds that have ended; none where confirmations make blocks final. */
  readonly boundaries: BoundaryCertificates;
  readonly #store: BufferedStore;
  readonly #points: BranchPoints;
  readonly #keyChanges: KeyChanges;
  readonly #finality: FinalityRecords | undefined;
  readonly #pruning: Pruning | undefined;
  readonly #durable: boolean;
  readonly #undoBlocks: number;
  readonly #heldBytes: number;
  readonly #heads: JournaledHeads;
  #record: HeadRecord;
  /** While branches are tried, every block can be undone, even if it is final on one of them. */
  #isTrying = false;
  /** The head at which something began of which nothing is on disk yet. */
  #begun: HeadRecord | undefined;

  /**
   * Opens the chain that is in the store, or initialises it there. Fault `configuration` when it is a different chain,
   * `outdated` when it has applied a hardfork that this program doesn't know.
   */
  constructor({
    store,
    parameters,
    cachedBytes,
    durable,
    heldBytes,
    blocksKept,
    undoBlocks,
    epochsKept,
    remark,
    journal,
  }: LedgerOptions) {
    const found = readHead(store);
    if (found !== undefined && found.chain_id !== parameters.chainId) {
      throw new Fault(
        'configuration',
        `the data is of chain ${found.chain_id}, the genesis of chain ${parameters.chainId}`,
      );
    }
    this.parameters = parameters;
    this.#durable = durable;
    // A block with a certificate is never undone, not even by an operator.
    this.#undoBlocks = parameters.hasFinality ? 0 : undoBlocks;
    this.#heldBytes = heldBytes;
    this.#store = new BufferedStore(store);
    this.#heads = new JournaledHeads(journal, this.#store, () => this.#mark());
    this.#points = new BranchPoints(this.#store);
    this.#keyChanges = new KeyChanges(this.#store);
    this.#finality = parameters.hasFinality ? new FinalityRecords(this.#store, parameters) : undefined;
    this.boundaries = new BoundaryCertificates(this.#store, parameters, epochsKept);
    if (found !== undefined) this.#finality?.requireRecords(found.head_block_number);
    this.committed = new View(this.#store, VIEWED_ROWS);
    if (found !== undefined) {
      requireKnownHardforks(this.committed, parameters.hardforks);
      requireFittingPlan(this.committed, parameters.hardforkBlocks);
    }
    this.#pruning =
      blocksKept === undefined
        ? undefined
        : new Pruning(this.#store, {
            ...{ count: blocksKept, expirationBlocks: expirationBlocks(parameters) },
            forgotten: (batch, first, next) => this.#finality?.forget(batch, first, next),
          });
    const stateHash = found === undefined ? {} : { stateHash: found.state_hash };
    const rows = new UndoSessions({
      committed: this.#store,
      prepare: () => this.#store.prepare(),
      register: tables,
      sha256: sha256Binary,
      cachedBytes,
      ...stateHash,
    });
    const sequences = new HistorySequences(this.committed, parameters.rules.first_history_sequence);
    this.state = new WorkingState(rows, parameters, sequences, remark);
    this.#record = found ?? {
      format: DISK_FORMAT,
      chain_id: parameters.chainId,
      state_hash: rows.stateHash(),
      head_block_number: 0,
      oldest_undo: 1,
      oldest_kept: 1,
      ...noFinality(),
    };
    if (found === undefined) this.#begin();
  }

  /** The head, as recorded in its row. */
  get head(): DynamicGlobalProperties {
    return this.committed.only(dynamicGlobalProperties);
  }

  /** The state hash of the head, 64 hex digits: equal on all nodes that applied the same blocks. */
  get stateHash(): string {
    return this.#record.state_hash;
  }

  /** The last block that can never leave the main branch, unless an operator orders so. */
  get final(): number {
    return this.#record.irreversible_number;
  }

  /** The certificate that proves it, packed; empty where none does. */
  get finalCertificate(): Uint8Array {
    return this.#record.irreversible_certificate;
  }

  /**
   * The last block that no branch can replace here: it is final, or this node has no undo record of it, as of one that
   * was imported.
   */
  get settled(): number {
    return Math.max(this.final, this.#record.oldest_undo - 1);
  }

  /** The earliest block that can become the head again. */
  get lowestUndo(): number {
    const kept = this.#record.oldest_undo - 1;
    return this.#undoBlocks === 0 ? Math.max(this.final, kept) : kept;
  }

  /** The disk, for data that belongs to the chain but not to its state. */
  get disk(): KeyValueReader {
    return this.#store;
  }

  /**
   * The branch point of the main branch's block of that id, by which blocks that follow it are judged; undefined when
   * there is none or it is too old.
   */
  pointOf(id: BlockId): KnownPoint | undefined {
    const number = getBlockNumber(id);
    if (number < this.settled || number > this.#record.head_block_number) return undefined;
    const point = this.#points.at(number);
    return point?.id === id ? point : undefined;
  }

  /** Returns whether a block is one of those that no branch can replace, as far as they are kept. */
  isSettled({ number, id }: { readonly number: number; readonly id: BlockId }): boolean {
    return number <= this.settled && blockRow(this.committed, number)?.id === id;
  }

  /**
   * The id of a block of the main branch; undefined for one that is kept no more. The blocks after which epochs begin
   * lose their rows, and their ids stay with the voters that they name.
   */
  mainBlockId(number: number): BlockId | undefined {
    if (number === 0) return ZERO_HASH160;
    if (number > this.head.head_block_number) return undefined;
    return blockRow(this.committed, number)?.id ?? this.#finality?.begunAt(number)?.after;
  }

  /** The signing key of a witness as of that block of the main branch; undefined when there was no such witness. */
  signingKeyBehind(number: number, witness: AccountName): PublicKey | undefined {
    const key = this.#keyChanges.previousKey(number, witness) ?? this.committed.get(witnesses, witness)?.signing_key;
    return key === NULL_KEY ? undefined : key;
  }

  /** The signing keys that witnesses have since the head; the null key where there is none any more. */
  keysChangedByHead(): readonly GivenSigningKey[] {
    return this.#keyChanges
      .changedWitnesses(this.#record.head_block_number)
      .map((witness) => ({ witness, key: this.committed.get(witnesses, witness)?.signing_key ?? NULL_KEY }));
  }

  /** The same by number. */
  getPoint(number: number): KnownPoint {
    return present(this.#points.at(number), `the branch point of block ${number}`);
  }

  /** Applies a block on the head and writes it; a refused block changes nothing. */
  apply(block: VerifiedBlock, trust: Trust): void {
    this.state.rows.beginBlock();
    this.#attempt(() => applyBlock(this.state, block, trust));
    this.commit();
  }

  /**
   * Applies blocks that can't be undone, and writes them as one: much cheaper than one by one. When one is refused,
   * none has been applied.
   */
  applyFinal(some: readonly VerifiedBlock[], trust: Trust): void {
    this.state.rows.beginBlock();
    this.#attempt(() => some.forEach((block) => this.#applyOne(block, trust)));
    const sealed = this.state.rows.seal({ undo: false });
    const { head_block_number } = this.state.rows.only(dynamicGlobalProperties);
    this.#forgetAll(sealed);
    this.#points.begin(sealed.batch, this.state.rows);
    this.#finality?.appendRows(sealed.batch);
    this.#record = { ...this.#record, oldest_undo: head_block_number + 1, oldest_kept: head_block_number + 1 };
    // Under finality this node can't undo them, and tells none of them as final before a certificate is here.
    if (!this.parameters.hasFinality) this.#raiseFinal(uncertified(head_block_number));
    this.#prune(sealed, head_block_number);
    this.#write(sealed, head_block_number);
  }

  /**
   * Blocks of the main branch up to this one are final by its certificate: that is on disk when this returns. False,
   * and nothing is written, where they were final already.
   */
  finalise(block: FinalBlock): boolean {
    assert(block.number <= this.#record.head_block_number, `block ${block.number} is applied`);
    assert(!this.#store.isHolding, 'no branch is being tried');
    if (block.number <= this.final) return false;
    this.#raiseFinal(block);
    const batch = new WriteBatch();
    this.boundaries.note(batch, block.number, block.certificate);
    this.#writeRecord(this.#durable, batch);
    return true;
  }

  /** Writes the open block, which is complete. */
  commit(): void {
    const sealed = this.state.rows.seal();
    const { head_block_number } = this.state.rows.only(dynamicGlobalProperties);
    if (!this.#isTrying) this.#takeConfirmed(this.state.rows);
    sealed.batch.put(HEAD_COLUMN, undoKey(head_block_number), sealed.undo);
    this.#points.note(sealed.batch, this.state.rows);
    this.#keyChanges.note(sealed.batch, head_block_number, this.#changesOfKeys());
    this.#finality?.note(this.state.rows);
    this.#finality?.appendRows(sealed.batch);
    this.#forgetFinal(sealed, Math.min(this.final, Math.max(0, head_block_number - this.#undoBlocks)));
    this.#prune(sealed, head_block_number);
    this.#write(sealed, head_block_number);
  }

  /** Undoes the head block; returns what `redo` takes. */
  undo(): Uint8Array {
    const { head_block_number } = this.#record;
    assert(head_block_number >= this.#record.oldest_undo, `block ${head_block_number} can be taken back`);
    assert(head_block_number > this.final, `block ${head_block_number} is not final`);
    const key = undoKey(head_block_number);
    const sealed = this.state.rows.undoBlock(present(this.#store.get(HEAD_COLUMN, key), 'an undo record'));
    sealed.batch.delete(HEAD_COLUMN, key);
    this.#points.takeBack(sealed.batch, head_block_number);
    this.#keyChanges.takeBack(sealed.batch, head_block_number);
    this.#finality?.takeBack(sealed.batch, head_block_number);
    this.#write(sealed, head_block_number - 1);
    this.state.sequences.discard();
    return sealed.undo;
  }

  /**
   * An operator orders the chain back, so it is to be as it was: final is what can't be undone, and what the feed names
   * once the write is complete. Call it before the blocks are undone. Nothing else lowers what is final. What a
   * certificate proves stays final: no order can go below it.
   */
  orderBack(): void {
    if (this.parameters.hasFinality) return;
    this.#record = { ...this.#record, ...makeFinalityRecord(uncertified(this.#record.oldest_undo - 1)) };
  }

  /**
   * Everything that `run` applies and undoes becomes visible on disk and to readers at once, unless it is more than
   * memory should hold: then in parts, each of which ends with a whole block.
   */
  inOneWrite<T>(run: () => T): T {
    this.#begun = this.#record;
    this.#store.hold();
    this.#isTrying = true;
    const result = run();
    this.#isTrying = false;
    this.#begun = undefined;
    // A try that was put back has left nothing to write.
    if (!this.#store.isHolding) return result;
    this.#takeConfirmed(this.committed);
    this.#writeRecord(this.#durable);
    this.#heads.release(this.#durable);
    return result;
  }

  /** True if nothing of what `inOneWrite` has changed so far is on disk: then `putBack` can undo it whole. */
  get isUnwritten(): boolean {
    return this.#begun !== undefined;
  }

  /**
   * Ends what `inOneWrite` has begun and undone down to a block: redoes the blocks that were above it, the oldest
   * first, without applying them. Nothing is written.
   */
  putBack(undone: readonly Uint8Array[]): void {
    const begun = present(this.#begun, 'a try of which nothing is on disk');
    for (const redo of undone) {
      const sealed = this.state.rows.undoBlock(redo);
      this.#store.write(sealed.batch, false);
      this.state.rows.markCommitted();
    }
    this.state.sequences.discard();
    this.#heads.discard();
    this.#record = begun;
    this.#points.forgetMemory();
    this.#keyChanges.forgetMemory();
    this.#finality?.discard();
    assert(this.state.rows.stateHash() === begun.state_hash, 'what was put back is what was there');
  }

  /** Makes everything written so far durable. */
  sync(): void {
    this.#writeRecord(true);
    this.#heads.note(true);
  }

  /**
   * Writes data that belongs to the chain but not to its state. A power failure may lose it: such data can be requested
   * again.
   */
  writeAside(batch: WriteBatch): void {
    if (batch.changes.length > 0) this.#store.write(batch, false);
  }

  /**
   * Call when what was written has been told of: looks for what the next write can delete, and has the store do what
   * the next write would wait for.
   */
  tidy(): void {
    this.#pruning?.scan(this.#record.oldest_undo - 1);
    this.#store.tidy();
  }

  /** The records of finality about blocks of the main branch. Only chains with finality have them. */
  get finality(): FinalityRecords {
    return present(this.#finality, 'the records of a chain with finality');
  }

  storedBlock(number: number): NonNullable<ReturnType<typeof storedBlock>> {
    return present(storedBlock(this.committed, number), `block ${number}`);
  }

  #changesOfKeys(): KeyChange[] {
    return this.state.rows.tableChanges(witnesses).flatMap(({ before, after }) => {
      const [then, now] = [before?.signing_key ?? NULL_KEY, after?.signing_key ?? NULL_KEY];
      const witness = before?.owner ?? after?.owner;
      return witness === undefined || then === now ? [] : [{ witness, before: then }];
    });
  }

  #begin(): void {
    requireOwnBeginning(this.parameters);
    this.state.rows.beginBlock();
    writeGenesis(this.state);
    const sealed = this.state.rows.seal();
    this.#points.begin(sealed.batch, this.state.rows);
    this.#finality?.note(this.state.rows);
    this.#finality?.appendRows(sealed.batch);
    recordTables(sealed.batch);
    // Durable whatever the options: a folder that claims to have a chain must have one.
    this.#write(sealed, 0, true);
  }

  #attempt(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.state.rows.discardBlock();
      this.state.sequences.discard();
      this.#finality?.discard();
      throw error;
    }
  }

  #applyOne(block: VerifiedBlock, trust: Trust): void {
    applyBlock(this.state, block, trust);
    this.#finality?.note(this.state.rows);
  }

  /** Blocks up to this one can no longer be undone. */
  #forgetFinal({ batch }: SealedBlock, final: number): void {
    if (this.#isTrying) return;
    const { oldest_kept: first } = this.#record;
    const oldest_undo = Math.max(this.#record.oldest_undo, final + 1);
    const oldest_kept = Math.min(oldest_undo, first + MOST_FORGOTTEN);
    for (let number = first; number < oldest_kept; number++) batch.delete(HEAD_COLUMN, undoKey(number));
    if (oldest_kept > first) {
      this.#points.forget(batch, first - 1, oldest_kept - 1);
      this.#keyChanges.forget(batch, oldest_kept - 1);
    }
    this.#record = { ...this.#record, oldest_undo, oldest_kept };
  }

  /** Adds to the write of a block what of old blocks is no longer kept. */
  #prune({ batch }: SealedBlock, head: number): void {
    if (this.#isTrying) return;
    this.#pruning?.appendDeletions(batch, {
      head,
      final: this.#record.oldest_undo - 1,
      written: this.#record.head_block_number,
    });
  }

  /** None of the existing blocks can be undone any more. */
  #forgetAll({ batch }: SealedBlock): void {
    const { oldest_kept, head_block_number } = this.#record;
    for (let number = oldest_kept; number <= head_block_number; number++) batch.delete(HEAD_COLUMN, undoKey(number));
    this.#points.clear(batch, oldest_kept - 1, head_block_number);
    this.#keyChanges.forget(batch, head_block_number);
  }

  /** Confirmations make blocks final only on chains without certificates. */
  #takeConfirmed(rows: RowReader): void {
    if (!this.parameters.hasFinality) this.#raiseFinal(confirmedBlock(rows));
  }

  /** With the write that raises it: nobody can read the number before it is on disk. */
  #raiseFinal(block: FinalBlock): void {
    this.#record = { ...this.#record, ...raised(this.#record, block) };
  }

  #writeRecord(durable: boolean, batch = new WriteBatch()): void {
    batch.put(HEAD_COLUMN, headKey(), encodeHead(this.#record));
    this.#store.write(batch, durable);
  }

  #write({ batch, stateHash }: SealedBlock, head_block_number: number, durable = this.#durable): void {
    const isRewind = head_block_number < this.#record.head_block_number;
    this.#record = { ...this.#record, state_hash: stateHash, head_block_number };
    batch.put(HEAD_COLUMN, headKey(), encodeHead(this.#record));
    if (isRewind) this.#heads.rewind();
    this.#store.write(batch, durable);
    if (!this.#store.isHolding) this.#heads.note(durable);
    else if (this.#store.heldBytes > this.#heldBytes) this.#writeHeld();
    this.state.rows.markCommitted();
    this.state.sequences.commit();
  }

  #mark(): HeadMark {
    const { head_block_number: number, state_hash: stateHash } = this.#record;
    return { number, stateHash, id: this.state.rows.only(dynamicGlobalProperties).head_block_id };
  }

  #writeHeld(): void {
    this.#begun = undefined;
    this.#heads.release(this.#durable);
    this.#store.hold();
  }
}
