import { present } from '../base/assert.ts';
import { MEBIBYTE } from '../base/bytes.ts';
import { Fault } from '../base/fault.ts';
import { catchRefusal, refusals } from '../base/refusal.ts';
import { readOwnBlock, type PackedBlock, type VerifiedBlock } from '../blocks/block.ts';
import type { Certificate } from '../blocks/finality/certificate.ts';
import { idOf, type VerifiedTransaction } from '../blocks/transaction.ts';
import type { TransactionCheck } from '../blocks/transaction_check.ts';
import { oldestBlock } from '../state/stored_blocks.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import { witnessSchedule } from '../state/tables/witness_schedule.ts';
import { witnesses } from '../state/tables/witness.ts';
import type { CommittedRows, RowReader } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import type { BlockId, Signature, TransactionId } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';
import type { Trust } from './apply/apply_block.ts';
import { NO_CHANGE, type ChainChange } from './forks/chain_change.ts';
import type { SigningRound } from './apply/branch_point.ts';
import { Branches, type JudgedHeader } from './forks/branches.ts';
import { VotedChain } from './finality/voted_chain.ts';
import { Ledger } from './ledger/ledger.ts';
import { Pending, type Acceptance } from './pending/pending.ts';
import { BranchTries } from './forks/branch_tries.ts';
import {
  adoptLowest,
  adoptWaiting,
  finalise,
  followCertified,
  judgeHeader,
  pushBlock,
  prune,
  requireCheckpoint,
  type ChainParts,
  type HeaderStanding,
} from './forks/push_block.ts';
import { RefusedBlocks } from './forks/refused_blocks.ts';
import { adoptSigned, prepareBlock, type PreparedBlock, type SealRequest } from './pending/seal_block.ts';
import { ROW_CACHE_MIB, type ChainHead, type ChainOptions, type ProductionSlot } from './chain_options.ts';
import { confirmedPrefix } from './confirmed_prefix.ts';
import { participationRate, scheduledNames, scheduledWitness, slotAtTime, slotTime } from './apply/slots.ts';

const refuse = refusals({
  nothing_to_undo: {
    text: 'block {number} cannot be taken back: blocks up to {final} are irreversible',
    lineage: 'there are no blocks to pop',
    lineageCode: 4_070_001,
  },
});

type SignedHeader = Pick<VerifiedBlock, 'header' | 'signer'>;

const HELD_BYTES = 256 * 1024 * 1024;
const EPOCHS_KEPT = 1700;

/**
 * The chain of one node: applied blocks, pending transactions, and the choice of the longest branch. Everything is
 * synchronous, without a clock or waiting; the caller supplies the time.
 */
export class Chain {
  /** The chain as votes see it, where they make blocks final. */
  readonly voted: VotedChain;
  readonly #parts: ChainParts;
  readonly #changed: (change: ChainChange) => void;
  /** While blocks are replaced, those that were produced: they are told of together. */
  #made: VerifiedBlock[] | undefined;

  /** Opens the chain that is in the store, or initialises it there. */
  constructor(options: ChainOptions) {
    const {
      store,
      parameters,
      durable = true,
      heldBytes = HELD_BYTES,
      rowCacheMib = ROW_CACHE_MIB,
      blocksKept,
      undoBlocks = 0,
      epochsKept = EPOCHS_KEPT,
    } = options;
    const {
      journal,
      checkpoints = new Map(),
      changed = () => {},
      remark = () => {},
      report = rethrow,
      dropped = () => {},
    } = options;
    const limits = { cachedBytes: rowCacheMib * MEBIBYTE, blocksKept, undoBlocks, epochsKept };
    const ledger = new Ledger({ store, parameters, durable, heldBytes, ...limits, remark, journal });
    const [branches, refused] = [new Branches(ledger), new RefusedBlocks()];
    const tries = new BranchTries(options.elapsedMs ?? ((): number => ledger.head.time * 1000));
    // A branch that waited when the process ended, or was cut short by its end, waits again.
    if (branches.higherTips(ledger.head.head_block_number).length > 0) tries.lookAgain();
    const pending = new Pending(ledger.state, { dropped, report });
    this.#parts = { ledger, branches, refused, tries, pending, checkpoints, certified: { id: undefined } };
    this.voted = new VotedChain(ledger, branches);
    this.#changed = changed;
  }

  get head(): ChainHead {
    const { ledger } = this.#parts;
    const { head_block_number: number, head_block_id: id, time } = ledger.head;
    return { number, id, time, lastIrreversible: ledger.final, stateHash: ledger.stateHash };
  }

  /** The rows as of the head. */
  get committed(): CommittedRows {
    return this.#parts.ledger.committed;
  }

  /** The rows with pending transactions applied. */
  get pendingRows(): RowReader {
    return this.#parts.ledger.state.rows;
  }

  /** The transactions of the next block, in order. */
  get pendingTransactions(): readonly VerifiedTransaction[] {
    return this.#parts.pending.transactions;
  }

  /** The number of transactions that wait for a place in a block. */
  get waitingTransactions(): number {
    return this.#parts.pending.waitingCount;
  }

  /** Decoded rows in memory, including absent ones that were looked up. */
  get rowsInMemory(): number {
    return this.#parts.ledger.state.rows.rowsInMemory;
  }

  /** The estimated bytes of decoded rows that outlast a block. */
  get rowBytesInMemory(): number {
    return this.#parts.ledger.state.rows.cachedBytes;
  }

  /** Reads in one call what accepting these transactions looks up first: whether they are duplicates. */
  prefetch(transactions: readonly VerifiedTransaction[]): void {
    this.#parts.ledger.state.rows.prefetch(transactionLocations, transactions.map(idOf));
  }

  /**
   * Puts a client's transaction into the next block, or queues it when that is full. Refused when it expires before any
   * block can have it, unless it `mayWaitInVain`.
   */
  accept(transaction: VerifiedTransaction, mayWaitInVain = false, earliestBlock: Seconds = 0): Acceptance {
    return this.#parts.pending.accept(transaction, mayWaitInVain, earliestBlock);
  }

  /** Returns whether an accepted transaction still waits for its block. */
  isPending(id: TransactionId): boolean {
    return this.#parts.pending.find(id) !== undefined;
  }

  /** Returns a copy of the bytes of an accepted transaction that still waits for its block. */
  copyPending(id: TransactionId): Uint8Array | undefined {
    const found = this.#parts.pending.find(id);
    // Another thread would get the whole batch with a part of it.
    return found && new Uint8Array(found.packed);
  }

  /** Returns whether a transaction waits for its block, or a block of the main branch has it. */
  isKnown(id: TransactionId): boolean {
    return this.isPending(id) || this.committed.get(transactionLocations, id) !== undefined;
  }

  /** Finds the verdict of `accept` and the effects of a transaction. Nothing of it is kept. */
  check(transaction: VerifiedTransaction, earliestBlock: Seconds = 0): TransactionCheck {
    return this.#parts.pending.check(transaction, earliestBlock);
  }

  /**
   * Takes a block from any source; a refused block changes nothing. `source` is the peer that brought it, empty for
   * none.
   */
  push(block: VerifiedBlock, source = ''): ChainChange {
    return this.#tellingDrops(() => {
      const change = pushBlock(this.#parts, block, source);
      if (change !== NO_CHANGE) this.#tell(change);
      return change;
    });
  }

  /**
   * Follows the branch with a certified block, however short it is, and no branch without it until another block is
   * named, or none. A block that is not here is followed when it comes. Refused when the branch can't be applied.
   */
  followCertified(id: BlockId | undefined): ChainChange {
    return this.#tellingDrops(() => {
      const change = followCertified(this.#parts, id);
      if (change !== NO_CHANGE) this.#tell(change);
      return change;
    });
  }

  /**
   * Makes a block of the main branch and all before it final by its certificate of commits, which is on disk before
   * anybody is told. Nothing changes where they are final already. The caller has verified the certificate; there is
   * none where people have named the block as final.
   */
  finalise(id: BlockId, certificate?: Certificate): void {
    const change = finalise(this.#parts, id, certificate);
    if (change !== NO_CHANGE) this.#tell(change);
  }

  /** The last block that no branch can replace here: it is final, or this node has no undo record of it. */
  get settled(): number {
    return this.#parts.ledger.settled;
  }

  /** True if a branch that would win waits for its try. */
  get isBranchWaiting(): boolean {
    return this.#parts.tries.isWaiting;
  }

  /** Tries a branch that had to wait, if its time has come. */
  tryWaitingBranch(): void {
    this.#tellingDrops(() => {
      const change = adoptWaiting(this.#parts);
      if (change !== NO_CHANGE) this.#tell(change);
    });
  }

  /** Chooses among branches that are as long as the main one: for when nobody makes blocks. */
  followLowest(): void {
    this.#tellingDrops(() => {
      const change = adoptLowest(this.#parts);
      if (change !== NO_CHANGE) this.#tell(change);
    });
  }

  /** The signers of the blocks that follow the head, one for each slot of the round. */
  get headSigners(): SigningRound['signers'] {
    const { ledger } = this.#parts;
    return ledger.getPoint(ledger.head.head_block_number).round.signers;
  }

  /**
   * Returns whether that witness signs with that key on the main branch or on another one that is kept, as far as is
   * known.
   */
  hasSigner(witness: AccountName, key: PublicKey): boolean {
    return this.#parts.branches.hasSigner(witness, key);
  }

  /** Returns whether a block is on the main branch, and the last irreversible one or a later one. */
  isOnMainBranch(id: BlockId): boolean {
    return this.#parts.ledger.pointOf(id) !== undefined;
  }

  /** Returns whether a block may be followed: it is the last irreversible one or a later one, on whichever branch. */
  canFollow(id: BlockId): boolean {
    return this.#parts.branches.followed(id) !== undefined;
  }

  /** Refuses a block by its header alone, as `push` would. */
  judge(block: JudgedHeader): HeaderStanding {
    return judgeHeader(this.#parts, block);
  }

  /** Produces the next block from the pending transactions. */
  seal({ sign, ...slot }: SealRequest): VerifiedBlock {
    const prepared = this.prepare(slot);
    return this.adopt(prepared, sign(prepared.digest, prepared.header));
  }

  /** The next block without its signature. The chain may be used, and move on, until it is adopted. */
  prepare(slot: Omit<SealRequest, 'sign'>): PreparedBlock {
    const { ledger, pending } = this.#parts;
    return this.#tellingDrops(() => prepareBlock(ledger, pending, slot));
  }

  /** Makes a prepared block the head; refused when the head has moved meanwhile. */
  adopt(prepared: PreparedBlock, signature: Signature): VerifiedBlock {
    const { ledger, pending } = this.#parts;
    return this.#tellingDrops(() => {
      const { block, rest } = adoptSigned(ledger, pending, prepared, signature);
      prune(this.#parts);
      const refill = (): void => pending.refill(rest);
      if (this.#made === undefined) {
        this.#tell({ undone: [], applied: [block] }, refill);
      } else {
        this.#made.push(block);
        refill();
      }
      return block;
    });
  }

  /**
   * Applies blocks that are known to be final, many in one write: they can't be undone. When one is refused, none is
   * applied. Those before a block that this program is too old for are applied.
   */
  replay(blocks: readonly VerifiedBlock[], trust: Trust): void {
    try {
      this.#replay(blocks, trust);
    } catch (error) {
      const isOutdated = error instanceof Fault && error.code === 'outdated';
      if (isOutdated && blocks.length > 1) for (const block of blocks) this.#replay([block], trust);
      throw error;
    }
  }

  #replay(blocks: readonly VerifiedBlock[], trust: Trust): void {
    const { ledger, pending } = this.#parts;
    this.#tellingDrops(() => {
      const before = pending.take();
      ledger.applyFinal(blocks, trust);
      prune(this.#parts);
      pending.refill(before);
      this.#tell({ undone: [], applied: blocks });
    });
  }

  /**
   * Applies blocks that follow the head and that enough witnesses have built on (`confirmedPrefix`), many in one write:
   * they can't be undone. When one is refused, none is applied.
   */
  extendFinal(blocks: readonly VerifiedBlock[]): void {
    for (const block of blocks) requireCheckpoint(this.#parts, block);
    this.replay(blocks, { signatures: false });
  }

  /**
   * True if confirmations make blocks final. Otherwise votes with certificates do, and no number of blocks behind a
   * block.
   */
  get countsConfirmations(): boolean {
    return !this.#parts.ledger.parameters.hasFinality;
  }

  /** Returns whether the operator has named another block in the place of this one. */
  contradictsCheckpoint(block: JudgedHeader): boolean {
    return catchRefusal(() => requireCheckpoint(this.#parts, block)) !== undefined;
  }

  /**
   * The number of these blocks, which follow the head, that enough scheduled witnesses have built on. They are final as
   * soon as all are applied, unless votes make blocks final.
   */
  confirmedPrefix(blocks: readonly SignedHeader[]): number {
    const { committed, parameters } = this.#parts.ledger;
    const scheduled = scheduledNames(committed.only(witnessSchedule));
    const confirming = { witnesses: new Set(scheduled).size, round: parameters.genesis.max_witnesses };
    return confirmedPrefix(blocks, { ...confirming, isByItsWitness: this.#scheduledSigners() });
  }

  /**
   * Returns whether witnesses that are scheduled by the head have signed these blocks with the keys that they have now.
   */
  areSignedByScheduled(blocks: readonly SignedHeader[]): boolean {
    return blocks.every(this.#scheduledSigners());
  }

  #scheduledSigners(): (block: SignedHeader) => boolean {
    const keys = new Map(
      scheduledNames(this.committed.only(witnessSchedule)).map((name) => [name, this.signingKeyOf(name)]),
    );
    return ({ header: { witness }, signer }) => signer !== undefined && keys.get(witness) === signer;
  }

  /**
   * Makes everything written so far survive a power failure; needed when blocks are written without waiting for the
   * disk.
   */
  sync(): void {
    this.#parts.ledger.sync();
  }

  /** Undoes the head block; its transactions are dropped. */
  undo(): void {
    const { ledger, branches, pending } = this.#parts;
    const { number, id } = this.head;
    if (number <= ledger.lowestUndo) return refuse.nothing_to_undo({ number, final: ledger.lowestUndo });
    this.#tellingDrops(() => {
      const before = pending.take();
      if (number <= ledger.final) ledger.orderBack();
      ledger.inOneWrite(() => ledger.undo());
      branches.removeFollowers(number);
      pending.refill(before);
      this.#changed({ undone: [id], applied: [] });
    });
  }

  /**
   * The earliest block that can be gone back to: the last irreversible one, or an earlier one where more undo records
   * are kept.
   */
  get lowestRevert(): number {
    return this.#parts.ledger.lowestUndo;
  }

  /**
   * Goes back to an earlier block of the main branch, an operator's order: pending transactions are dropped, and the
   * last irreversible block is the one that confirmations named there. Refused when that is too far back.
   */
  revert(number: number): void {
    this.#requireUndoable(number);
    const { ledger } = this.#parts;
    this.#tellingDrops(() => {
      const undone = ledger.inOneWrite(() => {
        ledger.orderBack();
        return this.#undoBlocks(number);
      });
      this.#parts.pending.refill([]);
      if (undone.length > 0) this.#changed({ undone, applied: [] });
    });
  }

  /**
   * The same, and `make` produces others in their place: readers and followers see one change, as of any switch of
   * branch. What `make` is refused comes behind it, with what it made until then on the main branch.
   */
  replace(number: number, make: () => void): void {
    this.#requireUndoable(number);
    this.#tellingDrops(() => this.#replace(number, make));
  }

  #replace(number: number, make: () => void): void {
    const { ledger, pending } = this.#parts;
    const made: VerifiedBlock[] = [];
    const { undone, refusal } = ledger.inOneWrite(() => {
      if (number < ledger.final) ledger.orderBack();
      const left = this.#undoBlocks(number);
      pending.refill([]);
      this.#made = made;
      return { undone: left, refusal: catchRefusal(make) };
    });
    this.#made = undefined;
    if (undone.length + made.length > 0) this.#tell({ undone, applied: made });
    if (refusal !== undefined) throw refusal;
  }

  #requireUndoable(number: number): void {
    const final = this.lowestRevert;
    if (number < final) refuse.nothing_to_undo({ number: number + 1, final });
  }

  /** The undone blocks, oldest first. */
  #undoBlocks(number: number): BlockId[] {
    const { ledger, branches, pending } = this.#parts;
    pending.dropAll();
    const undone: BlockId[] = [];
    for (let { head } = this; head.number > number; head = this.head) {
      undone.push(head.id);
      ledger.undo();
      branches.removeFollowers(head.number);
    }
    return undone.toReversed();
  }

  /** The slot at a time, with its witness; undefined before the first slot after the head. */
  findProductionSlot(time: Seconds): ProductionSlot | undefined {
    const { committed, parameters, head } = this.#parts.ledger;
    const slot = slotAtTime(parameters, head, time);
    if (slot === 0) return undefined;
    const witness = scheduledWitness(committed.only(witnessSchedule), head, slot);
    return {
      witness,
      timestamp: slotTime(parameters, head, slot),
      signingKey: committed.get(witnesses, witness)?.signing_key,
    };
  }

  /** The time of the slot that is `slot` slots after the head. */
  slotTime(slot: number): Seconds {
    return slotTime(this.#parts.ledger.parameters, this.#parts.ledger.head, slot);
  }

  /** The time of the head block; before the first block, that of the genesis. */
  get headTime(): Seconds {
    return this.#parts.ledger.head.time;
  }

  /** The signing key of a witness; undefined when there is no such witness. */
  signingKeyOf(witness: AccountName): PublicKey | undefined {
    return this.#parts.ledger.committed.get(witnesses, witness)?.signing_key;
  }

  /** The share of the last 128 slots that have a block, in hundredths of a percent. */
  get participation(): number {
    return participationRate(this.#parts.ledger.head);
  }

  /** A block of the main branch; undefined when there is none, or when it is no longer kept. */
  block(number: number): PackedBlock | undefined {
    if (number < oldestBlock(this.committed) || number > this.head.number) return undefined;
    const { packed, id } = this.#parts.ledger.storedBlock(number);
    return readOwnBlock(packed, id);
  }

  /**
   * Runs what may cost pending transactions their place, and then tells which. While blocks are replaced, that is told
   * behind all of them.
   */
  #tellingDrops<T>(run: () => T): T {
    let result: { readonly value: T } | undefined;
    const refusal = catchRefusal(() => {
      result = { value: run() };
    });
    if (this.#made === undefined) this.#parts.pending.tellDropped();
    if (refusal !== undefined) throw refusal;
    return present(result, 'a result').value;
  }

  /**
   * Tells of a change, and only then fills the next block and tidies: from a backlog, filling takes as long as all its
   * transactions.
   */
  #tell(change: ChainChange, refill: () => void = () => {}): void {
    this.#changed(change);
    refill();
    this.#parts.ledger.tidy();
  }
}

function rethrow(error: unknown): never {
  throw error;
}
