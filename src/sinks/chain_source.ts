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
  /** Empty for what the chain does itself. */
  readonly fee_payer: string;
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

/** What happens to a chain, and the position behind it: whoever has made something of it resumes there. */
export type SourceEvent =
  | { readonly block: SourceBlock; readonly position: string }
  /** All blocks above this one have been taken back. */
  | { readonly undone: { readonly number: number; readonly id: string }; readonly position: string };

/** What a source says of its chain before the first block. */
export interface SourceChain {
  readonly chainId: string;
  readonly coinSymbol: string;
  readonly vestsSymbol: string;
  readonly keyPrefix: string;
  readonly word: string;
  readonly isPrivateNet: boolean;
  readonly genesisTime: string;
  readonly blockIntervalSeconds: number;
  readonly vestingWithdrawIntervals: number;
  readonly vestingWithdrawIntervalSeconds: number;
}

/** An account of the genesis that has something; others have nothing. */
export interface GenesisBalance {
  readonly name: string;
  /** Such as `1.000000 COIN`. */
  readonly balance: string;
}

/** How far the chain is. */
export interface ChainEnds {
  readonly head: number;
  readonly irreversible: number;
}

/**
 * Where blocks come from: a node's feed or a stream of events. Any call may throw a Fault when the source is out of reach; it is asked again
 * then.
 */
export interface ChainSource {
  chain(): Promise<SourceChain>;
  genesisBalances(): Promise<readonly GenesisBalance[]>;
  /** Begins behind a position; with the first block where it is undefined. */
  start(position: string | undefined): Promise<void>;
  /** What has come since the last call, in order, one event at least; empty once whoever made the source has closed it. */
  next(): Promise<readonly SourceEvent[]>;
  ends(): Promise<ChainEnds>;
}
