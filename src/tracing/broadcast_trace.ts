/** The end of a traced broadcast, as its caller is told. */
export interface TraceEnd {
  /** The block that has it; 0 where the caller did not wait for one. */
  readonly blockNumber: number;
  /** The code of the refusal. */
  readonly refusal: string | undefined;
}

/** Follows one broadcast on its way. Times are those of the front, unless a caller says more. */
export interface BroadcastTrace {
  /** It leaves for a verifier, in a batch of that many. */
  sent(batchLength: number): void;
  /**
   * The verifier's report has come; the verifier was busy for that long, until now, or until that time where it is the
   * writer that has verified, by `epochMs`.
   */
  verified(elapsedMicros: number, endedMs?: number): void;
  /** The writer's verdict has come; the writer took up the batch at that time, by `epochMs`. */
  decided(beganMs: number | undefined, isRefused: boolean): void;
  /** A block has it, and its caller waits until that is final. */
  placed(blockNumber: number): void;
  /** Its block was undone: it waits for another one. */
  displaced(): void;
  /** Its caller is answered. */
  ended(end: TraceEnd): void;
}

/** Chooses the broadcasts to follow. */
export interface BroadcastTracer {
  /** Begins to follow a broadcast of that method, or returns undefined. */
  begin(method: string): BroadcastTrace | undefined;
  /** Sends what is left. */
  stop(): Promise<void>;
}
