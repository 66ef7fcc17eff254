import { sha256Binary, sha256Hex } from '../../crypto/hashes.ts';
import { atOnce, type AnswerTurns } from '../peers/answer_turns.ts';
import type { ArrivingTransactions } from './arriving_transactions.ts';
import { BundleBuilder } from './bundle_builder.ts';
import { BundleFetch } from './bundle_fetch.ts';
import { BundlePush, MOST_PUSHED_BUNDLE_BYTES } from './bundle_push.ts';
import type { TransactionOutcome } from '../environment/chain_access.ts';
import { KeptBundles } from './kept_bundles.ts';
import { selectIds } from './id_table.ts';
import type { MessageRouter } from '../peers/message_router.ts';
import { bundle, type BundledTransaction } from '../../wire/messages/bundle.ts';
import { bundleRequest } from '../../wire/messages/bundle_request.ts';
import { messageNumber } from '../../wire/messages/index.ts';
import { unavailable } from '../../wire/messages/unavailable.ts';
import type { NetworkCounts } from '../peers/network_counts.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';
import type { Receipt } from '../peers/peer_credit.ts';
import { RememberedIds } from '../peers/remembered_ids.ts';
import { MOST_FORGED_COUNTED } from '../peers/score.ts';
import { SubmittedBundles } from './submitted_bundles.ts';
import type { TransactionPool } from './transaction_pool.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';
import { ID_BYTES, ID_DIGITS } from '../../values/hash.ts';

export interface TransactionRelayParts {
  readonly environment: Environment;
  readonly live: () => readonly Peer[];
  readonly router: MessageRouter<Peer>;
  readonly turns: AnswerTurns;
  readonly pool: TransactionPool;
  readonly arriving: ArrivingTransactions;
  /** While it is, what others send is not looked at. */
  readonly isBehind: () => boolean;
  readonly takesTransactions: boolean;
  readonly counts: NetworkCounts;
  /** Bytes of bundles that are kept for later peers. */
  readonly poolBytes: number;
}

const SEEN_REMEMBERED = 65_536; // an hour of 20 a second
const BUNDLE_ID_DIGITS = 32;
/** Bytes of the newest bundles that a new peer is sent or told of. */
const RESENT_BYTES = 4 * 1024 * 1024;

/** The verdict on a transaction of a bundle; `underWay` in another one, whose outcome is not known yet. */
interface Finding {
  readonly outcome: TransactionOutcome['outcome'] | 'underWay';
  readonly isHintRight: boolean;
}

/**
 * Transactions in bundles: small ones are pushed to every peer that isn't known to have them, of others it is told and
 * asks. Only what our own chain has accepted goes out, and a bundle as it came only when all of it was right.
 */
export class TransactionRelay {
  readonly #parts: TransactionRelayParts;
  readonly #seen = new RememberedIds(SEEN_REMEMBERED);
  readonly #kept: KeptBundles;
  readonly #builder: BundleBuilder;
  readonly #fetch: BundleFetch;
  readonly #push: BundlePush;
  readonly #submitted = new SubmittedBundles();

  constructor(parts: TransactionRelayParts) {
    this.#parts = parts;
    const { environment, router, turns, counts, poolBytes } = parts;
    this.#kept = new KeptBundles(poolBytes);
    this.#builder = new BundleBuilder(environment.clock, (transactions) => this.#close(transactions));
    this.#push = new BundlePush(environment.clock, counts);
    this.#fetch = new BundleFetch({
      ...{ environment, router, mayAsk: () => this.#mayLook },
      isWanted: (id) => parts.takesTransactions && !this.#seen.has(id),
    });
    router.on(bundle, (peer, transactions, bytes) => this.#take(peer, transactions, bytes));
    turns.on(bundleRequest, (peer, { ids }) => atOnce(() => this.#give(peer, ids)), true);
  }

  /** Bytes of bundles that the chain has not answered for. */
  get submittedBytes(): number {
    return this.#submitted.bytes;
  }

  /** Bytes of bundles that are kept for peers that come later. */
  get keptBytes(): number {
    return this.#kept.bytes;
  }

  /** The number of announced bundles that have not come. */
  get fetches(): number {
    return this.#fetch.size;
  }

  /** A peer has come: what has gone out lately it may not have, or not any more. */
  joined(peer: Peer): void {
    this.#kept.forgetOld(this.#nowMs);
    for (const kept of this.#kept.newest(RESENT_BYTES)) this.#push.send(peer, kept);
  }

  /** Our chain has accepted these from somebody who is no peer. */
  accepted(transactions: readonly BundledTransaction[]): void {
    this.#builder.add(transactions);
  }

  tick(): void {
    this.#fetch.tick();
  }

  left(peer: Peer): void {
    this.#submitted.left(peer);
    this.#fetch.left(peer);
    this.#push.left(peer);
  }

  stop(): void {
    this.#builder.stop();
    this.#push.stop();
  }

  #close(transactions: readonly BundledTransaction[]): void {
    const bytes = bundle.encode(transactions);
    const id = packedId(bytes);
    this.#seen.add(id);
    this.#offer(id, bytes, transactions.length);
  }

  #offer(id: string, bytes: Uint8Array, transactions: number): void {
    const kept = { id, bytes, transactions, atMs: this.#nowMs };
    this.#kept.add(kept);
    for (const peer of this.#parts.live()) this.#push.send(peer, kept);
  }

  #give(peer: Peer, ids: readonly string[]): void {
    for (const id of ids) {
      const kept = peer.isBusy ? undefined : this.#kept.get(id);
      if (kept === undefined) peer.send(unavailable, { kind: messageNumber(bundle), id: id.padEnd(ID_DIGITS, '0') });
      else this.#push.give(peer, kept);
    }
  }

  /** False while bundles would be looked at in vain, or find no room. */
  get #mayLook(): boolean {
    const { isBehind, pool } = this.#parts;
    return !isBehind() && !pool.isFull;
  }

  #take(peer: Peer, transactions: readonly BundledTransaction[], bytes: Uint8Array): void {
    const { isBehind, takesTransactions, counts } = this.#parts;
    const id = packedId(bytes);
    peer.knownBundles.add(id);
    const saidBytes = this.#fetch.askedBytes(peer, id);
    if (saidBytes === undefined && !this.#mayPush(peer, id, bytes.length)) return;
    // A bundle that is longer than announced is charged by its length.
    if (saidBytes !== undefined) peer.credit.oweBundle(bytes.length - saidBytes, this.#nowMs);
    this.#fetch.came(id);
    if (!takesTransactions) return;
    // A node that has just started hears of waiting bundles before it is in step.
    if (isBehind()) return this.#fetch.hear(peer, id, bytes.length);
    if (this.#seen.has(id)) return void counts.bundles.known++;
    if (!this.#submitted.hasRoomFor(peer, bytes)) return;
    this.#seen.add(id);
    this.#submit({ peer, id, bytes, transactions, receipt: peer.receipt });
  }

  /**
   * Returns whether what is not waited for may come: little, late, or from an older node, and with credit. What is late
   * is paid for twice, until the chain accepts it.
   */
  #mayPush(peer: Peer, id: string, bytes: number): boolean {
    const isLarge = bytes > MOST_PUSHED_BUNDLE_BYTES && peer.takesPushes;
    const isUnasked = isLarge && !peer.askedBundles.has(id);
    if (isUnasked) peer.offend('body_unasked', 'a large bundle that nobody asked for');
    return !isUnasked && peer.credit.takeBundle(bytes, this.#nowMs);
  }

  /** Only what is not known is verified, and only once however many bring it. */
  #submit(came: Came): void {
    const { environment, arriving } = this.#parts;
    const { peer, bytes, transactions } = came;
    const ids = computeIds(transactions);
    const findings: (Finding | undefined)[] = [];
    const fresh: BundledTransaction[] = [];
    for (const [index, one] of transactions.entries()) {
      const finding = this.#makeFinding(one, ids, index * ID_BYTES);
      findings.push(finding);
      if (finding === undefined) fresh.push(one);
    }
    if (fresh.length === 0) return this.#finish(came, ids, findings);
    const isAllFresh = fresh.length === transactions.length;
    const freshIds = isAllFresh ? ids : selectIds(ids, (index) => findings[index] === undefined);
    arriving.add(freshIds, fresh);
    const end = this.#submitted.begin(peer, bytes);
    const message = isAllFresh ? bytes : undefined;
    environment.intake.submitTransactions(
      { from: peer.id, transactions: fresh, ids: freshIds, message },
      (outcomes) => {
        arriving.decided(freshIds);
        end();
        const answers = outcomes.values();
        this.#finish(came, ids, isAllFresh ? outcomes : findings.map((finding) => finding ?? answers.next().value));
      },
    );
  }

  #makeFinding({ key, packed }: BundledTransaction, ids: Uint8Array, at: number): Finding | undefined {
    const { pool, arriving } = this.#parts;
    const slot = pool.find(ids, at);
    if (pool.isSame(slot, packed)) return { outcome: 'known', isHintRight: (pool.signerOf(slot) ?? NULL_KEY) === key };
    if (arriving.has(ids, at)) return { outcome: 'underWay', isHintRight: true };
    // The chain has it already, and who has signed what came now is not known, so it goes no further.
    return pool.wasInBlock(ids, at) ? { outcome: 'refused', isHintRight: true } : undefined;
  }

  /** A bundle that was right goes on as it is; of another one what was right goes into one of ours. */
  #finish(came: Came, ids: Uint8Array, findings: readonly (Finding | undefined)[]): void {
    const { peer, id, bytes, transactions } = came;
    const { counts, pool } = this.#parts;
    const sums = countFindings(findings);
    blame(peer, sums);
    this.#settle(came, sums);
    const isRight = sums.right === transactions.length;
    counts.bundles[!isRight ? 'refused' : sums.accepted === 0 ? 'known' : 'taken']++;
    // A payer who has had a share of the pool has had one of the network, too.
    const roomy: BundledTransaction[] = [];
    for (const [index, one] of transactions.entries()) {
      const { outcome, isHintRight = false } = findings[index] ?? {};
      if (outcome !== 'accepted') continue;
      const key = isHintRight ? one.key : this.#signerOf(ids, index * ID_BYTES);
      if (key !== undefined && pool.hasRoomFor(key, one.packed.length)) roomy.push(isHintRight ? one : { ...one, key });
    }
    if (roomy.length === 0) return;
    if (isRight && roomy.length === sums.accepted) this.#offer(id, bytes, transactions.length);
    else this.accepted(roomy);
  }

  /**
   * A peer pays nothing for transactions that the chain accepts. Refused ones have cost verifiers and writer; the peer
   * is charged for them.
   */
  #settle({ peer, bytes, receipt }: Came, { refused, forged }: FindingCounts): void {
    const nowMs = this.#nowMs;
    peer.credit.chargeRefused(refused, nowMs);
    if (refused > 0 || forged > 0) return;
    peer.credit.oweBundle(-bytes.length, nowMs);
    peer.credit.giveBack(receipt, nowMs);
  }

  /** The true signer where a peer's hint was wrong; undefined for an unknown transaction. */
  #signerOf(ids: Uint8Array, at: number): PublicKey | undefined {
    const { pool } = this.#parts;
    return pool.signerOf(pool.find(ids, at));
  }

  get #nowMs(): number {
    return this.#parts.environment.clock.elapsedMs();
  }
}

interface Came {
  readonly peer: Peer;
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly transactions: readonly BundledTransaction[];
  readonly receipt: Receipt;
}

/** Findings of a bundle, counted by kind. */
interface FindingCounts {
  accepted: number;
  refused: number;
  forged: number;
  /** With a wrong hint, but not forged. */
  misled: number;
  /** Accepted or known, with a right hint. */
  right: number;
}

function countFindings(findings: readonly (Finding | undefined)[]): FindingCounts {
  const counts = { accepted: 0, refused: 0, forged: 0, misled: 0, right: 0 };
  for (const finding of findings) {
    if (finding === undefined) continue;
    const { outcome, isHintRight } = finding;
    if (outcome === 'accepted' || outcome === 'refused' || outcome === 'forged') counts[outcome]++;
    if (!isHintRight && outcome !== 'forged') counts.misled++;
    if (isHintRight && (outcome === 'accepted' || outcome === 'known')) counts.right++;
  }
  return counts;
}

function blame(peer: Peer, { forged, misled }: FindingCounts): void {
  const counted = Math.min(forged, MOST_FORGED_COUNTED);
  if (forged > 0) peer.offend('forged_transaction', 'a transaction that nobody can have signed', counted);
  if (misled > 0 && counted < MOST_FORGED_COUNTED)
    peer.offend(
      'wrong_hint',
      'a transaction with a key that has not signed it',
      Math.min(misled, MOST_FORGED_COUNTED - counted),
    );
}

/** The id of each as the length of its unsigned form says, one behind the other. */
function computeIds(transactions: readonly BundledTransaction[]): Uint8Array {
  const ids = Buffer.alloc(transactions.length * ID_BYTES);
  for (const [index, { packed, unsignedBytes }] of transactions.entries())
    ids.write(sha256Binary(packed.subarray(0, unsignedBytes)), index * ID_BYTES, ID_BYTES, 'latin1');
  return ids;
}

function packedId(bytes: Uint8Array): string {
  return sha256Hex(bytes).slice(0, BUNDLE_ID_DIGITS);
}
