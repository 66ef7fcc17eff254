/** One end of a line between two parts of a node, in one thread or in two. Messages arrive in order, each once. */
export interface Port<In, Out> {
  /** Buffers in `transfer` move instead of being copied: the sender has them no more. */
  post(message: Out, transfer?: readonly ArrayBuffer[]): void;
  /** From now on `take` gets what comes; once. */
  listen(take: (message: In) => void): void;
  /** Nothing comes or goes any more. */
  close(): void;
}
