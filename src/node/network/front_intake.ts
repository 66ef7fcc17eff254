import type { Clock } from '../../base/clock.ts';
import type { Port } from '../../base/port.ts';
import { isAliveSigned, type SignedAlive } from '../../blocks/alive.ts';
import type { VerifiedBlock } from '../../blocks/block.ts';
import { blockId, numberOf, type SignedBlockHeader } from '../../blocks/header.ts';
import { blockSigner } from '../../blocks/verify.ts';
import type {
  BlockOutcome,
  ChainIntake,
  HeaderJudgement,
  HeaderOutcome,
  ProvenTransactions,
  SentTransactions,
  SubmissionPlace,
  TransactionOutcome,
} from '../../p2p/chain_access.ts';
import { bundle } from '../../p2p/messages/bundle.ts';
import { encodePackedItems } from '../threads/packed_items.ts';
import { decodeVerifiedBatch } from '../threads/verified_batch.ts';
import { encodeVerifiedBlocks } from '../threads/verified_blocks.ts';

import { GatheredBundles } from './gathered_bundles.ts';
import type { FromNetwork, ToNetwork } from './network_messages.ts';
import { outcomesIn, type SentVerdicts } from './sent_verdicts.ts';
import type { Digest, TransactionId } from '../../values/hash.ts';
import type { NodeId } from '../../p2p/wire_values.ts';

/** More than may be on their way: the writer has left out what it had accepted, which nobody takes out of here. */
const MOST_FROM_PEERS = 65_536;

/** What the front answers to questions of the network. */
export type FrontAnswer = Extract<
  ToNetwork,
  { readonly kind: 'block_outcomes' | 'header_judgement' | 'proven' | 'transaction_verdicts' | 'alive_verdict' }
>;

/** A bundle that waits for others, and who hears of it. */
interface Gathered {
  readonly from: NodeId;
  readonly bundle: Uint8Array<ArrayBuffer>;
  readonly ids: readonly TransactionId[];
  readonly done: (outcomes: readonly TransactionOutcome[]) => void;
}

/** There is a verdict for each. */
const UNDECIDED: TransactionOutcome = { outcome: 'refused', isHintRight: true };

/** The way to the chain: over the front, which has the verifiers and the writer. */
export class FrontIntake implements ChainIntake {
  readonly #front: Port<ToNetwork, FromNetwork>;
  readonly #blocks = new Answers<readonly BlockOutcome[]>();
  readonly #headers = new Answers<HeaderJudgement>();
  readonly #proofs = new Answers<ProvenTransactions>();
  readonly #transactions = new Answers<SentVerdicts>();
  readonly #alives = new Answers<boolean>();
  /** Ids of transactions that came from peers and are on their way through the chain. */
  readonly #fromPeers = new Set<TransactionId>();
  readonly #gathered: GatheredBundles<Gathered>;

  constructor(front: Port<ToNetwork, FromNetwork>, clock: Clock) {
    this.#front = front;
    this.#gathered = new GatheredBundles(clock, (some) => this.#submitTogether(some));
  }

  /** Whether a transaction that is now accepted came from a peer; to be asked once. */
  takeFromPeer(id: TransactionId): boolean {
    return this.#fromPeers.delete(id);
  }

  submitBlocks(blocks: readonly Uint8Array[], place: SubmissionPlace, done: (outcomes: readonly BlockOutcome[]) => void): void {
    const encoded = encodePackedItems(blocks);
    this.#front.post({ kind: 'blocks', number: this.#blocks.await(done), blocks: encoded, place }, [encoded.buffer]);
  }

  /** The signature is looked at here, 42 µs: in the pool of verifiers it would wait behind ten milliseconds of transactions. */
  judgeHeader(header: SignedBlockHeader, done: (outcome: HeaderOutcome) => void): void {
    const signer = blockSigner({ header });
    const number = this.#headers.await((judged) => done(judged.kind === 'right' ? { ...judged, signer } : judged));
    this.#front.post({ kind: 'header', number, block: { id: blockId(header), number: numberOf(header), header, signer } });
  }

  proveTransactions(packed: readonly Uint8Array[], done: (proven: ProvenTransactions) => void): void {
    const transactions = encodePackedItems(packed);
    this.#front.post({ kind: 'prove', number: this.#proofs.await(done), transactions }, [transactions.buffer]);
  }

  submitProved(block: VerifiedBlock, from: NodeId, done: (outcome: BlockOutcome) => void): void {
    const verified = encodeVerifiedBlocks([block]);
    const number = this.#blocks.await(([outcome = { kind: 'unlinkable' }]) => done(outcome));
    this.#front.post({ kind: 'proved_block', number, verified, from }, [verified.buffer]);
  }

  /** Looked at here like headers, 0.05 ms, which its sender pays. */
  isAliveSigned(chain: Digest, alive: SignedAlive): boolean {
    return isAliveSigned(chain, alive);
  }

  submitAlive(alive: SignedAlive, done: (isOfWitness: boolean) => void): void {
    this.#front.post({ kind: 'alive', number: this.#alives.await(done), alive });
  }

  submitTransactions({ from, transactions, ids }: SentTransactions, done: (outcomes: readonly TransactionOutcome[]) => void): void {
    if (this.#fromPeers.size > MOST_FROM_PEERS) this.#fromPeers.clear();
    for (const id of ids) this.#fromPeers.add(id);
    this.#gathered.add({ from, bundle: bundle.encode(transactions), ids, done });
  }

  hurryTransactions(): void {
    this.#gathered.flush();
  }

  #submitTogether(some: readonly Gathered[]): void {
    const number = this.#transactions.await((verdicts) => {
      const outcomes = outcomesIn(
        verdicts,
        some.flatMap(({ ids }) => ids),
      ).values();
      for (const { ids, done } of some) {
        const found = ids.map(() => outcomes.next().value ?? UNDECIDED);
        // What is accepted is told of on another way, before or behind this.
        for (const [index, id] of ids.entries()) if (found[index]?.outcome !== 'accepted') this.#fromPeers.delete(id);
        done(found);
      }
    });
    const sent = some.map(({ from, bundle: encoded }) => ({ from, bundle: encoded }));
    this.#front.post(
      { kind: 'transactions', number, sent },
      sent.map(({ bundle: { buffer } }) => buffer),
    );
  }

  take(message: FrontAnswer): void {
    switch (message.kind) {
      case 'block_outcomes':
        return this.#blocks.answer(message.number, message.outcomes);
      case 'header_judgement':
        return this.#headers.answer(message.number, message.judgement);
      case 'proven': {
        const { verified, refusal } = message;
        const found = verified?.flatMap((bytes) => decodeVerifiedBatch(bytes).map((one) => one.verified));
        return this.#proofs.answer(message.number, found === undefined ? { refusal } : { verified: found });
      }
      case 'alive_verdict':
        return this.#alives.answer(message.number, message.isOfWitness);
      case 'transaction_verdicts':
        return this.#transactions.answer(message.number, message.verdicts);
    }
  }
}

/** Who waits for the answers to questions, by their numbers. */
class Answers<Answer> {
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;

  await(done: (answer: Answer) => void): number {
    this.#waiting.set(++this.#last, done);
    return this.#last;
  }

  answer(number: number, answer: Answer): void {
    const done = this.#waiting.get(number);
    this.#waiting.delete(number);
    done?.(answer);
  }
}
