import type { NetworkFigures } from '../network/network_messages.ts';

/** How busy the network's thread was. */
export interface NetworkShare {
  /** Of one processor. */
  readonly busy: number;
  /** What it was busy with, the dearest first. */
  readonly kinds: readonly { readonly kind: string; readonly share: number }[];
}

/** What the network's thread has worked on since the last look, from sums since its start. */
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
