import { Refusal, refusals } from '../base/refusal.ts';
import { readOwnBlock, type ProvedBlock } from '../blocks/block.ts';
import { proveBlock } from '../blocks/prove.ts';
import type { ProvedTransaction } from '../blocks/transaction.ts';
import { present } from '../base/assert.ts';
import type { BlockId } from '../values/hash.ts';
import { checkMerkleRoot } from './apply_block.ts';
import type { ForkBlock, ForkTree } from './fork_tree.ts';
import type { Ledger } from './ledger.ts';
import type { Pending } from './pending.ts';
import { adoptPending } from './seal_block.ts';
import { canonicalRule } from './signature_form.ts';
import { validateHeader } from './validate_header.ts';

const refuse = refusals({ checkpoint_differs: 'Block did not match checkpoint' });

/** What a chain is made of, for those who move it. */
export interface ChainParts {
  readonly ledger: Ledger;
  readonly forks: ForkTree;
  readonly pending: Pending;
  /** Ids that blocks of these numbers must have. */
  readonly checkpoints: ReadonlyMap<number, BlockId>;
}

/** What a block changed: nothing when it was known or is on a branch that is not the longest. */
export interface Pushed {
  /** Blocks that are new on the main branch, oldest first. */
  readonly applied: readonly ProvedBlock[];
  /** Blocks that left the main branch, oldest first. */
  readonly undone: readonly BlockId[];
}

const NOTHING: Pushed = { applied: [], undone: [] };
const SUSPICIOUS = { signatures: false } as const;
const TRUSTED = { signatures: true } as const;

/** Takes a block from wherever: the longest branch is the chain, the first that was seen among equals (chain.md 5.7). */
export function pushBlock(parts: ChainParts, block: ProvedBlock): Pushed {
  const { forks, ledger } = parts;
  const checkpoint = parts.checkpoints.get(block.number);
  if (checkpoint !== undefined && checkpoint !== block.id) refuse.checkpoint_differs({ number: block.number, id: block.id });
  if (!forks.admits(block, ledger.head.last_irreversible_block_num)) return NOTHING;
  // Before the block is kept: its id covers its transactions only by way of the header's root.
  checkMerkleRoot(block);
  const headBefore = forks.head;
  const node = forks.insert(block);
  if (forks.head !== node) return NOTHING;
  return node.previous === headBefore.id ? extend(parts, block, headBefore) : switchBranch(parts, headBefore, node);
}

/** Applies a block on the head, and what was pending and is not in it on top. */
function extend({ ledger, forks, pending }: ChainParts, block: ProvedBlock, headBefore: ForkBlock): Pushed {
  const isPending = equalsPending(pending, block);
  const before = isPending ? pending.transactions : pending.take();
  try {
    if (isPending) {
      checkHeaderOnHead(ledger, block);
      adoptPending(ledger, pending, block);
    } else {
      ledger.apply(block, SUSPICIOUS);
    }
  } catch (error) {
    forks.remove(block.id, headBefore);
    if (error instanceof Refusal) pending.refill(isPending ? remaining(pending, before) : before);
    throw error;
  }
  settle({ ledger, forks });
  pending.refill(without(isPending ? [] : before, [block]));
  return { applied: [block], undone: [] };
}

/** Another node made the block that we would have made: the pending rows are already those behind its transactions. */
function equalsPending(pending: Pending, { header, transactions }: ProvedBlock): boolean {
  const own = pending.transactions;
  if (own.length === 0 || own.length !== transactions.length || !pending.hasHardforksOf(header.timestamp)) return false;
  return own.every(({ leaf }, index) => leaf === transactions[index]?.leaf);
}

function checkHeaderOnHead({ committed, parameters, state }: Ledger, block: ProvedBlock): void {
  validateHeader(committed, parameters, canonicalRule(state.rows, parameters), block);
}

/** The transactions that were pending before a block was refused, whether they still are or not. */
function remaining(pending: Pending, before: readonly ProvedTransaction[]): readonly ProvedTransaction[] {
  return pending.transactions.length > 0 ? [] : before;
}

function without(transactions: readonly ProvedTransaction[], applied: readonly ProvedBlock[]): ProvedTransaction[] {
  const included = new Set(applied.flatMap((block) => block.transactions.map(({ id }) => id)));
  return transactions.filter(({ id }) => !included.has(id));
}

/** Goes back to where the branches part and up the longer one; when a block of it is refused, everything is as before. */
function switchBranch(parts: ChainParts, from: ForkBlock, to: ForkBlock): Pushed {
  const { ledger, forks, pending } = parts;
  const branches = forks.branches(from, to);
  const before = pending.take();
  const outcome = ledger.inOneWrite(() => tryBranch(parts, branches));
  if (outcome instanceof Refusal) {
    pending.refill(before);
    throw outcome;
  }
  settle({ ledger, forks });
  pending.refill(without([...outcome.undone.flatMap(({ transactions }) => transactions), ...before], outcome.applied));
  return { applied: outcome.applied, undone: outcome.undone.map(({ id }) => id) };
}

interface Switched {
  readonly applied: readonly ProvedBlock[];
  readonly undone: readonly ProvedBlock[];
}

function tryBranch(parts: ChainParts, { left, right }: ReturnType<ForkTree['branches']>): Switched | Refusal {
  const { ledger, forks } = parts;
  const undone = left.map((node) => bodyOf(ledger, node));
  const from = forks.get(present(left.at(-1), 'the head').id);
  for (let count = left.length; count > 0; count--) ledger.undo();
  const applied: ProvedBlock[] = [];
  for (const node of right) {
    const block = present(node.body, 'a block of another branch');
    try {
      ledger.apply(block, SUSPICIOUS);
      applied.push(block);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      forks.remove(node.id, present(from, 'the head'));
      for (let count = applied.length; count > 0; count--) ledger.undo();
      for (const each of undone) ledger.apply(each, TRUSTED);
      return error;
    }
  }
  return { applied, undone };
}

/** A block of the main branch, from memory or from the disk. */
function bodyOf(ledger: Ledger, node: ForkBlock): ProvedBlock {
  if (node.body !== undefined) return node.body;
  const body = proveBlock(ledger.parameters.chainId, readOwnBlock(ledger.storedBlock(node.number).packed, node.id));
  // Once it has left the main branch the disk does not have it any more.
  node.body = body;
  return body;
}

/** The tree follows the head of the ledger. */
export function settle({ ledger, forks }: Pick<ChainParts, 'ledger' | 'forks'>): void {
  forks.settle(forks.head, ledger.head.last_irreversible_block_num);
}
