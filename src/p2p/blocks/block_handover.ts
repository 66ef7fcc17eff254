import { present } from '../../base/assert.ts';
import { catchRefusal } from '../../base/refusal.ts';
import type { SignedBlockHeader } from '../../blocks/header.ts';
import type { FreshTransaction } from '../transactions/arriving_transactions.ts';
import { noteMerkleRoot } from '../../blocks/merkle.ts';
import { readTransaction, type VerifiedTransaction } from '../../blocks/transaction.ts';
import { ByteReader } from '../../codec/bytes.ts';
import { getBlockNumber, type BlockId } from '../../values/hash.ts';
import type { RebuiltBlock } from './block_rebuild.ts';
import type { BlockWant } from './block_want.ts';
import type { BlockOutcome, HeaderOutcome } from '../environment/chain_access.ts';
import { FreshVerifier, type FreshVerifierParts } from './fresh_verifier.ts';
import type { Peer } from '../peers/peer.ts';
import { RememberedIds } from '../peers/remembered_ids.ts';
import { SignedSlots } from './signed_slots.ts';

export interface BlockHandoverParts extends FreshVerifierParts {
  readonly claimed: (peer: Peer, number: number, id: BlockId, isUnlinkable: boolean) => void;
  readonly delivered: (peer: Peer) => void;
  /** A peer gave something other than the block; other peers have it. */
  readonly wantAgain: (want: BlockWant, peer: Peer) => void;
  /** The chain has answered for a block. */
  readonly done: (id: BlockId) => void;
}

const MOST_SUBMITTED = 8; // a parent, its child …: more come when these are done
const MOST_SUBMITTED_BYTES = 64 * 1024 * 1024;
const REFUSED_REMEMBERED = 512;

const NOBODY: readonly never[] = [];

/** Blocks on their way to our chain, and what it says of them. */
export class BlockHandover {
  readonly #parts: BlockHandoverParts;
  readonly #submitted = new Set<BlockId>();
  #submittedBytes = 0;
  /** Blocks whose header was checked and that the chain refused. */
  readonly #refused = new RememberedIds(REFUSED_REMEMBERED);
  readonly #slots = new SignedSlots();
  readonly #proof: FreshVerifier;

  constructor(parts: BlockHandoverParts) {
    this.#parts = parts;
    this.#proof = new FreshVerifier(parts);
  }

  get isFull(): boolean {
    return this.#submitted.size >= MOST_SUBMITTED;
  }

  isSubmitted(id: BlockId): boolean {
    return this.#submitted.has(id);
  }

  /** Returns whether nothing more is wanted of a block: it is known, on its way, or refused. */
  isHere(id: BlockId): boolean {
    return this.#submitted.has(id) || this.#refused.has(id) || this.#parts.environment.view.knows(id);
  }

  isTwin(id: BlockId, header: SignedBlockHeader): boolean {
    return this.#slots.isTwin(id, header);
  }

  noteSigned(id: BlockId, header: SignedBlockHeader): void {
    this.#slots.note(id, header);
  }

  /** A block of which all is here: what nobody has verified before is verified, then the chain has it. */
  submit({ signer, isVouchedFor }: BlockWant, peer: Peer, built: RebuiltBlock): void {
    const done = this.#begin(peer, built.id, built.header, built.packed);
    if (done === undefined) return;
    const { id, number, header, headerBytes, packed, transactions } = built;
    const fresh = transactions.filter(isFresh);
    const { intake, view } = this.#parts.environment;
    // A block that doesn't follow the head is kept aside, and may become part of a branch that nobody vouches for.
    const believed =
      isVouchedFor && fresh.length > 0 && header.previous === view.head.id ? unverified(transactions) : undefined;
    if (believed !== undefined) {
      noteMerkleRoot(believed, header.transaction_merkle_root);
      const block = { number, id, header, headerBytes, packed, transactions: believed, signer, isUnverified: true };
      return intake.submitVerified(block, peer.id, done);
    }
    this.#proof.verify(fresh, ({ verified: proven, refusal }) => {
      // Its witness has signed something that is no transaction.
      if (proven === undefined)
        return done(
          refusal === undefined ? { kind: 'unlinkable' } : { kind: 'refused', fault: 'nobody', reason: refusal },
        );
      const verified = withVerified(transactions, proven);
      // It was looked at when the block was put together: 13 ms of 10 000 transactions.
      noteMerkleRoot(verified, header.transaction_merkle_root);
      intake.submitVerified({ number, id, header, headerBytes, packed, transactions: verified, signer }, peer.id, done);
    });
  }

  /**
   * A block that is too large to be read here. Its header was right, so that who sent it has to answer for its body.
   */
  submitUnread(want: BlockWant, peer: Peer, header: SignedBlockHeader, packed: Uint8Array): void {
    const done = this.#begin(peer, want.id, header, packed);
    if (done === undefined) return;
    const { intake, view } = this.#parts.environment;
    intake.submitBlocks(
      [packed],
      {
        isFirst: true,
        isLast: true,
        isVouchedFor: want.isVouchedFor && header.previous === view.head.id,
        from: peer.id,
      },
      ([outcome = { kind: 'unlinkable' }]) => {
        const isBody = outcome.kind === 'refused' && outcome.fault === 'sender';
        done(isBody ? { ...outcome, fault: 'nobody' } : outcome, isBody);
        if (!isBody) return;
        peer.offend('lie', outcome.reason);
        this.#parts.wantAgain(want, peer);
      },
    );
  }

  refuse(peer: Peer, id: BlockId, header: SignedBlockHeader, outcome: Exclude<HeaderOutcome, { kind: 'right' }>): void {
    if (outcome.kind === 'unlinkable') return this.#parts.claimed(peer, getBlockNumber(id), id, true);
    if (outcome.kind !== 'refused') return;
    const { fault, reason } = outcome;
    this.#refused.add(id);
    if (fault === 'nobody') this.noteSigned(id, header);
    if (fault === 'sender') peer.offend('lie', reason);
    if (fault === 'branch') peer.offend('doubtful_block', reason);
  }

  /** Undefined when there is no room. What it returns takes the chain's answer. */
  #begin(
    peer: Peer,
    id: BlockId,
    header: SignedBlockHeader,
    packed: Uint8Array,
  ): ((outcome: BlockOutcome, isForgiven?: boolean) => void) | undefined {
    if (this.isFull || this.#submittedBytes + packed.length > MOST_SUBMITTED_BYTES) return undefined;
    this.#submitted.add(id);
    this.#submittedBytes += packed.length;
    const isAhead = getBlockNumber(id) > this.#parts.environment.view.head.number;
    return (outcome, isForgiven = false) => {
      this.#submitted.delete(id);
      this.#submittedBytes -= packed.length;
      if (outcome.kind === 'taken') this.#noteTaken(peer, isAhead);
      if (!isForgiven) this.refuse(peer, id, header, outcome);
      this.#parts.done(id);
    };
  }

  #noteTaken(peer: Peer, isAhead: boolean): void {
    if (!isAhead) return;
    peer.deliveries++;
    peer.score.earn(this.#parts.environment.clock.elapsedMs());
    this.#parts.delivered(peer);
  }
}

/** All of a block, with those that have been verified in the places of those that were not known. */
function withVerified(
  transactions: RebuiltBlock['transactions'],
  proven: readonly VerifiedTransaction[],
): VerifiedTransaction[] {
  const some = proven.values();
  const verified: VerifiedTransaction[] = [];
  for (const one of transactions) verified.push(isFresh(one) ? present(some.next().value, 'what was verified') : one);
  return verified;
}

function isFresh(one: VerifiedTransaction | FreshTransaction): one is FreshTransaction {
  return one.signers === undefined;
}

/** Transactions of which nobody looks who has signed those that were not known; undefined when one is none. */
function unverified(transactions: RebuiltBlock['transactions']): readonly VerifiedTransaction[] | undefined {
  const read = (one: RebuiltBlock['transactions'][number]): VerifiedTransaction =>
    one.signers === undefined ? { ...readTransaction(new ByteReader(one.packed)), signers: NOBODY } : one;
  let all: readonly VerifiedTransaction[] | undefined;
  const refusal = catchRefusal(() => void (all = transactions.map(read)));
  return refusal === undefined && all?.every(({ leaf }, index) => leaf === transactions[index]?.leaf) === true
    ? all
    : undefined;
}
