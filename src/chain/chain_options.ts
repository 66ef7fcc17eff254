import type { ChainParameters } from '../state/parameters.ts';
import type { KeyValueStore } from '../storage/key_value.ts';
import type { AccountName } from '../values/account_name.ts';
import type { BlockId } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';
import type { ChainChange } from './forks/chain_change.ts';
import type { HeadJournal } from './ledger/head_journal.ts';
import type { DroppedTransaction } from './pending/pending.ts';

/** For some 90 000 decoded rows, those of a chain with tens of thousands of accounts in use. */
export const ROW_CACHE_MIB = 64;

/** The store of a chain, its parameters, its limits and its listeners. */
export interface ChainOptions {
  readonly store: KeyValueStore;
  readonly parameters: ChainParameters;
  /** Wait for the disk at every block; true by default. */
  readonly durable?: boolean;
  /**
   * The bytes that a switch of branch may hold in memory before it writes; 256 MiB by default, some thousand full
   * blocks.
   */
  readonly heldBytes?: number;
  /** Mebibytes of decoded rows to keep; ROW_CACHE_MIB by default. */
  readonly rowCacheMib?: number | undefined;
  /** The number of newest blocks to keep; all by default. Blocks that can be undone are kept in any case. */
  readonly blocksKept?: number | undefined;
  /** The number of newest blocks that `revert` can take back although they are final; zero by default. */
  readonly undoBlocks?: number | undefined;
  /** Required ids of blocks, by number. */
  readonly checkpoints?: ReadonlyMap<number, BlockId>;
  /** Measures time in milliseconds, to bound what vain tries of branches take; the time of the head by default. */
  readonly elapsedMs?: (() => number) | undefined;
  /** Records outside the store which head it has; none by default. */
  readonly journal?: HeadJournal | undefined;
  /** Called after each write with what it changed in the main branch, once readers see it; none by default. */
  readonly changed?: (change: ChainChange) => void;
  /**
   * The number of newest epochs whose certificates are all kept, where votes make blocks final; 1 700 by default, three
   * days.
   */
  readonly epochsKept?: number | undefined;
  /** Called with messages for the operator of the node; none by default. */
  readonly remark?: (sentence: string) => void;
  /** Called with unexpected exceptions that cost no more than a pending transaction; by default they are rethrown. */
  readonly report?: (error: unknown) => void;
  /**
   * Called with accepted transactions that wait no longer without being in a block, behind `changed`; none by default.
   */
  readonly dropped?: (transactions: readonly DroppedTransaction[]) => void;
}

/** The state of the head block. */
export interface ChainHead {
  readonly number: number;
  readonly id: BlockId;
  readonly time: Seconds;
  readonly lastIrreversible: number;
  /** Equal on all nodes that applied the same blocks, 64 hex digits. */
  readonly stateHash: string;
}

/** A slot, its witness and the key that must sign. */
export interface ProductionSlot {
  readonly witness: AccountName;
  readonly timestamp: Seconds;
  /** The key that must sign; undefined when the witness no longer exists. */
  readonly signingKey: PublicKey | undefined;
}
