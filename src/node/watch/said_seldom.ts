/** The time after which a lasting problem is said again. */
const AGAIN_SECONDS = 60;

/** Lets a sentence of each kind through now and then. */
export class SaidSeldom {
  readonly #write: (sentence: string) => void;
  readonly #saidSeconds = new Map<string, number>();

  constructor(write: (sentence: string) => void) {
    this.#write = write;
  }

  /** `kind` is one of a small fixed set. */
  say(kind: string, sentence: string, atSeconds: number, againSeconds = AGAIN_SECONDS): void {
    if (atSeconds - (this.#saidSeconds.get(kind) ?? -Infinity) < againSeconds) return;
    this.#saidSeconds.set(kind, atSeconds);
    this.#write(sentence);
  }

  /** It is over: when it begins again it is said at once. */
  forget(kind: string): boolean {
    return this.#saidSeconds.delete(kind);
  }
}
