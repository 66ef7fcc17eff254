import type { NetworkFigures } from './network_messages.ts';

/** The load of the network's thread. */
export interface NetworkShare {
  /** Of one processor. */
  readonly busy: number;
  /** The kinds of messages that took its time, the dearest first. */
  readonly kinds: readonly { readonly kind: string; readonly share: number }[];
}

/** Measures the work of the network's thread since the last look, from sums since its start. */
export class NetworkLoad {
  #before: Readonly<Record<string, number>> = {};
  #lookedMs: number;
  #share: NetworkShare = { busy: 0, kinds: [] };

  constructor(nowMs: number) {
    this.#lookedMs = nowMs;
  }

  /** Between the last two looks. */
  get share(): NetworkShare {
    return this.#share;
  }

  look(work: NetworkFigures['work'], nowMs: number): void {
    const passedMs = Math.max(1, nowMs - this.#lookedMs);
    const kinds = Object.entries(work)
      .map(([kind, ms]) => ({ kind, share: Math.max(0, ms - (this.#before[kind] ?? 0)) / passedMs }))
      .filter(({ share }) => share > 0)
      .toSorted((a, b) => b.share - a.share);
    this.#share = {
      kinds,
      busy: Math.min(
        1,
        kinds.reduce((sum, { share }) => sum + share, 0),
      ),
    };
    this.#before = { ...work };
    this.#lookedMs = nowMs;
  }
}
