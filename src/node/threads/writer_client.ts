import { Fault } from '../../base/fault.ts';
import type { SignedAlive } from '../../blocks/alive.ts';
import type { Port } from '../../base/port.ts';
import type { PeersSeen } from '../../witness/key_guard.ts';
import type { SeenInStep } from './standby_duties.ts';
import type { ChainFollower, ChainMessage } from '../feed/chain_feed.ts';
import type { PendingMessage } from '../feed/transaction_feed.ts';
import type { FollowRequest, FromWriter, SlotTimes, ToWriter } from './messages.ts';
import { PendingQuestions } from './pending_questions.ts';
import { receivedRefusal } from './verdicts.ts';

/** The front's handlers for messages from the writer. */
export interface WriterListener {
  verdicts(bytes: Uint8Array): void;
  /** Accepted transactions wait no longer without being in a block. */
  dropped(bytes: Uint8Array): void;
  /** The node has produced a block for a slot. */
  produced(slot: SlotTimes): void;
  /** A witness of this node has signed that it is there. */
  alive(alive: SignedAlive): void;
  /** The standby with that id among peers gets a switch. */
  standbySwitch(node: string, packed: Uint8Array): void;
  /** What an operator has to look at in the production of blocks; replaces what was said before. */
  production(problems: readonly string[]): void;
  /** The writer has stopped by itself: nothing more will be written. */
  failed(fault: Fault): void;
}

/** Hears of transactions that wait for a block; calls `taken` once it has no more use for the message. */
export type PendingWatcher = (message: PendingMessage, taken: () => void) => void;

/** The writer's message once the chain is open. */
export type Ready = Extract<FromWriter, { kind: 'ready' }>;

/** The most requests that may wait for the writer: it answers between two transactions, so more means that it is stuck. */
const MAX_QUESTIONS = 10_000;

/** The front's connection to the writer. */
export class WriterClient {
  readonly #port: Port<FromWriter, ToWriter>;
  readonly #questions = new PendingQuestions<unknown>(MAX_QUESTIONS, 'the writer does not answer');
  readonly #listener: WriterListener;
  readonly #end: () => Promise<void>;
  readonly #followers: ChainFollower[] = [];
  #watcher: PendingWatcher = (_message, taken) => taken();
  #ready: { readonly resolve: (ready: Ready) => void; readonly reject: (error: unknown) => void } | undefined;
  readonly #opened: Promise<Ready>;
  #stopped: (() => void) | undefined;
  #hasFailed = false;

  /** `end` ends the writer's thread once it has stopped. */
  constructor(port: Port<FromWriter, ToWriter>, listener: WriterListener, end: () => Promise<void> = () => Promise.resolve()) {
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

  /** From now on a part in this thread is notified of what is written. */
  follow(follower: ChainFollower): void {
    this.#followers.push(follower);
  }

  /** From now on that part of this thread hears of transactions that wait for a block, whenever `watch` says so. */
  watchPending(watcher: PendingWatcher): void {
    this.#watcher = watcher;
  }

  /** Whether anybody wants to hear of them. */
  watch(isWatched: boolean): void {
    this.#port.post({ kind: 'watch', isWatched });
  }

  /** The same as `follow` for a part in any thread, over a message port of its own and at its own pace. */
  connectFollower(request: Omit<FollowRequest, 'kind'>): void;
  connectFollower(request: FollowRequest): void {
    this.#port.post({ ...request, kind: 'follow' });
  }

  /** Sends a request that the writer answers from the pending state, or passes it a block. */
  async ask(question: AskWriter): Promise<unknown> {
    return await this.#questions.ask((ticket) => this.#port.post({ ...question, ticket }));
  }

  /** What the network has told of its peers. */
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
        return this.#listener.verdicts(message.bytes);
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
      case 'standby_switch':
        return this.#listener.standbySwitch(message.node, message.packed);
      case 'production':
        return this.#listener.production(message.problems);
      case 'answer':
        return this.#answer(message);
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

  #answer({ ticket, refusal, value }: Extract<FromWriter, { kind: 'answer' }>): void {
    if (refusal === undefined) this.#questions.answer(ticket, value);
    else this.#questions.refuse(ticket, receivedRefusal(refusal));
  }
}

/** A request without its ticket. */
export type AskWriter =
  | Omit<Extract<ToWriter, { kind: 'header' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'blocks' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'judge' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'peer_blocks' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'alive' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'production' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'restart_chain' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'pause' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'pending_accounts' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'lost' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'check' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'figures' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'debug' }>, 'ticket'>;
