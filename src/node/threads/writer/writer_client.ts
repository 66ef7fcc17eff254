import type { SlotTimes, SeenInStep } from '../../../production/reports.ts';
import { Fault } from '../../../base/fault.ts';
import type { SignedHeartbeat } from '../../../blocks/alive.ts';
import type { Port } from '../../../base/port.ts';
import type { PeersSeen } from '../../../witness/key_guard.ts';
import type { FinalityUpdate } from '../../../p2p/finality/finality_relay.ts';
import type { ChainFollower, ChainMessage } from '../../../feed/chain_feed.ts';
import type { PendingMessage } from '../../../feed/transaction_feed.ts';
import { RequestSender } from '../../../system/request_sender.ts';
import type { FollowRequest, FromWriter, HeardVotes, ToWriter, WriterQuestions } from '../messages.ts';
import type { VerifierReport } from '../../../verifiers/verifier_report.ts';
import type { VotingNews } from '../../../voting/voting_news.ts';
import type { Answer, Question } from '../../../system/questions.ts';
import { receivedRefusal } from '../../../system/sent_refusal.ts';

/** The front's handlers for messages from the writer. */
export interface WriterListener {
  /** The report comes with verdicts on a batch that the writer has verified itself. */
  verdicts(bytes: Uint8Array, beganMs: number, report: VerifierReport | undefined): void;
  verifierLoaded(): void;
  /** The writer could not verify the batch that it was given. */
  unverified(): void;
  /** Accepted transactions wait no longer without being in a block. */
  dropped(bytes: Uint8Array): void;
  /** The node has produced a block for a slot. */
  produced(slot: SlotTimes): void;
  /** A witness of this node has signed that it is there. */
  alive(alive: SignedHeartbeat): void;
  /** The chain has votes and certificates for peers. */
  finality(news: readonly FinalityUpdate[]): void;
  /** The standby with that id among peers gets a switch. */
  standbySwitch(node: string, packed: Uint8Array): void;
  /** Problems of production for the operator; they replace the earlier ones. */
  production(problems: readonly string[]): void;
  /** A new block has become final so long after its slot began. */
  finalised(afterMs: number): void;
  /** Tells the state of finality, in each slot. */
  voting(news: VotingNews): void;
  /** The writer has stopped by itself: nothing more will be written. */
  failed(fault: Fault): void;
}

/** Hears of transactions that wait for a block; calls `taken` once it has no more use for the message. */
export type PendingWatcher = (message: PendingMessage, taken: () => void) => void;

/** The writer's message once the chain is open. */
export type Ready = Extract<FromWriter, { kind: 'ready' }>;

/**
 * The most requests that may wait for the writer: it answers between two transactions, so more means that it is stuck.
 */
const MAX_QUESTIONS = 10_000;

/** The front's connection to the writer. */
export class WriterClient {
  readonly #port: Port<FromWriter, ToWriter>;
  readonly #questions = new RequestSender<WriterQuestions>(MAX_QUESTIONS, 'the writer does not answer');
  readonly #listener: WriterListener;
  readonly #end: () => Promise<void>;
  readonly #followers: ChainFollower[] = [];
  #watcher: PendingWatcher = (_message, taken) => taken();
  #ready: { readonly resolve: (ready: Ready) => void; readonly reject: (error: unknown) => void } | undefined;
  readonly #opened: Promise<Ready>;
  #stopped: (() => void) | undefined;
  #hasFailed = false;

  /** `end` ends the writer's thread once it has stopped. */
  constructor(
    port: Port<FromWriter, ToWriter>,
    listener: WriterListener,
    end: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#port = port;
    this.#listener = listener;
    this.#end = end;
    this.#opened = new Promise((resolve, reject) => {
      this.#ready = { resolve, reject };
    });
    // The failure is reported to callers of `opened` and to the listener.
    this.#opened.catch(() => undefined);
    port.listen((message) => this.#take(message));
  }

  /** Resolves when the chain is open; rejects with the Fault that prevented that. */
  async opened(): Promise<Ready> {
    return await this.#opened;
  }

  /** Gives the writer a message port from a verifier. */
  connect(port: Port<Uint8Array, never>): void {
    this.#port.post({ kind: 'verifier', port });
  }

  loadVerifier(): void {
    this.#port.post({ kind: 'load_verifier' });
  }

  /** Has the writer verify a small batch itself. */
  verify(batch: Uint8Array): void {
    this.#port.post({ kind: 'verify', batch });
  }

  /** From now on a part in this thread is notified of what is written. */
  follow(follower: ChainFollower): void {
    this.#followers.push(follower);
  }

  /** From now on that part of this thread hears of transactions that wait for a block, whenever `watch` says so. */
  watchPending(watcher: PendingWatcher): void {
    this.#watcher = watcher;
  }

  /** Returns whether anybody wants to hear of them. */
  watch(isWatched: boolean): void {
    this.#port.post({ kind: 'watch', isWatched });
  }

  /** The same as `follow` for a part in any thread, over a message port of its own and at its own pace. */
  connectFollower(request: FollowRequest): void {
    this.#port.post(request);
  }

  /** Sends a request that the writer answers from the pending state, or passes it a block. */
  async ask<Kind extends keyof WriterQuestions>(
    question: Question<WriterQuestions, Kind>,
  ): Promise<Answer<WriterQuestions, Kind>> {
    return await this.#questions.ask(question, (asked) => this.#port.post(asked));
  }

  /** Passes on the network's knowledge of its peers. */
  tellPeers(seen: PeersSeen & SeenInStep): void {
    this.#port.post({ kind: 'network', ...seen });
  }

  /** Has it choose among branches of equal length while no block comes; to be called each second. */
  followLowest(): void {
    this.#port.post({ kind: 'follow_lowest' });
  }

  /** A peer has sent a switch of a signing key. */
  tellSwitch(from: string, packed: Uint8Array): void {
    this.#port.post({ kind: 'standby_switch', from, packed });
  }

  /** Peers have sent votes or certificates. */
  tellVotes(heard: HeardVotes): void {
    this.#port.post(heard);
  }

  /** Lets the writer finish what it is doing; doesn't wait for one that has failed. */
  async stop(): Promise<void> {
    if (!this.#hasFailed) {
      const stopped = new Promise<void>((resolve) => {
        this.#stopped = resolve;
      });
      this.#port.post({ kind: 'stop' });
      await stopped;
    }
    await this.#end();
  }

  /** The writer will send nothing more. Only the first failure is reported, not its consequences. */
  fail(fault: Fault): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#ready?.reject(fault);
    this.#stopped?.();
    this.#questions.failAll(fault);
    this.#listener.failed(fault);
  }

  #take(message: FromWriter): void {
    switch (message.kind) {
      case 'ready':
        return this.#ready?.resolve(message);
      case 'verdicts':
        return this.#listener.verdicts(message.bytes, message.beganMs, message.report);
      case 'verifier_loaded':
        return this.#listener.verifierLoaded();
      case 'unverified':
        return this.#listener.unverified();
      case 'dropped':
        return this.#listener.dropped(message.bytes);
      case 'chain':
        return this.#tellFollowers(message.message);
      case 'pending':
        return this.#watcher(message.message, () => this.#port.post({ kind: 'pending_taken' }));
      case 'produced':
        return this.#listener.produced(message.slot);
      case 'own_alive':
        return this.#listener.alive(message.alive);
      case 'finality':
        return this.#listener.finality(message.updates);
      case 'finalised':
        return this.#listener.finalised(message.afterMs);
      case 'voting':
        return this.#listener.voting(message.news);
      case 'standby_switch':
        return this.#listener.standbySwitch(message.node, message.packed);
      case 'production':
        return this.#listener.production(message.problems);
      case 'answer':
        return this.#questions.answer(message);
      case 'refused':
        return this.#questions.refuse(message.to, message.ticket, receivedRefusal(message.refusal));
      case 'stopped':
        return this.#stopped?.();
      case 'failed':
        return this.fail(new Fault(message.code === 'assertion' ? 'runtime' : message.code, message.message));
    }
  }

  #tellFollowers(message: ChainMessage): void {
    for (const follower of this.#followers) {
      if (message.kind === 'update') follower.takeUpdate(message);
      else follower.takeGap(message);
    }
    this.#port.post({ kind: 'taken' });
  }
}
