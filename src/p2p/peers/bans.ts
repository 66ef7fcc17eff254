/** A ban: of whom, until when, and how many there have been. */
export interface Ban {
  readonly untilMs: number;
  readonly times: number;
}

const FIRST_MS = 3_600_000;
const LONGEST_MS = 24 * 3_600_000;
/** Ids cost nothing, and must not fill the memory. Bans that end first are forgotten first. */
const MOST = 4096;

/**
 * Bans of liars: an hour the first time, twice as long each further time, a day at most. Keys are node ids or
 * addresses.
 */
export class Bans {
  readonly #bans = new Map<string, Ban>();

  /** Bans that were in force when the node stopped. */
  constructor(kept: Iterable<readonly [string, Ban]> = []) {
    for (const [key, ban] of kept) if (this.#bans.size < MOST) this.#bans.set(key, ban);
  }

  has(key: string, nowMs: number): boolean {
    return (this.#bans.get(key)?.untilMs ?? 0) > nowMs;
  }

  add(key: string, nowMs: number): Ban {
    const times = (this.#recent(key, nowMs)?.times ?? 0) + 1;
    const ban = { times, untilMs: nowMs + Math.min(FIRST_MS * 2 ** (times - 1), LONGEST_MS) };
    this.#bans.set(key, ban);
    if (this.#bans.size > MOST) this.#forgetFirst();
    return ban;
  }

  remove(key: string): boolean {
    return this.#bans.delete(key);
  }

  /** Those in force. */
  list(nowMs: number): (readonly [string, Ban])[] {
    return [...this.#bans].filter(([, { untilMs }]) => untilMs > nowMs);
  }

  /** A ban that ended a day ago counts no more. */
  #recent(key: string, nowMs: number): Ban | undefined {
    const ban = this.#bans.get(key);
    return ban !== undefined && ban.untilMs + LONGEST_MS > nowMs ? ban : undefined;
  }

  #forgetFirst(): void {
    let first: string | undefined;
    let untilMs = Infinity;
    for (const [key, ban] of this.#bans) {
      if (ban.untilMs >= untilMs) continue;
      first = key;
      untilMs = ban.untilMs;
    }
    if (first !== undefined) this.#bans.delete(first);
  }
}
