import { Refusal } from '../../base/refusal.ts';
import { readOwnBlock, type PackedBlock } from '../../blocks/block.ts';
import { verifyTransactions } from '../../blocks/verify.ts';
import type { PackedTransaction, VerifiedTransaction } from '../../blocks/transaction.ts';
import { accountAuthorities } from '../../state/tables/account_authority.ts';
import { transactionLocations } from '../../state/tables/transaction_location.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../../values/limits.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { Branches } from './branches.ts';
import type { SideBlock } from './fork_tree.ts';
import type { Ledger } from '../ledger/ledger.ts';

const UNVERIFIED = { signatures: false } as const;
const VERIFIED = { signatures: true } as const;
// The bytes of transactions that become pending again when they lose their block: twenty usual blocks, as many as may
// wait for a place.
const MOST_POPPED_BYTES = 5 * 1024 * 1024;

/** The outcome of a switch of branch. */
export interface Switched {
  /** Blocks that left the main branch, oldest first. */
  readonly left: readonly SideBlock[];
  /** The refusal of the branch, and the block that caused it; in this case nothing has changed. */
  readonly failure?: { readonly refusal: Refusal; readonly block: SideBlock };
}

/**
 * Undoes blocks down to the branch point and applies the branch, in one write. When one of its blocks is refused,
 * nothing has been written and everything is as before. A change that is larger than one write is written in parts,
 * each of which ends with a valid block; then what was undone is applied again.
 */
export function switchBranch(ledger: Ledger, branches: Branches, branch: readonly SideBlock[]): Switched {
  return ledger.inOneWrite(() => {
    const fork = (branch[0]?.number ?? 0) - 1;
    const popped = popBlocks(ledger, branches, fork);
    const left = popped.map(({ block }) => block);
    const failure = applyBranch(ledger, branches, branch);
    if (failure === undefined) {
      branches.exchange(left, branch);
      return { left };
    }
    while (ledger.head.head_block_number > fork) ledger.undo();
    if (ledger.isUnwritten) {
      ledger.putBack(popped.map(({ redo }) => redo));
    } else {
      for (const block of left) ledger.apply(branches.verifiedBlock(block), VERIFIED);
      branches.unkeep(left);
    }
    return { left, failure };
  });
}

interface Popped {
  readonly block: SideBlock;
  readonly redo: Uint8Array;
}

const GONE = new Uint8Array(0);

/** Undoes the blocks above `fork`; returns them, oldest first. */
function popBlocks(ledger: Ledger, branches: Branches, fork: number): Popped[] {
  const left: Popped[] = [];
  while (ledger.head.head_block_number > fork) {
    const block = branches.keepHead();
    const redo = ledger.undo();
    // As large as the change itself, so it is kept only as long as it is of use.
    left.push({ block, redo: ledger.isUnwritten ? redo : GONE });
  }
  return left.reverse();
}

function applyBranch(ledger: Ledger, branches: Branches, branch: readonly SideBlock[]): Switched['failure'] {
  for (const block of branch) {
    try {
      ledger.apply(branches.verifiedBlock(block), block.wasApplied ? VERIFIED : UNVERIFIED);
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error, block };
      throw error;
    }
  }
  return undefined;
}

/** Blocks of the main branch, each read on demand: a branch may be larger than memory. */
export class MainBlocks implements Iterable<PackedBlock> {
  readonly #ledger: Ledger;
  readonly #first: number;
  readonly #last: number;

  constructor(ledger: Ledger, first: number, last: number) {
    this.#ledger = ledger;
    this.#first = first;
    this.#last = last;
  }

  *[Symbol.iterator](): Generator<PackedBlock> {
    for (let number = this.#first; number <= this.#last; number++) {
      const { packed, id } = this.#ledger.storedBlock(number);
      yield readOwnBlock(packed, id);
    }
  }
}

/**
 * The transactions of blocks that left the main branch, as far as they may still get into another block; their signers
 * are recovered again.
 */
export function poppedTransactions(
  ledger: Ledger,
  branches: Branches,
  left: readonly SideBlock[],
): VerifiedTransaction[] {
  const { time } = ledger.head;
  const found: PackedTransaction[] = [];
  let bytes = 0;
  for (const block of left) {
    if (block.time + MAX_SECONDS_UNTIL_EXPIRATION < time || bytes > MOST_POPPED_BYTES) continue;
    for (const transaction of readOwnBlock(branches.verifiedBlock(block).packed, block.id).transactions) {
      if (
        transaction.transaction.expiration <= time ||
        ledger.committed.get(transactionLocations, transaction.id) !== undefined
      )
        continue;
      found.push(transaction);
      bytes += transaction.packed.length;
    }
  }
  return verifyTransactions(ledger.parameters.chainId, found, {
    expected: found.map((each) => expectedSigners(ledger, each)),
  });
}

function expectedSigners({ committed }: Ledger, { transaction }: PackedTransaction): PublicKey[] | undefined {
  const { active = [] } = transaction.operations[0]?.authorities() ?? {};
  const [name] = active;
  return name === undefined ? undefined : committed.get(accountAuthorities, name)?.active.key_auths.map(([key]) => key);
}
