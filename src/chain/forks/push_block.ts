import { uncertified } from '../apply/finality.ts';
import { assert } from '../../base/assert.ts';
import { Refusal, refusals, unlessRefused } from '../../base/refusal.ts';
import type { VerifiedBlock } from '../../blocks/block.ts';
import type { Certificate } from '../../blocks/finality/certificate.ts';
import { requireMerkleRoot } from '../../blocks/merkle.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import type { RowReader } from '../../storage/rows.ts';
import { getBlockNumber, type BlockId } from '../../values/hash.ts';
import { FINALITY_ALONE, NO_CHANGE, type ChainChange } from './chain_change.ts';
import type { Branches, Followed, JudgedHeader } from './branches.ts';
import type { BranchTries, TriedFor } from './branch_tries.ts';
import type { SideBlock } from './fork_tree.ts';
import { packedCertificate } from '../ledger/boundary_certificates.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { without, type Pending } from '../pending/pending.ts';
import type { RefusedBlocks } from './refused_blocks.ts';
import { adoptPending } from '../pending/seal_block.ts';
import { canonicalRule } from '../../blocks/signature_form.ts';
import { slotAtTime } from '../apply/slots.ts';
import { poppedTransactions, MainBlocks, switchBranch, type Switched } from './switch_branch.ts';
import { validateHeader } from '../apply/validate_header.ts';

const refuse = refusals({
  checkpoint_differs: {
    text: 'block {number} has the id {id}, and the checkpoint of this node asks for {checkpoint}',
    lineage: 'Block did not match checkpoint',
  },
  block_too_old: {
    text: 'block {number} is too old: blocks up to {final} are irreversible',
    lineage: 'attempting to push a block that is too old',
  },
  unlinkable_block: {
    text: 'the block follows {previous}, a block that this node does not know; send that one first',
    lineage: 'block does not link to known chain',
    lineageCode: 4_080_000,
  },
});

/** The parts of a chain, for functions that change it. */
export interface ChainParts {
  readonly ledger: Ledger;
  readonly branches: Branches;
  readonly refused: RefusedBlocks;
  readonly tries: BranchTries;
  readonly pending: Pending;
  /** Required ids of blocks, by number. */
  readonly checkpoints: ReadonlyMap<number, BlockId>;
  readonly certified: CertifiedBlock;
}

/**
 * The block that the main branch must have, because its certificate is the highest that counts; none before votes ask
 * for one.
 */
export interface CertifiedBlock {
  id: BlockId | undefined;
}

const UNVERIFIED = { signatures: false } as const;

/** The standing of a header by itself: `unproven` when only its branch can tell whether its signer is its witness. */
export type HeaderStanding = 'known' | 'proven' | 'unproven';

/**
 * Takes a block from any source: the longest branch is the chain, among equals the one seen first
 * (chain_rules.md#branches). Where a block is certified, only branches that have it count. Cheap refusals come first,
 * and nothing is kept or tried that the witness of its slot can't have signed. `source` is the peer that brought it,
 * empty for none.
 */
export function pushBlock(parts: ChainParts, block: VerifiedBlock, source: string): ChainChange {
  const { ledger, branches, refused } = parts;
  requireCheckpoint(parts, block);
  const known = branches.get(block.id);
  if (known !== undefined) return adoptBetter(parts, known);
  if (ledger.pointOf(block.id) !== undefined || ledger.isSettled(block)) return NO_CHANGE;
  refused.requireNew(block.id);
  if (block.number <= ledger.settled) refuse.block_too_old({ number: block.number, final: ledger.settled });
  if (block.header.previous === ledger.head.head_block_id) return follow(parts, block, source);
  const before = requireFollowed(branches, block);
  requireVerified(block);
  // Checked before the block is kept: its id covers its transactions only through the header's Merkle root.
  requireMerkleRoot(block);
  return adoptBetter(
    parts,
    branches.add(block, before, { source, isDoubted: false, isCertified: parts.certified.id === block.id }),
  );
}

/**
 * Makes the branch with a certified block the main one, however short it is, and then the longest that has the block.
 * No other branch is chosen until another block is named, or none. A block that is not here yet is followed when it
 * comes. Refused when the branch can't be applied, although a quorum of voters has applied it.
 */
export function followCertified(parts: ChainParts, id: BlockId | undefined): ChainChange {
  const { branches, certified, refused } = parts;
  const isNew = certified.id !== id;
  certified.id = id;
  if (isNew && id !== undefined) refused.forgive(id);
  const tip = id === undefined ? undefined : branches.get(id);
  if (tip !== undefined) return adoptCertified(parts, tip);
  return isNew ? adoptLongest(parts) : NO_CHANGE;
}

/**
 * A block of the main branch and all before it are final, by its certificate or by people's word. Nothing changes where
 * they are final already.
 */
export function finalise(parts: ChainParts, id: BlockId, certificate: Certificate | undefined): ChainChange {
  const { ledger } = parts;
  const number = getBlockNumber(id);
  if (number <= ledger.final) return NO_CHANGE;
  assert(ledger.mainBlockId(number) === id, `block ${id} is on the main branch`);
  ledger.finalise(
    certificate === undefined ? uncertified(number) : { number, certificate: packedCertificate(certificate) },
  );
  prune(parts);
  return FINALITY_ALONE;
}

/** In two steps, because somebody may have built an invalid block on the certified one. They are told as one. */
function adoptCertified(parts: ChainParts, tip: SideBlock): ChainChange {
  const { ledger, branches } = parts;
  const branch = branches.branchTo(tip);
  const { undone, applied } = adopt(parts, tip, branch);
  if (adoptLongest(parts) === NO_CHANGE) return { undone, applied };
  return { undone, applied: new MainBlocks(ledger, tip.number - branch.length + 1, ledger.head.head_block_number) };
}

/** The longest branch may be one that had to be left out until now. */
function adoptLongest(parts: ChainParts): ChainChange {
  parts.tries.lookAgain();
  return adoptWaiting(parts);
}

function adoptBetter(parts: ChainParts, tip: SideBlock): ChainChange {
  return tip.id === parts.certified.id ? adoptCertified(parts, tip) : adoptIfLonger(parts, tip);
}

/** Returns whether a branch has the certified block, itself or below where it leaves the main one. */
function hasCertified({ ledger, branches, certified: { id } }: ChainParts, branch: readonly SideBlock[]): boolean {
  if (id === undefined) return true;
  if (ledger.pointOf(id) !== undefined) return getBlockNumber(id) < (branch[0]?.number ?? 0);
  // One that is not here is judged when it comes.
  return branches.get(id) === undefined || branch.some((block) => block.id === id);
}

/**
 * Refuses a block that can't follow a known one, or that its witness can't have signed, by its header alone, before its
 * transactions' signers are recovered.
 */
export function judgeHeader(parts: ChainParts, block: JudgedHeader): HeaderStanding {
  const { ledger, branches, refused } = parts;
  requireCheckpoint(parts, block);
  if (branches.get(block.id) !== undefined || ledger.pointOf(block.id) !== undefined || ledger.isSettled(block))
    return 'known';
  refused.requireNew(block.id);
  if (block.number <= ledger.settled) refuse.block_too_old({ number: block.number, final: ledger.settled });
  if (block.header.previous !== ledger.head.head_block_id) {
    return branches.judge(block, requireFollowed(branches, block)).standing === 'known' ? 'proven' : 'unproven';
  }
  if (block.number > 1) checkHeaderOnHead(ledger, block);
  return 'proven';
}

/** Refuses a block that is another one than the operator has named. */
export function requireCheckpoint({ checkpoints }: ChainParts, { number, id }: JudgedHeader): void {
  const checkpoint = checkpoints.get(number);
  if (checkpoint !== undefined && checkpoint !== id) refuse.checkpoint_differs({ number, id, checkpoint });
}

function requireFollowed(branches: Branches, { header: { previous } }: JudgedHeader): Followed {
  return branches.followed(previous) ?? refuse.unlinkable_block({ previous });
}

/** A block that is kept aside may become part of a branch that nobody vouches for. */
function requireVerified({ isUnverified, header: { previous } }: VerifiedBlock): void {
  if (isUnverified === true) refuse.unlinkable_block({ previous });
}

/** Applies a block that follows the head, unless too many blocks of its slot were invalid. */
function follow(parts: ChainParts, block: VerifiedBlock, source: string): ChainChange {
  const { ledger, branches, refused, pending } = parts;
  // The first block is judged after the hardforks that it applies.
  if (block.number > 1)
    checkHeaderOnHead(ledger, block, pending.transactions.length === 0 ? ledger.state.rows : ledger.committed);
  requireMerkleRoot(block);
  const { witness, timestamp } = block.header;
  const aslot = Number(ledger.head.current_aslot) + slotAtTime(ledger.parameters, ledger.head, timestamp);
  const isCertified = parts.certified.id === block.id;
  if (!isCertified && !refused.mayTry(witness, aslot)) {
    requireVerified(block);
    return adoptIfLonger(
      parts,
      branches.add(block, requireFollowed(branches, block), { source, isDoubted: true, isCertified }),
    );
  }
  try {
    return extend(parts, block);
  } catch (error) {
    if (error instanceof Refusal && block.number > 1) refused.noteOnHead(block.id, witness, aslot);
    throw error;
  }
}

/** Applies a block on the head, then the pending transactions that are not in it. */
function extend(parts: ChainParts, block: VerifiedBlock): ChainChange {
  const { ledger, pending } = parts;
  const isPending = equalsPending(pending, block);
  const before = isPending ? pending.transactions : pending.take();
  try {
    if (isPending) {
      checkHeaderOnHead(ledger, block);
      adoptPending(ledger, pending, block);
    } else {
      ledger.apply(block, UNVERIFIED);
    }
  } catch (error) {
    if (error instanceof Refusal) pending.refill(isPending ? remaining(pending, before) : before);
    throw error;
  }
  prune(parts);
  pending.refill(without(isPending ? [] : before, block.transactions));
  return { applied: [block], undone: [] };
}

/**
 * Another node produced the same block as this node would: the pending rows are already those after its transactions.
 */
function equalsPending(pending: Pending, { header, transactions }: VerifiedBlock): boolean {
  const own = pending.transactions;
  if (own.length === 0 || own.length !== transactions.length || !pending.hasHardforksOf(header)) return false;
  for (const [index, { leaf }] of own.entries()) if (leaf !== transactions[index]?.leaf) return false;
  return true;
}

/** While nothing is pending, the working rows are those of the head, so the check need not read the disk. */
function checkHeaderOnHead(
  { committed, parameters, state }: Ledger,
  block: JudgedHeader,
  head: RowReader = committed,
): void {
  validateHeader(head, parameters, canonicalRule(state.rows, parameters), block);
}

/** The transactions that were pending before a block was refused, whether they still are or not. */
function remaining(pending: Pending, before: readonly VerifiedTransaction[]): readonly VerifiedTransaction[] {
  return pending.transactions.length > 0 ? [] : before;
}

/**
 * Makes the branch that ends with this block the main one, when it is longer, counting only the blocks that count;
 * unless it must wait. What waits already and is likelier goes first: otherwise each newcomer could take the next try
 * away from it.
 */
function adoptIfLonger(parts: ChainParts, tip: SideBlock): ChainChange {
  const { tries } = parts;
  const branch = longerBranch(parts, tip);
  if (branch === undefined || !tries.mayTry(branchTriers(branch))) return NO_CHANGE;
  const first = tries.isWaiting
    ? longerBranches(parts).find((waiting) => tries.mayTry(branchTriers(waiting.branch)))
    : undefined;
  return first === undefined || first.tip === tip ? adopt(parts, tip, branch) : adoptWaiting(parts);
}

/** The branch that ends with this block, when it is longer than the main one from where they part. */
function longerBranch(parts: ChainParts, tip: SideBlock): readonly SideBlock[] | undefined {
  const { ledger, branches } = parts;
  const height = ledger.head.head_block_number;
  if (tip.number <= height) return undefined;
  const branch = branches.branchTo(tip);
  const first = tip.number - branch.length + 1;
  return branch.filter(counts).length > height - first + 1 && hasCertified(parts, branch) ? branch : undefined;
}

/** A block behind too many invalid ones of its slot counts once another witness has built on it. */
function counts({ isDoubted, witness, children }: SideBlock): boolean {
  return !isDoubted || children.some((child) => child.witness !== witness);
}

function branchTriers(branch: readonly SideBlock[]): TriedFor {
  return { source: branch.at(-1)?.source ?? '', signer: branch.findLast(({ isProven }) => isProven)?.witness };
}

/** Tries a branch that had to wait, if it may be tried now: the likeliest first. The caller says when. */
export function adoptWaiting(parts: ChainParts): ChainChange {
  const { tries } = parts;
  if (!tries.isWaiting) return NO_CHANGE;
  tries.beginAgain();
  const longer = longerBranches(parts);
  for (const { tip, branch } of longer) {
    if (!tries.mayTry(branchTriers(branch))) continue;
    const change = unlessRefused(() => adopt(parts, tip, branch));
    if (change === undefined) continue;
    // Another one may be longer still.
    if (longer.length > 1) tries.lookAgain();
    return change;
  }
  return NO_CHANGE;
}

interface LongerBranch {
  readonly tip: SideBlock;
  readonly branch: readonly SideBlock[];
}

/** The branches that would win: first those whose signers are all known or probably right, of these the longest. */
function longerBranches(parts: ChainParts): LongerBranch[] {
  const longer = parts.branches.higherTips(parts.ledger.head.head_block_number).flatMap((tip) => {
    const branch = longerBranch(parts, tip);
    return branch === undefined ? [] : [{ tip, branch, doubts: branch.filter(({ isLikely }) => !isLikely).length }];
  });
  return longer.sort((a, b) => a.doubts - b.doubts || b.tip.number - a.tip.number || (a.tip.id < b.tip.id ? -1 : 1));
}

/**
 * Of the branches that are as long as the main one, that with the lowest id at its end becomes the main one: so that
 * parts of a network whose branches are equally long come together although nobody makes a block. The caller says when;
 * which one depends on the branches alone.
 */
export function adoptLowest(parts: ChainParts): ChainChange {
  const { ledger, branches, tries } = parts;
  const { head_block_number, head_block_id } = ledger.head;
  const lower = branches.tipsAt(head_block_number).filter(({ id }) => id < head_block_id);
  for (const tip of lower.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const branch = branches.branchTo(tip);
    const isTried = branch.every(counts) && hasCertified(parts, branch) && tries.mayTry(branchTriers(branch));
    const change = isTried ? unlessRefused(() => adopt(parts, tip, branch)) : undefined;
    if (change !== undefined) return change;
  }
  return NO_CHANGE;
}

function adopt(parts: ChainParts, tip: SideBlock, branch: readonly SideBlock[]): ChainChange {
  const { ledger, branches, refused, tries, pending } = parts;
  const first = tip.number - branch.length + 1;
  const before = pending.take();
  const switched = (): Switched => switchBranch(ledger, branches, branch);
  const { left, failure } = tries.run(branchTriers(branch), switched, (result) => result.failure !== undefined);
  if (failure !== undefined) {
    refused.noteOnBranch(failure.block.id);
    branches.remove(failure.block);
    pending.refill(before);
    throw failure.refusal;
  }
  pending.refill([...poppedTransactions(ledger, branches, left), ...before]);
  prune(parts);
  return { applied: new MainBlocks(ledger, first, tip.number), undone: left.map(({ id }) => id) };
}

/** Drops what no branch can change any more. */
export function prune({ branches }: Pick<ChainParts, 'branches'>): void {
  branches.prune();
}
