import { present } from '../../base/assert.ts';
import { readHeader, readTrustedBlock, type VerifiedBlock } from '../../blocks/block.ts';
import { WriteBatch } from '../../storage/key_value.ts';
import type { AccountName } from '../../values/account_name.ts';
import { getBlockNumber, ZERO_HASH160, type BlockId } from '../../values/hash.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';
import { requireBlockSize } from '../apply/apply_block.ts';
import { isSameRound, type SigningRound } from '../apply/branch_point.ts';
import type { KnownPoint } from '../ledger/branch_points.ts';
import { ForkTree, type BranchKnowledge, type SideBlock } from './fork_tree.ts';
import { HEAD_COLUMN, sideBlockKey, sideBlockRange, sideBodyKey } from '../../state/head_record.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { keysNamed, keyStanding, withNamedKeys, type KeyStanding, type NamedKeys } from '../apply/named_keys.ts';
import { decodeSideBody, decodeSideRecord, encodeSideBody, encodeSideRecord } from './side_block.ts';
import { requireSigners } from '../../blocks/signature_form.ts';
import { branchRule, validateBranchHeader, type Forerunner, type JudgedOnBranch } from '../apply/validate_header.ts';

/** The block that another one of a branch follows. */
export type Followed = Forerunner & { readonly named: NamedKeys | undefined };

/** The place of a block in its branch. */
type Place = Pick<SideBlock, 'previous' | 'number'>;

const RECORDS_PER_STEP = 1000; // how many are read at once when a chain is opened

/** A block whose transactions' signers are not recovered yet. */
export type JudgedHeader = Pick<VerifiedBlock, 'id' | 'number' | 'header' | 'signer'>;

/** The circumstances under which a branch takes a block. */
export interface Arrival {
  /** The peer that brought it; empty where none did. */
  readonly source: string;
  /** One block too many to be tried at once. */
  readonly isDoubted: boolean;
  /** A quorum of voters has applied it: limits make room for it, whatever goes. */
  readonly isCertified: boolean;
}

/**
 * The branches other than the main one: what is needed to judge the next block is in memory, the blocks are on disk. A
 * block gets here only when its signer was its witness at the branch point, or when an operation of the branch gives
 * its witness the key: such a block is unproven, because who may give keys is known only when the branch is applied.
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

  /** Facts by which blocks that follow this one are judged; undefined when nothing may follow it. */
  followed(id: BlockId): Followed | undefined {
    const side = this.#tree.get(id);
    if (side !== undefined) return side;
    const point = this.#ledger.pointOf(id);
    return point === undefined ? undefined : makeFollowed(point);
  }

  /** Refuses a header that can't be valid after that block, by the rows as of the branch point. */
  judge(block: JudgedHeader, before: Followed): JudgedOnBranch {
    const standing = (witness: AccountName, key: PublicKey): KeyStanding =>
      this.#standingOf({ previous: block.header.previous, number: block.number }, before, witness, key);
    return validateBranchHeader(before, this.#ledger.parameters, block, standing);
  }

  /** Keeps a block of another branch; refused when it can't be valid there, by the rows as of the branch point. */
  add(block: VerifiedBlock, before: Followed, { source, isDoubted, isCertified }: Arrival): SideBlock {
    const { parameters, committed } = this.#ledger;
    const { aslot, standing } = this.judge(block, before);
    const isInRound = before.isInRound && !this.#endsRound(block.number);
    const { witness, previous, timestamp: time } = block.header;
    // The block size of later rounds is not known.
    if (before.isInRound) requireBlockSize(before.round.maximum_block_size, block);
    const rule = branchRule(parameters, before, time);
    for (const transaction of block.transactions) requireSigners(rule, transaction);
    const own = keysNamed(block, committed);
    const { id, number } = block;
    const side: SideBlock = {
      id,
      number,
      previous,
      time,
      aslot,
      witness,
      bytes: block.packed.length,
      signer: block.signer,
      own,
      wasApplied: false,
      source,
      isDoubted,
      children: [],
      round: before.round,
      isInRound,
      named: withNamedKeys(before.named, own),
      ...proofState(standing),
    };
    this.#makeRoom(side, isCertified);
    this.#tree.add(side);
    this.#write(side, before, encodeSideBody(block));
    return side;
  }

  /** Keeps the head of the main branch, which is about to be undone; it joins the tree only by `exchange`. */
  keepHead(): SideBlock {
    const { head } = this.#ledger;
    const { id, packed } = this.#ledger.storedBlock(head.head_block_number);
    const { witness, previous, timestamp: time } = readHeader(packed);
    const { round, current_aslot } = this.#ledger.getPoint(head.head_block_number);
    const side: SideBlock = {
      id,
      number: head.head_block_number,
      previous,
      time,
      aslot: Number(current_aslot),
      witness,
      bytes: packed.length,
      signer: undefined,
      own: {
        keys: this.#ledger
          .keysChangedByHead()
          .map(({ witness: owner, key }) => ({ witness: owner, key, isLikely: true })),
        isOverfull: false,
      },
      wasApplied: true,
      source: '',
      isDoubted: false,
      children: [],
      round,
      isInRound: true,
      named: undefined,
      ...proofState('known'),
    };
    const body = encodeSideBody({ packed, signer: undefined, transactions: [] });
    this.#write(side, makeFollowed(this.#ledger.getPoint(side.number - 1)), body);
    return side;
  }

  /** The block itself; the signers of one that was applied before are not needed. */
  verifiedBlock({ id, wasApplied }: Pick<SideBlock, 'id' | 'wasApplied'>): VerifiedBlock {
    const block = decodeSideBody(
      present(this.#ledger.disk.get(HEAD_COLUMN, sideBodyKey(id)), 'a block of a branch'),
      id,
    );
    return wasApplied ? readTrustedBlock(block.packed, id) : block;
  }

  /** The blocks of that number with which branches end. */
  tipsAt(number: number): SideBlock[] {
    return this.#tree.tipsAt(number);
  }

  /**
   * Returns whether that witness signs with that key on a branch that is kept, the main one included, as far as is
   * known.
   */
  hasSigner(witness: AccountName, key: PublicKey): boolean {
    const { head, settled } = this.#ledger;
    const rounds = [head.head_block_number, settled].map((number) => this.#ledger.getPoint(number).round);
    const isSigner = ({ signers }: SigningRound): boolean =>
      signers.some((signer) => signer.witness === witness && signer.key === key);
    return rounds.some(isSigner) || this.#tree.hasSigner(witness, key);
  }

  /** The blocks of higher numbers with which branches end. */
  higherTips(number: number): SideBlock[] {
    return this.#tree.tipsAbove(number);
  }

  branchTo(side: SideBlock): SideBlock[] {
    return this.#tree.findBranch(side);
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
    this.#judgeAgain(right);
  }

  /** Kept blocks remain on the main branch after all. */
  unkeep(kept: readonly SideBlock[]): void {
    this.#erase(kept);
  }

  /** Drops all branches that leave the main one before the last block that none can replace. */
  prune(): void {
    this.#erase(this.#tree.prune(this.#ledger.settled));
  }

  #standingOf(
    { previous, number }: Place,
    { round, named }: Followed,
    witness: AccountName,
    key: PublicKey,
  ): KeyStanding {
    const scheduled = round.signers.find((signer) => signer.witness === witness);
    const known = (): PublicKey | undefined => scheduled?.key ?? this.#keyAtBranchPoint(previous, number - 1, witness);
    return keyStanding(named, { witness, key }, known);
  }

  /** The key of a witness as of the last block of the branch that was applied. */
  #keyAtBranchPoint(previous: BlockId, number: number, witness: AccountName): PublicKey | undefined {
    let leaves = number;
    for (let at = this.#tree.get(previous); at !== undefined; at = this.#tree.get(at.previous), leaves--) {
      const changed = at.wasApplied ? at.own.keys.find((one) => one.witness === witness) : undefined;
      if (changed !== undefined) return changed.key;
    }
    return this.#ledger.signingKeyBehind(leaves, witness);
  }

  /**
   * Blocks that had to go are gone from the disk too, even when the block is refused: after a restart they would be
   * back.
   */
  #makeRoom(side: SideBlock, isCertified: boolean): void {
    const gone: SideBlock[] = [];
    try {
      if (isCertified) this.#tree.makeRoomForCertified(side, gone);
      else this.#tree.makeRoom(side, gone);
    } finally {
      this.#erase(gone);
    }
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
      signer: side.signer ?? NULL_KEY,
      named: side.own.keys,
      is_overfull: side.own.isOverfull,
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
    const {
      previous,
      time,
      witness,
      bytes: size,
      aslot,
      was_applied,
      signer,
      named: keys,
      is_overfull,
      round,
    } = decodeSideRecord(bytes);
    const before = this.followed(previous);
    if (before === undefined || this.#ledger.pointOf(id) !== undefined) return false;
    const number = getBlockNumber(id);
    const side: SideBlock = {
      ...{ id, number, previous, time, aslot: Number(aslot), witness, bytes: size, wasApplied: was_applied },
      signer: signer === NULL_KEY ? undefined : signer,
      own: { keys, isOverfull: is_overfull },
      source: '',
      isDoubted: false,
      children: [],
      ...{ round: round ?? before.round, isInRound: true, named: undefined },
      ...proofState('known'),
    };
    if (!was_applied) {
      const knowledge = this.#branchKnowledge(side, before);
      if (knowledge === undefined) return false;
      Object.assign(side, knowledge);
    }
    this.#tree.add(side);
    return true;
  }

  /** Derives the knowledge about a block from the block before it; undefined when it can't be valid there. */
  #branchKnowledge(side: SideBlock, before: Followed): BranchKnowledge | undefined {
    const { number, previous, witness, signer, own } = side;
    if (!isInTurn(side, before)) return undefined;
    const standing = this.#standingOf({ number, previous }, before, witness, signer ?? NULL_KEY);
    if (standing === 'foreign') return undefined;
    const isInRound = before.isInRound && !this.#endsRound(number);
    return { round: before.round, isInRound, named: withNamedKeys(before.named, own), ...proofState(standing) };
  }

  /** The blocks behind these are now judged by the rows as of them, on the main branch. */
  #judgeAgain(right: readonly SideBlock[]): void {
    const next = right.flatMap((block) =>
      block.children.map((side) => ({ side, before: makeFollowed(this.#ledger.getPoint(block.number)) })),
    );
    for (let at = 0; at < next.length; at++) {
      const { side, before } = present(next[at], 'a block of a branch');
      // An applied block is known as it is.
      if (side.wasApplied) continue;
      const knowledge = this.#branchKnowledge(side, before);
      if (knowledge === undefined) {
        this.remove(side);
        continue;
      }
      this.#tree.learn(side, knowledge);
      next.push(...side.children.map((child) => ({ side: child, before: side })));
    }
  }
}

/** Returns whether the slot is the witness's, as far as the round is known. */
function isInTurn({ witness, aslot }: SideBlock, { round: { signers }, isInRound }: Followed): boolean {
  return !isInRound || signers[aslot % signers.length]?.witness === witness;
}

/** A block whose witness had the key at the branch point is proven; one whose branch gives it the key may be. */
function proofState(standing: KeyStanding): Pick<SideBlock, 'isProven' | 'isLikely'> {
  return { isProven: standing === 'known', isLikely: standing !== 'named' };
}

function makeFollowed({ id, time, current_aslot, round }: KnownPoint): Followed {
  return { number: getBlockNumber(id), time, aslot: Number(current_aslot), round, isInRound: true, named: undefined };
}
