import { Worker } from 'node:worker_threads';
import { Fault } from '../base/fault.ts';
import type { PostMakerSettings, Reference } from './post_maker.ts';
import { threadData, type ThreadKind } from '../system/thread_settings.ts';
import { firstCalls, type TrafficPost } from './traffic_post.ts';

/** The kind of thread that makes posts. */
export const postThread: ThreadKind<PostMakerSettings> = { name: 'post' };

/** An order to a thread: posts with that many calls or a few more. */
export interface PostOrder {
  readonly calls: number;
  readonly reference: Reference;
}

/** Settings for making posts: their content, their threads, and the number that waits to be sent. */
export interface PostSourceSettings {
  readonly made: Omit<PostMakerSettings, 'first' | 'step'>;
  readonly threads: number;
  /** Calls that are kept ready. */
  readonly ahead: number;
  /** Calls in all; undefined is without end. */
  readonly count: number | undefined;
}

/** Calls in one order: some milliseconds of signing, so that a message is worth its price. */
const ORDER_CALLS = 200;
/** Orders that wait in a thread while it works on another. */
const ORDERS = 2;
/** A node refuses what expires before its next block. */
const LEAST_SECONDS_LEFT = 10;

/** Posts that threads sign ahead, so that signing takes no time between the moment a post is due and its first byte. */
export class PostSource {
  readonly #settings: PostSourceSettings;
  readonly #makers: { readonly worker: Worker; orders: number }[];
  readonly #ready: TrafficPost[] = [];
  /** Of the list; what lies before it is taken. */
  #next = 0;
  #readyCalls = 0;
  #orderedCalls = 0;
  #taken = 0;
  #reference: Reference;
  #failure: Error | undefined;
  #filled: (() => void) | undefined;

  constructor(settings: PostSourceSettings, reference: Reference) {
    this.#settings = settings;
    this.#reference = reference;
    const { made, threads } = settings;
    this.#makers = Array.from({ length: threads }, (_, index) => this.#start({ ...made, first: index, step: threads }));
    this.#order();
  }

  /** Resolves when as many calls are ready as are kept ready. */
  async filled(): Promise<void> {
    while (!this.#isFull()) {
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => (this.#filled = resolve));
    }
  }

  /** The next post; undefined when none is ready, or when all have been taken. */
  take(): TrafficPost | undefined {
    if (this.isOver()) return undefined;
    for (;;) {
      const post = this.#ready[this.#next];
      if (post === undefined) return undefined;
      this.#next++;
      this.#readyCalls -= post.count;
      this.#compact();
      this.#order();
      if (post.expiration < this.#reference.headTime + LEAST_SECONDS_LEFT) continue;
      const left = (this.#settings.count ?? Infinity) - this.#taken;
      this.#taken += post.count;
      return post.count > left ? firstCalls(post, left) : post;
    }
  }

  /** True when all have been taken, or a thread has failed. */
  isOver(): boolean {
    return this.#failure !== undefined || this.#taken >= (this.#settings.count ?? Infinity);
  }

  /** Later posts refer to this. */
  refer(reference: Reference): void {
    this.#reference = reference;
  }

  /** Ends the threads; throws what has ended one of them before. */
  async stop(): Promise<void> {
    await Promise.all(this.#makers.map(({ worker }) => worker.terminate()));
    if (this.#failure !== undefined) throw this.#failure;
  }

  #start(made: PostMakerSettings): { readonly worker: Worker; orders: number } {
    const worker = new Worker(new URL('./post_thread.js', import.meta.url), {
      workerData: threadData(postThread, made),
    });
    const maker = { worker, orders: 0 };
    worker.on('message', (posts: readonly TrafficPost[]) => {
      maker.orders--;
      this.#orderedCalls -= ORDER_CALLS;
      for (const post of posts) {
        this.#ready.push(post);
        this.#readyCalls += post.count;
      }
      this.#order();
      if (this.#isFull()) this.#filled?.();
    });
    worker.on('error', (error) => {
      this.#failure = new Fault('runtime', `a signing thread has failed: ${error.message}`, error);
      this.#filled?.();
    });
    return maker;
  }

  #isFull(): boolean {
    const { ahead, count = Infinity } = this.#settings;
    return this.#readyCalls >= Math.min(ahead, count - this.#taken);
  }

  /** Keeps every thread busy until enough is ready. */
  #order(): void {
    const wanted = Math.min(this.#settings.ahead, (this.#settings.count ?? Infinity) - this.#taken);
    for (const maker of this.#makers) {
      while (maker.orders < ORDERS && this.#readyCalls + this.#orderedCalls < wanted) {
        const order: PostOrder = { calls: ORDER_CALLS, reference: this.#reference };
        maker.orders++;
        this.#orderedCalls += ORDER_CALLS;
        maker.worker.postMessage(order);
      }
    }
  }

  #compact(): void {
    if (this.#next < 1000 || this.#next * 2 < this.#ready.length) return;
    this.#ready.splice(0, this.#next);
    this.#next = 0;
  }
}
