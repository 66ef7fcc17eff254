import type { SignedAlive } from '../blocks/alive.ts';
import type { SignedBlockHeader } from '../blocks/header.ts';
import type { VerifiedBlock } from '../blocks/block.ts';
import type { VerifiedTransaction } from '../blocks/transaction.ts';
import type { BlockId, Digest, TransactionId } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';
import type { BundledTransaction } from './messages/bundle.ts';
import type { NodeId } from './wire_values.ts';

/** Where a chain stands. */
export interface ChainPosition {
  readonly number: number;
  readonly id: BlockId;
  readonly time: Seconds;
  /** The last block that can't be taken back any more. */
  readonly irreversible: number;
  /** Of the state behind it, where that is told. */
  readonly stateHash?: Digest | undefined;
}

/** What one write changed in the main branch, which is to be seen by then. */
export interface ChainNews {
  /** Blocks that left it, oldest first. */
  readonly undone: readonly BlockId[];
  /** Blocks that are new on it, oldest first. */
  readonly applied: readonly BlockId[];
  /** Of each of these blocks the ids of its transactions, 20 bytes each, as far as they are told. */
  readonly transactionIds?: readonly Uint8Array[] | undefined;
  readonly head: ChainPosition;
}

/** What the network reads of the chain, at once. */
export interface ChainView {
  readonly chainId: Digest;
  /** The hash of the chain's profile. */
  readonly profile: Digest;
  /** When the first slot began, and how long slots are; undefined for a development chain, which moves its own time. */
  readonly slots: { readonly genesisTime: Seconds; readonly intervalSeconds: number } | undefined;
  readonly head: ChainPosition;
  /** The oldest block that can be given. */
  readonly oldestBlock: number;
  /** The id of the main branch's block of that number; all zero for 0, what the first block follows. */
  idAt(number: number): BlockId | undefined;
  /** The main branch's block of that number, packed. */
  packedAt(number: number): Uint8Array | undefined;
  /** Whether a block can be followed: it is on the main branch or on a known other one. */
  knows(id: BlockId): boolean;
}

/**
 * What became of a block. `sender` is at fault when it is out of form or not what its header says, or when its witness can't have signed
 * it; `branch` when that holds off the main branch, or when a branch was tried in vain for such a block; nobody when its witness is, or nobody.
 */
export type BlockOutcome =
  | { readonly kind: 'taken' | 'known' }
  | { readonly kind: 'unlinkable' }
  | { readonly kind: 'refused'; readonly fault: 'sender' | 'branch' | 'nobody'; readonly reason: string };

/**
 * A header by itself: `right` when its block is new and the witness of its slot may have signed it. It is proven when the witness had that
 * key at the branch point; otherwise only its branch can tell.
 */
export type HeaderJudgement = BlockOutcome | { readonly kind: 'right'; readonly isProven: boolean };
export type HeaderOutcome = BlockOutcome | { readonly kind: 'right'; readonly isProven: boolean; readonly signer: PublicKey | undefined };

/** What was found out about transactions; or why one of them is none, undefined when nobody could look. */
export type ProvenTransactions =
  | { readonly verified: readonly VerifiedTransaction[]; readonly refusal?: undefined }
  | { readonly verified?: undefined; readonly refusal: string | undefined };

/**
 * What became of a transaction; a `forged` one can't have been relayed by an honest node, nor can one whose key is not the one that signed
 * it.
 */
export interface TransactionOutcome {
  readonly outcome: 'accepted' | 'known' | 'refused' | 'forged';
  readonly isHintRight: boolean;
}

/** What a peer has sent of which the chain has not heard. */
export interface SentTransactions {
  readonly from: NodeId;
  readonly transactions: readonly BundledTransaction[];
  /** Of each, if the length of its unsigned form is as it says. */
  readonly ids: readonly TransactionId[];
}

/** Where a submission stands among those of one branch. */
export interface SubmissionPlace {
  /** It follows none whose blocks wait. */
  readonly isFirst: boolean;
  /** Nothing will follow it soon, so nothing has to wait. */
  readonly isLast: boolean;
  /** Somebody whom the operator trusts vouches for the signatures of its transactions: they are not proved. */
  readonly isVouchedFor: boolean;
  /** The peer that brought the last of the blocks. */
  readonly from: NodeId;
}

/** What the network hands to the chain. Answers come later, in the order of the questions; never before the call has returned. */
export interface ChainIntake {
  /**
   * Blocks that follow each other, packed. What comes behind the first refused one is not tried: there are that many outcomes. Those of the
   * last blocks may come with the next submission, unless this is the last one.
   */
  submitBlocks(blocks: readonly Uint8Array[], place: SubmissionPlace, done: (outcomes: readonly BlockOutcome[]) => void): void;
  /** Looks at the header of a block alone; what it follows must be known or submitted. */
  judgeHeader(header: SignedBlockHeader, done: (outcome: HeaderOutcome) => void): void;
  /** Finds out who has signed packed transactions; nothing else is done with them. */
  proveTransactions(packed: readonly Uint8Array[], done: (proven: ProvenTransactions) => void): void;
  /** A block of which all signers are known: nothing is proved again. */
  submitProved(block: VerifiedBlock, from: NodeId, done: (outcome: BlockOutcome) => void): void;
  /** Whether an `alive` of that chain is signed with the key that it names; at once. */
  isAliveSigned(chain: Digest, alive: SignedAlive): boolean;
  /** One that is signed: whether by a witness of a branch that is kept. */
  submitAlive(alive: SignedAlive, done: (isOfWitness: boolean) => void): void;
  /** Transactions of a bundle; the verdicts are in their order. They may wait for others for a moment. */
  submitTransactions(sent: SentTransactions, done: (outcomes: readonly TransactionOutcome[]) => void): void;
  /** A block waits for the verdict on some of them: they wait for others no longer. */
  hurryTransactions(): void;
}
