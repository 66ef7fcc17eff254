/** The time after which a lasting problem is said again. */
const AGAIN_SECONDS = 60;

/** Lets a sentence of each kind through now and then. */
export class SaidSeldom {
  readonly #saidSeconds = new Map<string, number>();

  /** Returns whether it is time to say it, which counts as said. `kind` is one of a small fixed set. */
  isDue(kind: string, atSeconds: number, againSeconds = AGAIN_SECONDS): boolean {
    if (atSeconds - (this.#saidSeconds.get(kind) ?? -Infinity) < againSeconds) return false;
    this.#saidSeconds.set(kind, atSeconds);
    return true;
  }

  /** It is over: when it begins again it is said at once. */
  forget(kind: string): boolean {
    return this.#saidSeconds.delete(kind);
  }
}
