import { refusals } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { BlockId } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { isGiven, type GivenKey } from './branch_keys.ts';
import type { Forerunner } from './validate_header.ts';

const refuse = refusals({
  too_many_forks: 'this node keeps {bytes} bytes of competing blocks, as many as it can; send the block again when some are final',
});

/** A block that is not on the main branch. The block itself is on disk. */
export interface SideBlock extends Forerunner {
  readonly id: BlockId;
  readonly previous: BlockId;
  readonly witness: AccountName;
  readonly bytes: number;
  readonly given: GivenKey | undefined;
  /** The block was on the main branch before. */
  readonly wasApplied: boolean;
  /** Its witness is not in the known round. */
  readonly isStranger: boolean;
  /** One block too many to be tried at once: it counts only when others have built on it. */
  readonly isDoubted: boolean;
  children: readonly SideBlock[];
}

/**
 * An honest witness signs one block per slot, two when it was restarted in between, and an old rule allows up to four forms of a signature.
 * When more arrive, the one with the fewest descendants is removed, so that the right one can always be sent again.
 */
const MOST_OF_SLOT = 4;
/** Branches with more descendants than this count as equally long: counting must not cost more than the block. */
const MOST_COUNTED = 2000;
/** The overhead of a block in memory and in records besides its bytes, rounded up. */
const BLOCK_OVERHEAD_BYTES = 4096;
/** 4 000 full blocks of the usual size, or 260 000 empty ones: more than nine days with a quarter of all slots missed. */
const MOST_BYTES = 1024 * 1024 * 1024;
/** Neither one witness nor seven can fill it alone. A witness that has used up its share loses blocks at the tips of its branches. */
const MOST_BYTES_OF_WITNESS = MOST_BYTES / 8;

const NONE: readonly SideBlock[] = [];

/** What is kept of one witness. */
interface Holding {
  bytes: number;
  /** Blocks without descendants, in the order in which they became tips. */
  readonly tips: Set<SideBlock>;
  readonly bySlot: Map<number, readonly SideBlock[]>;
}

/**
 * The blocks that are neither final nor on the main branch, as trees rooted in it (chain.md 5.7). Every operation costs the same however
 * long the branches are.
 */
export class ForkTree {
  readonly #blocks = new Map<BlockId, SideBlock>();
  /** The blocks whose parent is on the main branch, by the parent's number. */
  readonly #roots = new Map<number, readonly SideBlock[]>();
  readonly #holdings = new Map<AccountName, Holding>();
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

  /** What must be removed to make room for another block of a witness; refused when too much is kept already. */
  blockToEvict({ witness, aslot, bytes, previous }: Pick<SideBlock, 'witness' | 'aslot' | 'bytes' | 'previous'>): SideBlock | undefined {
    const holding = this.#holdings.get(witness);
    const ofSlot = holding?.bySlot.get(aslot) ?? NONE;
    if (ofSlot.length >= MOST_OF_SLOT) return shortest(ofSlot);
    const more = bytes + BLOCK_OVERHEAD_BYTES;
    if (holding !== undefined && holding.bytes + more > MOST_BYTES_OF_WITNESS) {
      for (const tip of holding.tips) if (tip.id !== previous) return tip;
    }
    if (this.#bytes + more > MOST_BYTES) refuse.too_many_forks({ bytes: this.#bytes });
    return undefined;
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
    const gone = this.#roots.size === 0 ? [] : this.#rootsBelow(final).flatMap((number) => this.removeFollowers(number));
    this.#oldestRoot = Math.max(this.#oldestRoot, final);
    return gone;
  }

  /** The blocks of that number on which nothing is built. */
  tipsAt(number: number): SideBlock[] {
    return [...this.#tips()].filter((tip) => tip.number === number);
  }

  /** Whether a branch is signed by that witness with that key, as far as its rounds are known. */
  hasSigner(witness: AccountName, key: PublicKey): boolean {
    for (const { round, given } of this.#tips()) {
      const scheduled = round.signers.find((signer) => signer.witness === witness);
      if (scheduled !== undefined && (scheduled.key === key || isGiven(given, witness, key, false))) return true;
    }
    return false;
  }

  *#tips(): Generator<SideBlock> {
    for (const { tips } of this.#holdings.values()) yield* tips;
  }

  /** The blocks from the first one off the main branch up to this one. */
  branchTo(block: SideBlock): SideBlock[] {
    const branch: SideBlock[] = [];
    for (let at: SideBlock | undefined = block; at !== undefined; at = this.#blocks.get(at.previous)) branch.push(at);
    return branch.reverse();
  }

  /** The blocks of `right`, a whole branch, are now on the main branch, and those of `left` no longer are; both oldest first. */
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
    const tips = this.#holdings.get(block.witness)?.tips;
    if (children.length > 0) tips?.delete(block);
    else tips?.add(block);
  }

  #hold(block: SideBlock): void {
    const { witness, aslot, bytes } = block;
    const holding = this.#holdings.get(witness) ?? { bytes: 0, tips: new Set(), bySlot: new Map<number, readonly SideBlock[]>() };
    this.#holdings.set(witness, holding);
    holding.bytes += bytes + BLOCK_OVERHEAD_BYTES;
    this.#bytes += bytes + BLOCK_OVERHEAD_BYTES;
    holding.bySlot.set(aslot, [...(holding.bySlot.get(aslot) ?? NONE), block]);
    if (block.children.length === 0) holding.tips.add(block);
    this.#blocks.set(block.id, block);
  }

  #letGo(block: SideBlock): void {
    const { id, witness, aslot, bytes } = block;
    this.#blocks.delete(id);
    this.#bytes -= bytes + BLOCK_OVERHEAD_BYTES;
    const holding = this.#holdings.get(witness);
    if (holding === undefined) return;
    holding.bytes -= bytes + BLOCK_OVERHEAD_BYTES;
    holding.tips.delete(block);
    const rest = without(holding.bySlot.get(aslot) ?? NONE, block);
    if (rest.length > 0) holding.bySlot.set(aslot, rest);
    else holding.bySlot.delete(aslot);
    if (holding.bySlot.size === 0) this.#holdings.delete(witness);
  }

  /** Iterates over whichever is fewer: the block numbers since the last call, or the roots. */
  #rootsBelow(final: number): number[] {
    const first = this.#oldestRoot;
    if (final - first > this.#roots.size) return [...this.#roots.keys()].filter((number) => number < final);
    return Array.from({ length: Math.max(0, final - first) }, (_, index) => first + index);
  }
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
    const size = sizeOf(block, least?.size ?? MOST_COUNTED);
    if (least === undefined || size < least.size) least = { block, size };
  }
  return least?.block;
}

function sizeOf(block: SideBlock, most: number): number {
  const all = [block];
  for (let at = 0; at < all.length && all.length < most; at++) all.push(...(all[at]?.children ?? NONE));
  return all.length;
}
