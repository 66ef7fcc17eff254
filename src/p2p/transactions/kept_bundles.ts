/** A bundle as it goes out. */
export interface KeptBundle {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly transactions: number;
  readonly atMs: number;
}

/**
 * A bundle is kept so long for peers that come, or come back and have forgotten all: a hundred slots, when a chain is
 * well.
 */
const KEPT_MS = 300_000;

/** Bundles that went out, for those who are told of them and ask, and for peers that come later. */
export class KeptBundles {
  readonly #most: number;
  /** Oldest first. */
  readonly #kept = new Map<string, KeptBundle>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): KeptBundle | undefined {
    return this.#kept.get(id);
  }

  add(kept: KeptBundle): void {
    if (this.#kept.has(kept.id)) return;
    this.#kept.set(kept.id, kept);
    this.#bytes += kept.bytes.length;
    this.forgetOld(kept.atMs);
  }

  forgetOld(nowMs: number): void {
    for (const { id, bytes, atMs } of this.#kept.values()) {
      if (atMs >= nowMs - KEPT_MS && this.#bytes <= this.#most) return;
      this.#bytes -= bytes.length;
      this.#kept.delete(id);
    }
  }

  /** The newest bundles within `mostBytes`, oldest first. */
  newest(mostBytes: number): KeptBundle[] {
    const all = [...this.#kept.values()];
    let bytes = 0;
    return all.slice(all.findLastIndex((one) => (bytes += one.bytes.length) > mostBytes) + 1);
  }
}
