import type { Port } from '../../base/port.ts';
import { hasValidSignature, type SignedHeartbeat } from '../../blocks/alive.ts';
import type { VerifiedBlock } from '../../blocks/block.ts';
import type { Certificate, VerifySignature } from '../../blocks/finality/certificate.ts';
import type { Vote } from '../../blocks/finality/vote.ts';
import { blockId, headerNumber, type SignedBlockHeader } from '../../blocks/header.ts';
import { blockSigner } from '../../blocks/verify.ts';
import { isVoteSigned } from '../../blocks/finality/vote_signature.ts';
import type {
  BlockOutcome,
  ChainIntake,
  HeaderOutcome,
  TransactionVerification,
  SentTransactions,
  SubmissionPlace,
  TransactionOutcome,
} from '../../p2p/environment/chain_access.ts';
import type { Environment } from '../../p2p/environment/environment.ts';
import { GatheredBundles } from '../../p2p/transactions/gathered_bundles.ts';
import { IdTable } from '../../p2p/transactions/id_table.ts';
import { bundle } from '../../wire/messages/bundle.ts';
import { InFlight } from '../../system/in_flight.ts';
import type { Answer, Answered, Question } from '../../system/questions.ts';
import { readOutcomes } from '../../verifiers/bundle_outcomes.ts';
import { encodePackedItems } from '../../blocks/packed_items.ts';
import { decodeVerifiedBatch } from '../../blocks/verified_batch.ts';
import { encodeVerifiedBlocks } from '../../blocks/verified_blocks.ts';
import type { FromNetwork, NetworkQuestions, SentVerification, ToNetwork } from './network_messages.ts';
import { ID_BYTES, type Digest } from '../../values/hash.ts';
import type { NodeId } from '../../wire/wire_values.ts';

/** More than may be on their way: the writer has left out what it had accepted, which nobody takes out of here. */
const MOST_FROM_PEERS = 65_536;

/** A bundle that waits for others, and who hears of it. */
interface Gathered {
  readonly from: NodeId;
  readonly bundle: Uint8Array<ArrayBuffer>;
  readonly count: number;
  readonly ids: Uint8Array;
  readonly done: (outcomes: readonly TransactionOutcome[]) => void;
}

const NO_OUTCOMES = new Uint8Array();
/** There is an outcome for each block. */
const UNDECIDED_BLOCK: BlockOutcome = { kind: 'unlinkable' };

/** The way to the chain: over the front, which has the verifiers and the writer. */
export class FrontIntake implements ChainIntake {
  readonly #front: Port<ToNetwork, FromNetwork>;
  readonly #inFlight = new InFlight<NetworkQuestions>();
  /** Ids of transactions that came from peers and are on their way through the chain. */
  readonly #fromPeers: IdTable;
  readonly #gathered: GatheredBundles<Gathered>;

  constructor(
    front: Port<ToNetwork, FromNetwork>,
    { clock, randomSource }: Pick<Environment, 'clock' | 'randomSource'>,
  ) {
    this.#front = front;
    this.#fromPeers = new IdTable(randomSource);
    this.#gathered = new GatheredBundles(clock, (some) => this.#submitTogether(some));
  }

  /** Returns whether a transaction that is now accepted came from a peer; to be asked once. */
  takeFromPeer(ids: Uint8Array, at: number): boolean {
    return this.#fromPeers.delete(ids, at);
  }

  submitBlocks(
    blocks: readonly Uint8Array[],
    place: SubmissionPlace,
    done: (outcomes: readonly BlockOutcome[]) => void,
  ): void {
    const encoded = encodePackedItems(blocks);
    this.#ask({ kind: 'blocks', blocks: encoded, place }, done, [encoded.buffer]);
  }

  /**
   * The signature is looked at here, 42 µs: in the pool of verifiers it would wait behind ten milliseconds of
   * transactions.
   */
  judgeHeader(header: SignedBlockHeader, done: (outcome: HeaderOutcome) => void): void {
    const signer = blockSigner({ header });
    const block = { id: blockId(header), number: headerNumber(header), header, signer };
    this.#ask({ kind: 'header', block }, (judged) => done(judged.kind === 'right' ? { ...judged, signer } : judged));
  }

  verifyTransactions(packed: readonly Uint8Array[], done: (proven: TransactionVerification) => void): void {
    const transactions = encodePackedItems(packed);
    this.#ask({ kind: 'verify_transactions', transactions }, (proof) => done(readVerification(proof)), [
      transactions.buffer,
    ]);
  }

  submitVerified(block: VerifiedBlock, from: NodeId, done: (outcome: BlockOutcome) => void): void {
    const verified = encodeVerifiedBlocks([block]);
    this.#ask({ kind: 'verified_block', verified, from }, ([outcome = UNDECIDED_BLOCK]) => done(outcome), [
      verified.buffer,
    ]);
  }

  /** Looked at here like headers, 0.05 ms, which its sender pays. */
  hasValidSignature(chain: Digest, alive: SignedHeartbeat): boolean {
    return hasValidSignature(chain, alive);
  }

  submitAlive(alive: SignedHeartbeat, done: (isOfWitness: boolean) => void): void {
    this.#ask({ kind: 'alive', alive }, done);
  }

  /** Looked at here, as an `alive` is. */
  readonly isVoteSigned: VerifySignature = isVoteSigned;

  takeVotes(votes: readonly Vote[]): void {
    this.#front.post({ kind: 'heard_votes', votes, certificates: [] });
  }

  takeCertificate(certificate: Certificate): void {
    this.#front.post({ kind: 'heard_votes', votes: [], certificates: [certificate] });
  }

  submitTransactions(
    { from, transactions, ids, message }: SentTransactions,
    done: (outcomes: readonly TransactionOutcome[]) => void,
  ): void {
    if (this.#fromPeers.size > MOST_FROM_PEERS) this.#fromPeers.clear();
    for (let at = 0; at < ids.length; at += ID_BYTES) this.#fromPeers.put(ids, at);
    // It is moved to another thread.
    const bytes = message === undefined ? bundle.encode(transactions) : new Uint8Array(message);
    this.#gathered.add({ from, bundle: bytes, count: transactions.length, ids, done });
  }

  hurryTransactions(): void {
    this.#gathered.flush();
  }

  #submitTogether(some: readonly Gathered[]): void {
    const sent = some.map(({ from, bundle: encoded, count }) => ({ from, bundle: encoded, count }));
    this.#ask(
      { kind: 'transactions', sent },
      (outcomes) => this.#decide(some, outcomes),
      sent.map(({ bundle: { buffer } }) => buffer),
    );
  }

  #decide(some: readonly Gathered[], answers: readonly Uint8Array[]): void {
    for (const [index, { count, ids, done }] of some.entries()) {
      const outcomes = readOutcomes(answers[index] ?? NO_OUTCOMES, count);
      // An accepted transaction is announced on another way, before or behind this.
      for (let each = 0; each < count; each++)
        if (outcomes[each]?.outcome !== 'accepted') this.takeFromPeer(ids, each * ID_BYTES);
      done(outcomes);
    }
  }

  take<Kind extends keyof NetworkQuestions>({ to, ticket, value }: Answered<NetworkQuestions, Kind>): void {
    this.#inFlight.answer(to, ticket, value);
  }

  #ask<Kind extends keyof NetworkQuestions>(
    question: Question<NetworkQuestions, Kind>,
    done: (answer: Answer<NetworkQuestions, Kind>) => void,
    transfer: readonly ArrayBuffer[] = [],
  ): void {
    this.#front.post({ kind: 'ask', ticket: this.#inFlight.add(question.kind, done), question }, transfer);
  }
}

function readVerification({ verified, refusal }: SentVerification): TransactionVerification {
  return verified === undefined
    ? { refusal }
    : { verified: verified.flatMap((bytes) => decodeVerifiedBatch(bytes).map((one) => one.verified)) };
}
