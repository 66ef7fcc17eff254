import { refusals } from '../../base/refusal.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { BlockId } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { SigningRound } from '../apply/branch_point.ts';
import { keyStanding, type NamedKeys, type OwnKeys } from '../apply/named_keys.ts';
import type { Forerunner } from '../apply/validate_header.ts';

const refuse = refusals({
  too_many_forks:
    'this node keeps {bytes} bytes of competing blocks, as many as it can; send the block again when some are final',
  too_many_unproven:
    'this node keeps {bytes} bytes of blocks whose signers only their branches know, as many as it can; send the block again when some are final',
});

/** A block that is not on the main branch. The block itself is on disk. */
export interface SideBlock extends Forerunner {
  readonly id: BlockId;
  readonly previous: BlockId;
  readonly witness: AccountName;
  readonly bytes: number;
  /** Its signer; undefined for a block that was applied. */
  readonly signer: PublicKey | undefined;
  /** The signing keys that its operations give; for a block that was applied, those that it did change. */
  readonly own: OwnKeys;
  /** The block was on the main branch before. */
  readonly wasApplied: boolean;
  /** The peer that brought it; empty where none did, and after a restart. */
  readonly source: string;
  /** One block too many to be tried at once: it counts only when others have built on it. */
  readonly isDoubted: boolean;
  children: readonly SideBlock[];
  // Knowledge by the rows as of the branch point, which may move.
  round: SigningRound;
  isInRound: boolean;
  /** The signing keys that the branch gives up to this block. */
  named: NamedKeys | undefined;
  /**
   * Its signer is its witness, as of the branch point. Otherwise the branch gives it the key, which nobody has applied.
   */
  isProven: boolean;
  /** Its signer is proven, or the signer of the operation that gives the key probably has the authority. */
  isLikely: boolean;
}

/** Knowledge about a block by the rows as of its branch point. */
export type BranchKnowledge = Pick<SideBlock, 'round' | 'isInRound' | 'named' | 'isProven' | 'isLikely'>;

/**
 * An honest witness signs one block per slot, two when it was restarted in between, and an old rule allows up to four
 * forms of a signature. When more arrive, the one with the fewest descendants is removed, so that the right one can
 * always be sent again.
 */
const MOST_OF_SLOT = 4;
/** Branches with more descendants than this count as equally long: counting must not cost more than the block. */
const MOST_COUNTED = 2000;
/** The overhead of a block in memory and in records besides its bytes, rounded up. */
const BLOCK_OVERHEAD_BYTES = 4096;
/**
 * 4 000 full blocks of the usual size, or 260 000 empty ones: more than nine days with a quarter of all slots missed.
 */
const MOST_BYTES = 1024 * 1024 * 1024;
/**
 * Neither one witness nor seven can fill it alone. A witness that has used up its share loses blocks at the tips of its
 * branches.
 */
const MOST_BYTES_OF_WITNESS = MOST_BYTES / 8;

/** The limit of blocks without a known signer: a quarter of all, which is 1 000 full blocks. */
const MOST_UNPROVEN_BYTES = MOST_BYTES / 4;
/**
 * Of that, what one peer brings. Four peers that lie fill it; then a fifth takes the place of the one that has brought
 * most.
 */
const MOST_UNPROVEN_BYTES_OF_PEER = MOST_UNPROVEN_BYTES / 4;

const NONE: readonly SideBlock[] = [];

/** The blocks of one witness, or the unproven ones of one peer. */
interface Holding {
  bytes: number;
  /** Blocks without descendants, in the order in which they became tips. */
  readonly tips: Set<SideBlock>;
}

interface WitnessHolding extends Holding {
  readonly bySlot: Map<number, readonly SideBlock[]>;
}

/**
 * The blocks that are neither final nor on the main branch, as trees rooted in it (chain_rules.md#branches). Every
 * operation costs the same however long the branches are.
 */
export class ForkTree {
  readonly #blocks = new Map<BlockId, SideBlock>();
  /** The blocks whose parent is on the main branch, by the parent's number. */
  readonly #roots = new Map<number, readonly SideBlock[]>();
  /** Proven blocks by witness. */
  readonly #holdings = new Map<AccountName, WitnessHolding>();
  /** Unproven blocks by the peer that brought them, and by slot. Their headers' witnesses don't matter. */
  readonly #unproven = new Map<string, Holding>();
  readonly #unprovenBySlot = new Map<number, readonly SideBlock[]>();
  #unprovenBytes = 0;
  #bytes = 0;
  /** Below this block of the main branch there are no roots left. */
  #oldestRoot = 0;

  get(id: BlockId): SideBlock | undefined {
    return this.#blocks.get(id);
  }

  /** Adds a block for which there is room. */
  add(block: SideBlock): void {
    const parent = this.#blocks.get(block.previous);
    if (parent === undefined) this.#addRoot(block);
    else this.#setChildren(parent, [...parent.children, block]);
    this.#hold(block);
  }

  /**
   * Removes what has to make room for another block and adds it to `gone`, also when the block is refused because what
   * could go was not enough.
   */
  makeRoom(block: SideBlock, gone: SideBlock[]): void {
    if (block.isProven) this.#makeRoomForProven(block, gone);
    else this.#makeRoomForUnproven(block, gone);
  }

  /** Makes room for a certified block, which is never refused: blocks of others go, but for those that it follows. */
  makeRoomForCertified({ bytes, previous }: SideBlock, gone: SideBlock[]): void {
    while (this.#bytes + bytes + BLOCK_OVERHEAD_BYTES > MOST_BYTES) {
      const tip = this.#largestUnproven(previous) ?? this.#largestProven(previous);
      if (tip === undefined) return;
      gone.push(...this.#evict(tip));
    }
  }

  #makeRoomForProven({ witness, aslot, bytes, previous }: SideBlock, gone: SideBlock[]): void {
    const holding = this.#holdings.get(witness);
    const ofSlot = holding?.bySlot.get(aslot) ?? NONE;
    const more = bytes + BLOCK_OVERHEAD_BYTES;
    if (ofSlot.length >= MOST_OF_SLOT) gone.push(...this.#evict(shortest(ofSlot)));
    else if (holding !== undefined && holding.bytes + more > MOST_BYTES_OF_WITNESS)
      gone.push(...this.#evict(findTip(holding, previous)));
    while (this.#bytes + more > MOST_BYTES) {
      const unproven = this.#largestUnproven(previous);
      if (unproven === undefined) refuse.too_many_forks({ bytes: this.#bytes });
      gone.push(...this.#evict(unproven));
    }
  }

  /** Never in place of a proven block: of the unproven ones only those go on which nothing proven is built. */
  #makeRoomForUnproven({ aslot, bytes, previous, source }: SideBlock, gone: SideBlock[]): void {
    const more = bytes + BLOCK_OVERHEAD_BYTES;
    const ofSlot = (this.#unprovenBySlot.get(aslot) ?? NONE).filter((block) => !hasDescendants(block));
    if (ofSlot.length >= MOST_OF_SLOT) gone.push(...this.#evict(shortest(ofSlot)));
    while ((this.#unproven.get(source)?.bytes ?? 0) + more > MOST_UNPROVEN_BYTES_OF_PEER)
      gone.push(...this.#evict(findTip(this.#unproven.get(source), previous) ?? this.#refuseUnproven()));
    while (this.#unprovenBytes + more > MOST_UNPROVEN_BYTES)
      gone.push(...this.#evict(this.#largestUnproven(previous) ?? this.#refuseUnproven()));
    if (this.#bytes + more > MOST_BYTES) refuse.too_many_forks({ bytes: this.#bytes });
  }

  #refuseUnproven(): never {
    return refuse.too_many_unproven({ bytes: this.#unprovenBytes });
  }

  #evict(block: SideBlock | undefined): SideBlock[] {
    return block === undefined ? [] : this.remove(block);
  }

  /** The tip of the peer with the most unproven bytes. */
  #largestUnproven(previous: BlockId): SideBlock | undefined {
    return tipOfLargest(this.#unproven.values(), previous);
  }

  /** The tip of the witness that has most. */
  #largestProven(previous: BlockId): SideBlock | undefined {
    return tipOfLargest(this.#holdings.values(), previous);
  }

  /** Removes a block and all its descendants; returns what was removed. */
  remove(block: SideBlock): SideBlock[] {
    const gone = withDescendants(block);
    this.#detach(block);
    for (const each of gone) this.#letGo(each);
    return gone;
  }

  /** Removes everything that branches off a block of the main branch; returns what was removed. */
  removeFollowers(number: number): SideBlock[] {
    return (this.#roots.get(number) ?? NONE).flatMap((root) => this.remove(root));
  }

  /** Removes everything that branches off below this block; returns what was removed. */
  prune(final: number): SideBlock[] {
    const gone =
      this.#roots.size === 0 ? [] : this.#outdatedRoots(final).flatMap((number) => this.removeFollowers(number));
    this.#oldestRoot = Math.max(this.#oldestRoot, final);
    return gone;
  }

  /** The blocks of that number on which nothing is built. */
  tipsAt(number: number): SideBlock[] {
    return [...this.#tips()].filter((tip) => tip.number === number);
  }

  /** The same of all higher numbers. */
  tipsAbove(number: number): SideBlock[] {
    return [...this.#tips()].filter((tip) => tip.number > number);
  }

  /** Returns whether a branch is signed by that witness with that key, as far as its rounds are known. */
  hasSigner(witness: AccountName, key: PublicKey): boolean {
    for (const { round, named } of this.#tips()) {
      const scheduled = round.signers.find((signer) => signer.witness === witness);
      if (scheduled !== undefined && keyStanding(named, { witness, key }, () => scheduled.key) !== 'foreign')
        return true;
    }
    return false;
  }

  *#tips(): Generator<SideBlock> {
    for (const { tips } of this.#holdings.values()) yield* tips;
    for (const { tips } of this.#unproven.values()) yield* tips;
  }

  /** The blocks from the first one off the main branch up to this one. */
  findBranch(block: SideBlock): SideBlock[] {
    const branch: SideBlock[] = [];
    for (let at: SideBlock | undefined = block; at !== undefined; at = this.#blocks.get(at.previous)) branch.push(at);
    return branch.reverse();
  }

  /**
   * The blocks of `right`, a whole branch, are now on the main branch, and those of `left` no longer are; both oldest
   * first.
   */
  exchange(left: readonly SideBlock[], right: readonly SideBlock[]): void {
    for (const block of right.toReversed()) {
      this.#detach(block);
      this.#letGo(block);
    }
    const followers = new Map(left.map(({ number }) => [number, this.#roots.get(number) ?? NONE]));
    for (const { number } of left) this.#roots.delete(number);
    for (const { number, children } of right) if (children.length > 0) this.#roots.set(number, children);
    for (const block of left) {
      this.add(block);
      this.#setChildren(block, followers.get(block.number) ?? NONE);
    }
  }

  /** More is known of a block. */
  learn(block: SideBlock, knowledge: BranchKnowledge): void {
    this.#letGo(block);
    Object.assign(block, knowledge);
    this.#hold(block);
  }

  #addRoot(block: SideBlock): void {
    this.#roots.set(block.number - 1, [...(this.#roots.get(block.number - 1) ?? NONE), block]);
  }

  #detach(block: SideBlock): void {
    const parent = this.#blocks.get(block.previous);
    if (parent !== undefined) return this.#setChildren(parent, without(parent.children, block));
    const rest = without(this.#roots.get(block.number - 1) ?? NONE, block);
    if (rest.length === 0) this.#roots.delete(block.number - 1);
    else this.#roots.set(block.number - 1, rest);
  }

  #setChildren(block: SideBlock, children: readonly SideBlock[]): void {
    block.children = children;
    const tips = this.#holdingOf(block)?.tips;
    if (children.length > 0) tips?.delete(block);
    else tips?.add(block);
  }

  #holdingOf({ isProven, witness, source }: SideBlock): Holding | undefined {
    return isProven ? this.#holdings.get(witness) : this.#unproven.get(source);
  }

  #hold(block: SideBlock): void {
    const { bytes, isProven } = block;
    const more = bytes + BLOCK_OVERHEAD_BYTES;
    const holding = isProven ? this.#holdProven(block) : this.#holdUnproven(block);
    holding.bytes += more;
    this.#bytes += more;
    if (!isProven) this.#unprovenBytes += more;
    if (block.children.length === 0) holding.tips.add(block);
    this.#blocks.set(block.id, block);
  }

  #holdProven(block: SideBlock): Holding {
    const { witness, aslot } = block;
    const holding = this.#holdings.get(witness) ?? {
      bytes: 0,
      tips: new Set(),
      bySlot: new Map<number, readonly SideBlock[]>(),
    };
    this.#holdings.set(witness, holding);
    holding.bySlot.set(aslot, [...(holding.bySlot.get(aslot) ?? NONE), block]);
    return holding;
  }

  #holdUnproven(block: SideBlock): Holding {
    const { source, aslot } = block;
    const holding = this.#unproven.get(source) ?? { bytes: 0, tips: new Set() };
    this.#unproven.set(source, holding);
    this.#unprovenBySlot.set(aslot, [...(this.#unprovenBySlot.get(aslot) ?? NONE), block]);
    return holding;
  }

  #letGo(block: SideBlock): void {
    const { id, bytes, isProven, witness, source, aslot } = block;
    const less = bytes + BLOCK_OVERHEAD_BYTES;
    this.#blocks.delete(id);
    this.#bytes -= less;
    if (!isProven) this.#unprovenBytes -= less;
    const holding = this.#holdingOf(block);
    if (holding === undefined) return;
    holding.bytes -= less;
    holding.tips.delete(block);
    const bySlot = isProven ? this.#holdings.get(witness)?.bySlot : this.#unprovenBySlot;
    if (bySlot !== undefined) removeBlock(bySlot, aslot, block);
    if (holding.bytes === 0) (isProven ? this.#holdings : this.#unproven).delete(isProven ? witness : source);
  }

  /** Iterates over whichever is fewer: the block numbers since the last call, or the roots. */
  #outdatedRoots(final: number): number[] {
    const first = this.#oldestRoot;
    if (final - first > this.#roots.size) return [...this.#roots.keys()].filter((number) => number < final);
    return Array.from({ length: Math.max(0, final - first) }, (_, index) => first + index);
  }
}

function removeBlock(bySlot: Map<number, readonly SideBlock[]>, aslot: number, block: SideBlock): void {
  const rest = without(bySlot.get(aslot) ?? NONE, block);
  if (rest.length > 0) bySlot.set(aslot, rest);
  else bySlot.delete(aslot);
}

function tipOfLargest(holdings: Iterable<Holding>, except: BlockId): SideBlock | undefined {
  for (const holding of [...holdings].sort((a, b) => b.bytes - a.bytes)) {
    const tip = findTip(holding, except);
    if (tip !== undefined) return tip;
  }
  return undefined;
}

/** The tip that has been one for longest, unless it is that block. */
function findTip(holding: Holding | undefined, id: BlockId): SideBlock | undefined {
  for (const tip of holding?.tips ?? []) if (tip.id !== id) return tip;
  return undefined;
}

/** Returns whether a witness that is known has signed one of its descendants. */
function hasDescendants(block: SideBlock): boolean {
  const all: SideBlock[] = [...block.children];
  for (let at = 0; at < all.length; at++) {
    const next = all[at];
    // A branch that is too long to be looked at stays.
    if (next?.isProven === true || at >= MOST_COUNTED) return true;
    all.push(...(next?.children ?? NONE));
  }
  return false;
}

function without(blocks: readonly SideBlock[], block: SideBlock): readonly SideBlock[] {
  return blocks.length === 1 && blocks[0] === block ? NONE : blocks.filter((each) => each !== block);
}

function withDescendants(block: SideBlock): SideBlock[] {
  const all = [block];
  for (let at = 0; at < all.length; at++) all.push(...(all[at]?.children ?? NONE));
  return all;
}

/** The one with the fewest descendants; among equals, the one that arrived first. */
function shortest(blocks: readonly SideBlock[]): SideBlock | undefined {
  let least: { readonly block: SideBlock; readonly size: number } | undefined;
  for (const block of blocks) {
    const size = subtreeSize(block, least?.size ?? MOST_COUNTED);
    if (least === undefined || size < least.size) least = { block, size };
  }
  return least?.block;
}

function subtreeSize(block: SideBlock, most: number): number {
  const all = [block];
  for (let at = 0; at < all.length && all.length < most; at++) all.push(...(all[at]?.children ?? NONE));
  return all.length;
}
