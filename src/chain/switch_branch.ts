import { Refusal } from '../base/refusal.ts';
import { readOwnBlock, type PackedBlock } from '../blocks/block.ts';
import { proveTransactions } from '../blocks/prove.ts';
import type { PackedTransaction, ProvedTransaction } from '../blocks/transaction.ts';
import { accountAuthorities } from '../state/tables/account_authority.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../values/limits.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Branches } from './branches.ts';
import type { SideBlock } from './fork_tree.ts';
import type { Ledger } from './ledger.ts';

const SUSPICIOUS = { signatures: false } as const;
const TRUSTED = { signatures: true } as const;
// Of transactions that lose their block so many bytes come back: twenty usual blocks, as many as wait for a place.
const MOST_COMING_BACK_BYTES = 5 * 1024 * 1024;

/** How a change of branch ended. */
export interface Switched {
  /** Blocks that left the main branch, oldest first. */
  readonly left: readonly SideBlock[];
  /** Why the branch could not be taken, and which block of it; nothing has changed then. */
  readonly failure?: { readonly refusal: Refusal; readonly block: SideBlock };
}

/** Goes back to where a branch leaves the main one, and up the branch; when a block of it is refused, everything is as before. */
export function switchBranch(ledger: Ledger, branches: Branches, branch: readonly SideBlock[]): Switched {
  return ledger.inOneWrite(() => {
    const fork = (branch[0]?.number ?? 0) - 1;
    const left = goBack(ledger, branches, fork);
    const failure = goUp(ledger, branches, branch);
    if (failure === undefined) {
      branches.exchange(left, branch);
      return { left };
    }
    while (ledger.head.head_block_number > fork) ledger.undo();
    for (const block of left) ledger.apply(branches.blockOf(block), TRUSTED);
    branches.unkeep(left);
    return { left, failure };
  });
}

/** Takes the blocks above `fork` back; answers them, oldest first. */
function goBack(ledger: Ledger, branches: Branches, fork: number): SideBlock[] {
  const left: SideBlock[] = [];
  while (ledger.head.head_block_number > fork) {
    left.push(branches.keepHead());
    ledger.undo();
  }
  return left.reverse();
}

function goUp(ledger: Ledger, branches: Branches, branch: readonly SideBlock[]): Switched['failure'] {
  for (const block of branch) {
    try {
      ledger.apply(branches.blockOf(block), block.wasApplied ? TRUSTED : SUSPICIOUS);
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error, block };
      throw error;
    }
  }
  return undefined;
}

/** Blocks of the main branch, each read when it is asked for: a branch may be longer than the memory is large. */
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

/** The transactions of blocks that left the main branch, as far as they may still get into another one: who signed is found out again. */
export function comingBack(ledger: Ledger, branches: Branches, left: readonly SideBlock[]): ProvedTransaction[] {
  const { time } = ledger.head;
  const found: PackedTransaction[] = [];
  let bytes = 0;
  for (const block of left) {
    if (block.time + MAX_SECONDS_UNTIL_EXPIRATION < time || bytes > MOST_COMING_BACK_BYTES) continue;
    for (const transaction of readOwnBlock(branches.blockOf(block).packed, block.id).transactions) {
      if (transaction.transaction.expiration <= time || ledger.committed.get(transactionLocations, transaction.id) !== undefined) continue;
      found.push(transaction);
      bytes += transaction.packed.length;
    }
  }
  return proveTransactions(ledger.parameters.chainId, found, { expected: found.map((each) => expectedSigner(ledger, each)) });
}

function expectedSigner({ committed }: Ledger, { transaction }: PackedTransaction): PublicKey | undefined {
  const { active = [] } = transaction.operations[0]?.authorities() ?? {};
  const [name] = active;
  return name === undefined ? undefined : committed.get(accountAuthorities, name)?.active.key_auths[0]?.[0];
}
