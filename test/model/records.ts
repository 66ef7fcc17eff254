import type { Asset, Authority, Fiat, Price } from './values.ts';

// chain_rules.md#state-records: the kinds of objects.

export interface Account {
  readonly id: number;
  readonly name: string;
  readonly memoKey: string;
  readonly metadata: string;
  readonly proxy: string;
  readonly lastUpdate: number;
  readonly holdings: bigint;
  readonly created: number;
  readonly mined: boolean;
  readonly recoveryAccount: string;
  readonly resetAccount: string;
  readonly lastRecovery: number;
  readonly balance: bigint;
  readonly vesting: bigint;
  readonly withdrawRate: bigint;
  readonly nextWithdrawal: number;
  readonly withdrawn: bigint;
  readonly toWithdraw: bigint;
  readonly proxied: readonly [bigint, bigint, bigint, bigint];
  readonly votesCast: number;
  readonly owner: Authority;
  readonly active: Authority;
  readonly lastOwnerUpdate: number;
  /** When the account last authorised a transaction; its creation at first. */
  readonly lastActivity: number;
  /** Recently vested coins, by bucket. */
  readonly buckets: ReadonlyMap<number, { readonly sum: bigint; readonly latest: number }>;
  /** The growth that protection had reached when the account was paid last. */
  readonly growth: bigint;
}

export interface OwnerHistory {
  readonly id: number;
  readonly account: string;
  readonly authority: Authority;
  readonly lastValid: number;
}

export interface RecoveryRequest {
  readonly id: number;
  readonly account: string;
  readonly authority: Authority;
  readonly expires: number;
}

export interface RecoveryChange {
  readonly id: number;
  readonly account: string;
  readonly recoveryAccount: string;
  readonly effectiveOn: number;
}

export interface Bandwidth {
  readonly bytes: number;
  readonly operations: number;
  readonly lastReset: number;
}

export interface Witness {
  readonly id: number;
  readonly owner: string;
  readonly created: number;
  readonly url: string;
  readonly totalMissed: number;
  readonly lastSlot: number;
  readonly lastConfirmed: number;
  readonly signingKey: string;
  readonly creationFee: Asset;
  readonly maximumBlockSize: number;
  readonly rates: ReadonlyMap<Fiat, { readonly rate: Price; readonly changed: number }>;
  readonly votes: bigint;
  readonly schedule: 'top19' | 'timeshare' | 'none';
  readonly virtualLastUpdate: bigint;
  readonly virtualPosition: bigint;
  readonly virtualScheduledTime: bigint;
  readonly stopped: boolean;
  readonly runningVersion: string;
  readonly hardforkVersionVote: string;
  readonly hardforkTimeVote: number;
}

export interface WitnessVote {
  readonly id: number;
  readonly account: string;
  readonly witness: string;
}

export interface Schedule {
  readonly virtualTime: bigint;
  readonly nextShuffleBlock: number;
  readonly witnesses: readonly string[];
  readonly scheduled: number;
  readonly top19Weight: number;
  readonly timeshareWeight: number;
  readonly payNormalization: number;
  readonly creationFee: Asset;
  readonly maximumBlockSize: number;
  readonly majorityVersion: string;
}

export interface Globals {
  readonly number: number;
  readonly id: string;
  readonly time: number;
  readonly witness: string;
  readonly supply: bigint;
  readonly totalVesting: bigint;
  readonly requiredVesting: bigint;
  readonly maximumBlockSize: number;
  readonly slot: number;
  readonly recentSlots: bigint;
  readonly participation: number;
  readonly lastIrreversible: number;
}

export interface Economy {
  readonly miningFromCoinbase: bigint;
  readonly miningFromFees: bigint;
  readonly interestFromCoinbase: bigint;
  readonly interestFromFees: bigint;
  readonly promotionPool: bigint;
  readonly burnPool: bigint;
  readonly initialPromotionPool: bigint;
  readonly initSupply: bigint;
  readonly totalSupply: bigint;
  readonly blockReward: bigint;
  readonly accumulatedSupply: bigint;
  /** Dilution protection: G, W, what it has issued, and the withdrawals from the promotion pool that it has counted. */
  readonly growth: bigint;
  readonly owedBound: bigint;
  readonly issued: bigint;
  readonly countedPromotion: bigint;
}

export interface Feed {
  readonly median: Price | undefined;
  readonly history: readonly Price[];
}

export interface Escrow {
  readonly id: number;
  readonly escrowId: number;
  readonly from: string;
  readonly to: string;
  readonly agent: string;
  readonly deadline: number;
  readonly expiration: number;
  readonly balance: bigint;
  readonly pendingFee: bigint;
  readonly toApproved: boolean;
  readonly agentApproved: boolean;
  readonly disputed: boolean;
}

export interface Application {
  readonly id: number;
  readonly name: string;
  readonly author: string;
  readonly url: string;
  readonly metadata: string;
  readonly priceParam: number;
}

export interface Buying {
  readonly id: number;
  readonly buyer: string;
  readonly appId: number;
  readonly created: number;
}

export interface Document {
  readonly id: number;
  readonly appId: bigint;
  readonly sender: string;
  readonly recipient: string;
  readonly recipients: readonly string[];
  readonly senderSequence: number;
  readonly recipientSequence: number;
  readonly appSequence: number;
  readonly received: number;
  readonly isBinary: boolean;
  readonly payload: string;
}

export interface Hardforks {
  readonly processed: readonly number[];
  readonly last: number;
  readonly current: string;
  readonly next: string;
  readonly nextTime: number;
}

/** The place and the time of an operation. */
export interface Place {
  readonly block: number;
  readonly transaction: number;
  readonly operation: number;
  readonly virtual: number;
}

export interface HistoryEntry extends Place {
  readonly account: string;
  readonly sequence: number;
  readonly kind: string;
}

export interface VirtualOperation extends Place {
  readonly kind: string;
  readonly timestamp: number;
  readonly body: Readonly<Record<string, string | number | Asset>>;
}

export interface Payment {
  readonly transaction: number;
  readonly operation: number;
  readonly payer: string;
}
