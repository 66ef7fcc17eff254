/**
 * One end of a channel between two parts of a node, in the same thread or in two. Messages arrive in order, exactly
 * once.
 */
export interface Port<In, Out> {
  /** Buffers in `transfer` are moved instead of copied; the sender can no longer use them. */
  post(message: Out, transfer?: readonly ArrayBuffer[]): void;
  /** From now on `take` receives the messages; called at most once. */
  listen(take: (message: In) => void): void;
  /** Stops sending and receiving. */
  close(): void;
}
