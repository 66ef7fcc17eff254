import type { PrivateKeyMethods } from './private_keys.ts';
import type { Clock } from '../../base/clock.ts';
import type { Dialect } from './dialect.ts';
import type { Heads } from './heads.ts';
import type { Subscriber } from '../limits/subscriber.ts';

/** The program that a dispatcher serves. `C` is the context passed to methods with a call. */
export interface Host<C> {
  readonly clock: Clock;
  /** The context for methods of that group when called in that dialect; fetched once for each. */
  contextOf(group: string, dialect: Dialect): C;
  /** The same for a caller that can be sent notices. */
  withSubscriber(context: C, subscriber: Subscriber): C;
  /** The state that reads are answered from; a program without one has no methods that read. */
  readonly state?: VersionedState;
  /** The node's head, for calls that want at least a certain one; without it none has to wait. */
  readonly heads?: Heads | undefined;
  /** The most bytes of params of a method that this process reads; reading more would hold up others. */
  readonly paramsBytes: number;
  /** Clients that may call methods that take a private key. */
  readonly privateKeyMethods: PrivateKeyMethods;
  /** Returns whether clients of this dialect get the lineage's error texts. */
  speaksLineage(dialect: Dialect): boolean;
  /** Reports an internal error to the operator, once and with all details; the caller learns nothing of it. */
  report(error: unknown, method: string): void;
}

/** State that changes as a whole, from one version to the next. */
export interface VersionedState {
  /** Grows with every change: results found at one version can be repeated at the same version. */
  version(): number;
  /** Everything that `read` reads is from one version; it may be run again. */
  consistentRead<T>(read: () => T): T;
  /** A result is about to be computed. */
  watch(): void;
  /**
   * Returns whether the result has depended on nothing but the state since `watch`: neither on time nor on randomness.
   */
  isRepeatable(): boolean;
}
