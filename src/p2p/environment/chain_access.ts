import type { SignedHeartbeat } from '../../blocks/alive.ts';
import type { Certificate, VerifySignature } from '../../blocks/finality/certificate.ts';
import type { Vote } from '../../blocks/finality/vote.ts';
import type { Voters } from '../../blocks/finality/voters.ts';
import type { SignedBlockHeader } from '../../blocks/header.ts';
import type { VerifiedBlock } from '../../blocks/block.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import type { BlockId, Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { Seconds } from '../../values/time.ts';
import type { BundledTransaction } from '../../wire/messages/bundle.ts';
import type { BoundaryCertificate } from '../../wire/messages/finality.ts';
import type { NodeId } from '../../wire/wire_values.ts';

/** The head and the irreversible block of a chain. */
export interface ChainPosition {
  readonly number: number;
  readonly id: BlockId;
  readonly time: Seconds;
  /** The last block that can't be taken back any more. */
  readonly irreversible: number;
  /** Of the state behind it, where that is told. */
  readonly stateHash?: Digest | undefined;
}

/** Blocks that one write undid and applied on the main branch. The view shows them by then. */
export interface ChainUpdate {
  /** Blocks that left it, oldest first. */
  readonly undone: readonly BlockId[];
  /** Blocks that are new on it, oldest first. */
  readonly applied: readonly BlockId[];
  /** Of each of these blocks the ids of its transactions, 20 bytes each, as far as they are told. */
  readonly transactionIds?: readonly Uint8Array[] | undefined;
  readonly head: ChainPosition;
}

/** A packed block that is read a part at a time: a large one takes longer than anybody may wait. */
export interface BlockParts {
  readonly count: number;
  /** A part by its index; undefined when the block has been undone or pruned meanwhile. */
  part(index: number): Uint8Array | undefined;
}

/** The finality of the chain, as the network reads it at one moment. */
export interface FinalityView {
  /** The epoch that has begun here: all blocks up to the boundary before it are final. */
  readonly epoch: number;
  /**
   * The voters of an epoch, as blocks of the main branch have named them; undefined for old epochs and for those that
   * no block has named.
   */
  votersOf(epoch: number): Voters | undefined;
  /** The boundary certificate of the first epoch from this one on of which one is kept, with its voters. */
  boundaryFrom(epoch: number): BoundaryCertificate | undefined;
}

/** The chain, as the network reads it at one moment. */
export interface ChainView {
  readonly chainId: Digest;
  /** The hash of the chain's profile. */
  readonly profile: Digest;
  /** When the first slot began, and how long slots are; undefined for a development chain, which moves its own time. */
  readonly slots: { readonly genesisTime: Seconds; readonly intervalSeconds: number } | undefined;
  readonly head: ChainPosition;
  /** Undefined on a chain without votes. With them the main branch may be shorter than others. */
  readonly finality?: FinalityView | undefined;
  /** The oldest block that can be given. */
  readonly oldestBlock: number;
  /** The id of the main branch's block of that number; all zero for 0, what the first block follows. */
  blockId(number: number): BlockId | undefined;
  /** The main branch's block of that number, packed, to be read a part at a time. */
  readParts(number: number): BlockParts | undefined;
  /** Returns whether a block can be followed: it is on the main branch or on a known other one. */
  knows(id: BlockId): boolean;
}

/**
 * The outcome of a block. The `sender` is at fault for a malformed block, one that contradicts its header, or one whose
 * witness can't have signed it. `branch` is the same off the main branch, or after such a block made a branch fail.
 * `nobody` is its witness's own fault, or no fault.
 */
export type BlockOutcome =
  | { readonly kind: 'taken' | 'known' }
  | { readonly kind: 'unlinkable' }
  | { readonly kind: 'refused'; readonly fault: 'sender' | 'branch' | 'nobody'; readonly reason: string };

/**
 * A header by itself: `right` when its block is new and the witness of its slot may have signed it. It is proven when
 * the witness had that key at the branch point; otherwise only its branch can tell.
 */
export type HeaderJudgement = BlockOutcome | { readonly kind: 'right'; readonly isProven: boolean };
export type HeaderOutcome =
  | BlockOutcome
  | { readonly kind: 'right'; readonly isProven: boolean; readonly signer: PublicKey | undefined };

/** The signers of transactions, or the refusal of a malformed one; undefined when nobody could verify them. */
export type TransactionVerification =
  | { readonly verified: readonly VerifiedTransaction[]; readonly refusal?: undefined }
  | { readonly verified?: undefined; readonly refusal: string | undefined };

/** The outcome of a transaction. No honest node relays a `forged` one, or one whose signer is not the named key. */
export interface TransactionOutcome {
  readonly outcome: 'accepted' | 'known' | 'refused' | 'forged';
  readonly isHintRight: boolean;
}

/** Transactions of a peer that the chain has not received yet. */
export interface SentTransactions {
  readonly from: NodeId;
  readonly transactions: readonly BundledTransaction[];
  /** Of each, 20 bytes, if the length of its unsigned form is as it says. */
  readonly ids: Uint8Array;
  /** Their message, if a peer sent these together and no others; it stays the network's. */
  readonly message?: Uint8Array | undefined;
}

/** The place of a submission among those of one branch. */
export interface SubmissionPlace {
  /** It follows none whose blocks wait. */
  readonly isFirst: boolean;
  /** Nothing will follow it soon, so nothing has to wait. */
  readonly isLast: boolean;
  /** Somebody whom the operator trusts vouches for the signatures of its transactions: they are not verified. */
  readonly isVouchedFor: boolean;
  /** The peer that brought the last of the blocks. */
  readonly from: NodeId;
}

/**
 * The chain, as the network hands blocks and transactions to it. Answers come later, in the order of the questions, and
 * never before the call has returned.
 */
export interface ChainIntake {
  /**
   * Blocks that follow each other, packed. What comes behind the first refused one is not tried: there are that many
   * outcomes. Those of the last blocks may come with the next submission, unless this is the last one.
   */
  submitBlocks(
    blocks: readonly Uint8Array[],
    place: SubmissionPlace,
    done: (outcomes: readonly BlockOutcome[]) => void,
  ): void;
  /** Looks at the header of a block alone; what it follows must be known or submitted. */
  judgeHeader(header: SignedBlockHeader, done: (outcome: HeaderOutcome) => void): void;
  /** Finds out who has signed packed transactions; nothing else is done with them. */
  verifyTransactions(packed: readonly Uint8Array[], done: (proven: TransactionVerification) => void): void;
  /** A block of which all signers are known: nothing is verified again. */
  submitVerified(block: VerifiedBlock, from: NodeId, done: (outcome: BlockOutcome) => void): void;
  /** Returns whether an `alive` of that chain is signed with the key that it names; at once. */
  hasValidSignature(chain: Digest, alive: SignedHeartbeat): boolean;
  /** One that is signed: whether by a witness of a branch that is kept. */
  submitAlive(alive: SignedHeartbeat, done: (isOfWitness: boolean) => void): void;
  /** True if a key has signed a vote's digest; at once. */
  readonly isVoteSigned: VerifySignature;
  /** Votes whose signatures are right. */
  takeVotes(votes: readonly Vote[]): void;
  /** A certificate whose signatures are right. */
  takeCertificate(certificate: Certificate): void;
  /** Transactions of a bundle; the verdicts are in their order. They may wait for others for a moment. */
  submitTransactions(sent: SentTransactions, done: (outcomes: readonly TransactionOutcome[]) => void): void;
  /** A block waits for the verdict on some of them: they wait for others no longer. */
  hurryTransactions(): void;
}
