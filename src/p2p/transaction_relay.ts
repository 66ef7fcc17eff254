import { sha256Hex } from '../crypto/hashes.ts';
import type { TransactionOutcome } from './chain_access.ts';
import type { MessageRouter } from './message_router.ts';
import { bundle, MOST_BUNDLED, type BundledTransaction } from './messages/bundle.ts';
import type { NetworkCounts } from './network_counts.ts';
import type { Outside } from './outside.ts';
import type { Peer } from './peer.ts';
import { RememberedIds } from './remembered_ids.ts';
import { MOST_FORGED_COUNTED } from './score.ts';

export interface TransactionRelayParts {
  readonly outside: Outside;
  readonly live: () => readonly Peer[];
  readonly router: MessageRouter<Peer>;
  /** While it is, what others send is not looked at. */
  readonly isBehind: () => boolean;
  readonly takesTransactions: boolean;
  readonly counts: NetworkCounts;
  /** How many bytes of bundles are kept for peers that come later. */
  readonly poolBytes: number;
}

/** A lonely transaction waits so long for company. */
const CLOSE_AFTER_MS = 20;
const CLOSE_AT_BYTES = 128 * 1024;
const SEEN_REMEMBERED = 65_536; // an hour of 20 a second
const ID_DIGITS = 32;
/** Bundles with the chain that have no answer yet: of one peer, and the bytes of all. More are dropped; that is nobody's fault. */
const MOST_OF_PEER = 8;
const MOST_SUBMITTED_BYTES = 16 * 1024 * 1024;

/** A bundle is kept so long for peers that come, or come back and have forgotten all: a hundred slots, when a chain is well. */
const KEPT_MS = 300_000;
/** What a peer that has just come is sent of them at most, the newest. */
const RESENT_BYTES = 4 * 1024 * 1024;

/** Transactions in bundles, pushed to every peer that isn't known to have them. Only what our own chain has accepted goes out. */
export class TransactionRelay {
  readonly #parts: TransactionRelayParts;
  readonly #seen = new RememberedIds(SEEN_REMEMBERED);
  readonly #submittedOf = new Map<Peer, number>();
  #submittedBytes = 0;
  /** Oldest first. */
  #kept: Kept[] = [];
  #keptBytes = 0;
  #collected: BundledTransaction[] = [];
  #collectedBytes = 0;
  #cancel: (() => void) | undefined;

  constructor(parts: TransactionRelayParts) {
    this.#parts = parts;
    parts.router.on(bundle, (peer, transactions) => this.#take(peer, transactions));
  }

  /** Bytes of bundles that the chain has not answered for. */
  get submittedBytes(): number {
    return this.#submittedBytes;
  }

  /** Bytes of bundles that are kept for peers that come later. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** A peer has come: what has gone out lately it may not have, or not any more. */
  joined(peer: Peer): void {
    if (!peer.takesTransactions) return;
    this.#forgetOld();
    let bytes = 0;
    const first = this.#kept.findLastIndex((one) => (bytes += one.bytes.length) > RESENT_BYTES) + 1;
    for (const { id, bytes: encoded } of this.#kept.slice(first)) this.#send(peer, id, encoded);
  }

  /** Our chain has accepted these from somebody who is no peer. */
  accepted(transactions: readonly BundledTransaction[]): void {
    for (const transaction of transactions) this.#collect(transaction);
    if (this.#collected.length > 0) this.#cancel ??= this.#parts.outside.clock.after(CLOSE_AFTER_MS, () => this.#close());
  }

  left(peer: Peer): void {
    this.#submittedOf.delete(peer);
  }

  stop(): void {
    this.#cancel?.();
  }

  #collect(transaction: BundledTransaction): void {
    if (this.#collected.length >= MOST_BUNDLED || this.#collectedBytes + transaction.packed.length > CLOSE_AT_BYTES) this.#close();
    this.#collected.push(transaction);
    this.#collectedBytes += transaction.packed.length;
  }

  #close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const collected = this.#collected;
    this.#collected = [];
    this.#collectedBytes = 0;
    if (collected.length === 0) return;
    const bytes = bundle.encode(collected);
    const id = idOf(bytes);
    this.#seen.add(id);
    this.#push(id, bytes);
  }

  #push(id: string, bytes: Uint8Array): void {
    this.#keep(id, bytes);
    for (const peer of this.#parts.live()) this.#send(peer, id, bytes);
  }

  #send(peer: Peer, id: string, bytes: Uint8Array): void {
    if (!peer.takesTransactions || peer.knownBundles.has(id)) return;
    peer.knownBundles.add(id);
    this.#parts.counts.bundles.sent++;
    peer.channel.sendEncoded(bundle, bytes);
  }

  #keep(id: string, bytes: Uint8Array): void {
    this.#kept.push({ id, bytes, atMs: this.#parts.outside.clock.elapsedMs() });
    this.#keptBytes += bytes.length;
    this.#forgetOld();
  }

  #forgetOld(): void {
    const { poolBytes, outside } = this.#parts;
    const endMs = outside.clock.elapsedMs() - KEPT_MS;
    let count = 0;
    for (const { bytes, atMs } of this.#kept) {
      if (atMs >= endMs && this.#keptBytes <= poolBytes) break;
      this.#keptBytes -= bytes.length;
      count++;
    }
    if (count > 0) this.#kept = this.#kept.slice(count);
  }

  #take(peer: Peer, transactions: readonly BundledTransaction[]): void {
    const { outside, isBehind, takesTransactions, counts } = this.#parts;
    const bytes = bundle.encode(transactions);
    const id = idOf(bytes);
    peer.knownBundles.add(id);
    if (!takesTransactions || isBehind()) return;
    if (this.#seen.has(id)) return void counts.bundles.known++;
    const open = this.#submittedOf.get(peer) ?? 0;
    if (open >= MOST_OF_PEER || this.#submittedBytes + bytes.length > MOST_SUBMITTED_BYTES) return;
    this.#seen.add(id);
    this.#submittedOf.set(peer, open + 1);
    this.#submittedBytes += bytes.length;
    outside.intake.submitTransactions(transactions, (outcomes) => {
      this.#submittedBytes -= bytes.length;
      const left = this.#submittedOf.get(peer);
      if (left !== undefined) this.#submittedOf.set(peer, left - 1);
      this.#relay({ peer, id, bytes, transactions }, outcomes);
    });
  }

  /** A bundle that was right goes on as it is; of another one what was right goes into one of ours. */
  #relay({ peer, id, bytes, transactions }: Submitted, outcomes: readonly TransactionOutcome[]): void {
    const forged = outcomes.filter((outcome) => outcome === 'forged').length;
    if (forged > 0) peer.offend('forged_transaction', 'a transaction that nobody can have signed', Math.min(forged, MOST_FORGED_COUNTED));
    const { bundles } = this.#parts.counts;
    const isRight = outcomes.every((outcome) => outcome === 'accepted' || outcome === 'known');
    const accepted = transactions.filter((_, index) => outcomes[index] === 'accepted');
    bundles[!isRight ? 'refused' : accepted.length === 0 ? 'known' : 'taken']++;
    if (accepted.length === 0) return;
    if (isRight) this.#push(id, bytes);
    else this.accepted(accepted);
  }
}

interface Kept {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly atMs: number;
}

interface Submitted {
  readonly peer: Peer;
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly transactions: readonly BundledTransaction[];
}

function idOf(bytes: Uint8Array): string {
  return sha256Hex(bytes).slice(0, ID_DIGITS);
}
