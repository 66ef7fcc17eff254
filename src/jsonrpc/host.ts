import type { Clock } from '../base/clock.ts';
import type { Dialect } from './dialect.ts';
import type { Subscriber } from './subscriber.ts';

/** What a dispatcher asks of the program that it serves. `C` is what methods are handed with a call. */
export interface Host<C> {
  readonly clock: Clock;
  /** What a method of that group is handed when it is called in that dialect; asked once for each. */
  contextOf(group: string, dialect: Dialect): C;
  /** The same for an asker that can be sent notices. */
  withSubscriber(context: C, subscriber: Subscriber): C;
  /** What reads are answered from; a program without it has no methods that read. */
  readonly state?: VersionedState;
  /** Whether methods that take a private key answer. */
  readonly privateKeysAllowed: boolean;
  /** Whether whoever asks so is told in the words of the lineage. */
  speaksLineage(dialect: Dialect): boolean;
  /** Takes a mistake of ours that an asker ran into: the asker learns nothing of it, the operator what there is to know, once. */
  report(error: unknown, method: string): void;
}

/** State that changes as a whole, from one version to the next. */
export interface VersionedState {
  /** Grows with every change: answers made at one version can be given again at the same version. */
  version(): number;
  /** Everything that `read` reads is of one version; it may run again. */
  consistentRead<T>(read: () => T): T;
  /** An answer is about to be found out. */
  watch(): void;
  /** Whether it has depended on nothing but the state since `watch`: neither on time nor on chance. */
  isRepeatable(): boolean;
}
