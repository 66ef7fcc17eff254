import type { Json } from '../codec/json.ts';

/** An operation of a block, the chain's own included, and its place there, as histories have it. */
export interface SourceOperation {
  /** 40 zeros for what the chain does itself. */
  readonly trx_id: string;
  readonly trx_in_block: number;
  readonly op_in_trx: number;
  readonly virtual_op: number;
  /** The time of the head when it happened: of the block before. */
  readonly timestamp: string;
  readonly kind: string;
  /** As the API shows it. */
  readonly body: Json;
  /** The same as the source wrote it, where it did: nobody has to write it again. */
  readonly bodyText?: string;
  /** Empty for what the chain does itself. */
  readonly fee_payer: string;
  /**
   * Its charge, such as `1.000000 COIN`, when its fee is in another symbol or it pays for a new account; undefined when
   * the source doesn't know it.
   */
  readonly charge?: SourceCharge;
}

/** `given` is the part of what was paid that went to the new account. */
export interface SourceCharge {
  readonly paid: string;
  readonly given: string;
}

/** A whole block. */
export interface SourceBlock {
  readonly number: number;
  readonly id: string;
  readonly previous: string;
  readonly timestamp: string;
  readonly witness: string;
  readonly transaction_count: number;
  readonly operations: readonly SourceOperation[];
}

/** A change of the chain, and the position behind it, from which a reader of it resumes. */
export type SourceEvent =
  | { readonly block: SourceBlock; readonly position: string }
  /** All blocks above this one have been taken back. */
  | { readonly undone: { readonly number: number; readonly id: string }; readonly position: string }
  /** That block, if it is the one that came, and all before it will not be undone. */
  | { readonly irreversible: { readonly number: number; readonly id: string }; readonly position: string };

/** The source's facts of its chain before the first block. */
export interface SourceChain {
  readonly chainId: string;
  readonly coinSymbol: string;
  readonly vestsSymbol: string;
  readonly keyPrefix: string;
  readonly coinName: string;
  readonly isPrivateNet: boolean;
  readonly genesisTime: string;
  readonly blockIntervalSeconds: number;
  readonly vestingWithdrawIntervals: number;
  readonly vestingWithdrawIntervalSeconds: number;
  /** Instalments of a withdrawal are rounded up, and the last one is smaller; otherwise they are rounded down. */
  readonly vestingWithdrawRoundsUp: boolean;
}

/** An account of the genesis that has something; others have nothing. */
export interface GenesisBalance {
  readonly name: string;
  /** Such as `1.000000 COIN`. */
  readonly balance: string;
}

/** The chain, and the balances of accounts before its first block. */
export interface ChainFacts {
  /** Of the source itself; `known` is what the database has noted of it, if it is complete. */
  chain(known: SourceChain | undefined): Promise<SourceChain>;
  genesisBalances(): Promise<readonly GenesisBalance[]>;
  /**
   * Asks whether the chain's user may take back any block, as on a development chain: before an irreversible one is
   * undone.
   */
  mayRevert(): Promise<boolean>;
}

/** The end of what is in the database: number 0 and no id before the first block. */
export interface StoredHead {
  readonly number: number;
  readonly id: string;
  /** Of any source; undefined before the first block. */
  readonly position: string | undefined;
  /** The id of a block that is in the database. */
  idAt(number: number): Promise<string | undefined>;
}

/**
 * The source of blocks: a node's feed or a stream of events. Any call may throw a Fault when the source is out of
 * reach, or not what it was: recovery.ts says whether to begin again by `start`.
 */
export interface ChainSource extends ChainFacts {
  /** Begins behind that block, or where the source's branch leaves the database's: with what is to be undone then. */
  start(behind: StoredHead): Promise<void>;
  /** Returns the events since the last call, in order, one at least; none once the source is closed. */
  next(): Promise<readonly SourceEvent[]>;
  /** Ends `next` with that error, until the source is started again. */
  interrupt(error: Error): void;
  /** The number of the last block of the chain, as far as the source knows; 0 while it doesn't. */
  readonly head: number;
  /** The reason why nothing comes just now; undefined when nothing is wrong. */
  readonly problem: string | undefined;
  close(): void;
}
