import { present } from '../base/assert.ts';
import { readHeader, readTrustedBlock, type VerifiedBlock } from '../blocks/block.ts';
import { WriteBatch } from '../storage/key_value.ts';
import type { AccountName } from '../values/account_name.ts';
import { blockNumberOf, ZERO_HASH160, type BlockId } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { requireBlockSize } from './apply_block.ts';
import { isGiven, keysGiven, type GivenKey } from './branch_keys.ts';
import { isSameRound, type SigningRound } from './branch_point.ts';
import type { KnownPoint } from './branch_points.ts';
import { ForkTree, type SideBlock } from './fork_tree.ts';
import { HEAD_COLUMN, sideBlockKey, sideBlockRange, sideBodyKey } from '../state/head_record.ts';
import type { Ledger } from './ledger.ts';
import { decodeSideBody, decodeSideRecord, encodeSideBody, encodeSideRecord } from './side_block.ts';
import { canonicalRule, requireSigners } from '../blocks/signature_form.ts';
import { validateBranchHeader, type Forerunner } from './validate_header.ts';

/** The block that another one of a branch follows. */
export type Followed = Forerunner & { readonly given: GivenKey | undefined };

const RECORDS_PER_STEP = 1000; // how many are read at once when a chain is opened

/** What is known of a block before its transactions' signers are recovered. */
export type JudgedHeader = Pick<VerifiedBlock, 'id' | 'number' | 'header' | 'signer'>;

/**
 * The branches other than the main one: what is needed to judge the next block is in memory, the blocks are on disk. A block gets here only
 * when the witness of its slot has signed it, as far as that can be known without applying the branch.
 */
export class Branches {
  readonly #ledger: Ledger;
  readonly #tree = new ForkTree();

  /** Restores the branches that are on disk. */
  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    this.#restore();
  }

  get(id: BlockId): SideBlock | undefined {
    return this.#tree.get(id);
  }

  /** What blocks that follow this one are judged by; undefined when nothing may follow it. */
  followed(id: BlockId): Followed | undefined {
    const side = this.#tree.get(id);
    if (side !== undefined) return side;
    const point = this.#ledger.pointOf(id);
    return point === undefined ? undefined : followedOf(point);
  }

  /** Refuses a header that can't be valid after that block, as far as is known there; returns the number of its slot. */
  judge(block: JudgedHeader, before: Followed): number {
    const { parameters, state } = this.#ledger;
    const mayBeKey = (witness: AccountName, key: PublicKey): boolean => this.#mayBeKeyOf(block, before, witness, key);
    return validateBranchHeader(before, parameters, canonicalRule(state.rows, parameters), block, mayBeKey);
  }

  /**
   * Keeps a block of another branch; refused when its header can't be valid there, or when anything else shows that it can't be applied.
   */
  add(block: VerifiedBlock, before: Followed, isDoubted: boolean): SideBlock {
    const { parameters, committed, state } = this.#ledger;
    const mayBeKey = (witness: AccountName, key: PublicKey): boolean => this.#mayBeKeyOf(block, before, witness, key);
    const aslot = this.judge(block, before);
    const rule = canonicalRule(state.rows, parameters);
    requireBlockSize(before.isInRound ? before.round.maximum_block_size : parameters.maxBlockBytes, block);
    for (const transaction of block.transactions) requireSigners(rule, transaction);
    const isScheduled = (witness: AccountName): boolean => before.round.signers.some((signer) => signer.witness === witness);
    const given = keysGiven(block, before.given, { head: committed, isScheduled, isSigningKey: mayBeKey });
    const { witness, previous, timestamp: time } = block.header;
    const { id, number } = block;
    const side: SideBlock = {
      id,
      number,
      previous,
      time,
      aslot,
      witness,
      bytes: block.packed.length,
      round: before.round,
      isInRound: before.isInRound && !this.#endsRound(number),
      given,
      wasApplied: false,
      isStranger: !isScheduled(witness),
      isDoubted,
      children: [],
    };
    const blockToEvict = this.#tree.blockToEvict(side);
    if (blockToEvict !== undefined) this.remove(blockToEvict);
    this.#tree.add(side);
    this.#write(side, before, encodeSideBody(block));
    return side;
  }

  /** Keeps the head of the main branch, which is about to be undone; it joins the tree only by `exchange`. */
  keepHead(): SideBlock {
    const { head } = this.#ledger;
    const { id, packed } = this.#ledger.storedBlock(head.head_block_number);
    const { witness, previous, timestamp: time } = readHeader(packed);
    const { round, current_aslot } = this.#ledger.pointAt(head.head_block_number);
    const side: SideBlock = {
      id,
      number: head.head_block_number,
      previous,
      time,
      aslot: Number(current_aslot),
      witness,
      bytes: packed.length,
      round,
      isInRound: true,
      given: givenByHead(this.#ledger),
      wasApplied: true,
      isStranger: false,
      isDoubted: false,
      children: [],
    };
    this.#write(side, followedOf(this.#ledger.pointAt(side.number - 1)), encodeSideBody({ packed, signer: undefined, transactions: [] }));
    return side;
  }

  /** The block itself; the signers of one that was applied before are not needed. */
  blockOf({ id, wasApplied }: Pick<SideBlock, 'id' | 'wasApplied'>): VerifiedBlock {
    const block = decodeSideBody(present(this.#ledger.disk.get(HEAD_COLUMN, sideBodyKey(id)), 'a block of a branch'), id);
    return wasApplied ? readTrustedBlock(block.packed, id) : block;
  }

  /** The blocks of that number with which branches end. */
  tipsAt(number: number): SideBlock[] {
    return this.#tree.tipsAt(number);
  }

  /** Whether that witness signs with that key on a branch that is kept, the main one included, as far as is known. */
  hasSigner(witness: AccountName, key: PublicKey): boolean {
    const { head, final } = this.#ledger;
    const rounds = [head.head_block_number, final].map((number) => this.#ledger.pointAt(number).round);
    const isOf = ({ signers }: SigningRound): boolean => signers.some((signer) => signer.witness === witness && signer.key === key);
    return rounds.some(isOf) || this.#tree.hasSigner(witness, key);
  }

  branchTo(side: SideBlock): SideBlock[] {
    return this.#tree.branchTo(side);
  }

  /** Drops a block and all its descendants. */
  remove(side: SideBlock): void {
    this.#erase(this.#tree.remove(side));
  }

  /** Drops the blocks of other branches that follow this block of the main branch. */
  removeFollowers(number: number): void {
    this.#erase(this.#tree.removeFollowers(number));
  }

  /** The blocks of `right`, a whole branch, are now on the main branch, and those of `left` no longer are. */
  exchange(left: readonly SideBlock[], right: readonly SideBlock[]): void {
    this.#tree.exchange(left, right);
    this.#erase(right);
  }

  /** Kept blocks remain on the main branch after all. */
  unkeep(kept: readonly SideBlock[]): void {
    this.#erase(kept);
  }

  /** Drops all branches that leave the main one before the last final block. */
  prune(): void {
    this.#erase(this.#tree.prune(this.#ledger.final));
  }

  #mayBeKeyOf({ number, header }: JudgedHeader, { round, given }: Followed, witness: AccountName, key: PublicKey): boolean {
    if (isGiven(given, witness, key, false)) return true;
    const scheduled = round.signers.find((signer) => signer.witness === witness);
    return scheduled === undefined ? this.#mayBeKeyOfStranger(header.previous, number - 1, witness, key) : key === scheduled.key;
  }

  /**
   * The key of a witness of a later round is the one at the branch point, or one assigned by blocks of the branch that were applied before.
   */
  #mayBeKeyOfStranger(previous: BlockId, number: number, witness: AccountName, key: PublicKey): boolean {
    let leaves = number;
    for (let at = this.#tree.get(previous); at !== undefined; at = this.#tree.get(at.previous), leaves--) {
      if (at.wasApplied && isGiven(at.given, witness, key, false)) return true;
    }
    return key === this.#ledger.signingKeyBehind(leaves, witness);
  }

  #endsRound(number: number): boolean {
    return number % this.#ledger.parameters.genesis.max_witnesses === 0;
  }

  #write(side: SideBlock, before: Followed, body: Uint8Array): void {
    const { id, previous, time, witness, bytes } = side;
    const goesOn = before.isInRound && !this.#endsRound(side.number) && isSameRound(before.round, side.round);
    const batch = new WriteBatch();
    const record = {
      previous,
      time,
      witness,
      bytes,
      aslot: BigInt(side.aslot),
      was_applied: side.wasApplied,
      is_stranger: side.isStranger,
      given: newlyGiven(side.given, before.given),
      round: side.wasApplied && !goesOn ? side.round : undefined,
    };
    batch.put(HEAD_COLUMN, sideBlockKey(id), encodeSideRecord(record));
    batch.put(HEAD_COLUMN, sideBodyKey(id), body);
    this.#ledger.writeAside(batch);
  }

  #erase(gone: readonly Pick<SideBlock, 'id'>[]): void {
    const batch = new WriteBatch();
    for (const { id } of gone) {
      batch.delete(HEAD_COLUMN, sideBlockKey(id));
      batch.delete(HEAD_COLUMN, sideBodyKey(id));
    }
    this.#ledger.writeAside(batch);
  }

  /** In the order of their numbers, so that each block finds its parent. */
  #restore(): void {
    const lost: Pick<SideBlock, 'id'>[] = [];
    for (let from = ZERO_HASH160; ;) {
      const some = this.#ledger.disk.range(HEAD_COLUMN, { ...sideBlockRange(from), limit: RECORDS_PER_STEP });
      for (const { key, value } of some) {
        const id = Buffer.from(key.subarray(2)).toString('hex');
        if (this.#tree.get(id) === undefined && !this.#restoreOne(id, value)) lost.push({ id });
        from = id;
      }
      if (some.length < RECORDS_PER_STEP) break;
    }
    this.#erase(lost);
  }

  /** False when the block's parent is not on this chain. */
  #restoreOne(id: BlockId, bytes: Uint8Array): boolean {
    const { previous, time, witness, bytes: size, aslot, was_applied, is_stranger, given, round } = decodeSideRecord(bytes);
    const before = this.followed(previous);
    if (before === undefined || this.#ledger.pointOf(id) !== undefined) return false;
    const number = blockNumberOf(id);
    this.#tree.add({
      id,
      number,
      previous,
      time,
      aslot: Number(aslot),
      witness,
      bytes: size,
      round: round ?? before.round,
      isInRound: round !== undefined || (before.isInRound && !this.#endsRound(number)),
      given: given.reduce<GivenKey | undefined>((known, key) => ({ ...key, before: known }), before.given),
      wasApplied: was_applied,
      isStranger: is_stranger,
      isDoubted: false,
      children: [],
    });
    return true;
  }
}

function givenByHead(ledger: Ledger): GivenKey | undefined {
  return ledger
    .keysGivenByHead()
    .reduce<GivenKey | undefined>((before, [account, key]) => ({ account, key, acts: false, before }), undefined);
}

function followedOf({ id, time, current_aslot, round }: KnownPoint): Followed {
  return { number: blockNumberOf(id), time, aslot: Number(current_aslot), round, isInRound: true, given: undefined };
}

/** The keys that a block has assigned, oldest first. */
function newlyGiven(given: GivenKey | undefined, before: GivenKey | undefined): Omit<GivenKey, 'before'>[] {
  const keys: Omit<GivenKey, 'before'>[] = [];
  for (let at = given; at !== undefined && at !== before; at = at.before) keys.push({ account: at.account, key: at.key, acts: at.acts });
  return keys.reverse();
}
