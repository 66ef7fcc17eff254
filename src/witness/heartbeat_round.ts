import type { Alive } from '../blocks/alive.ts';
import { HeartbeatSigning, type HeartbeatSigningOptions } from './heartbeat_signing.ts';
import { AliveWitnesses } from './alive_witnesses.ts';
import { slotNumber } from '../values/time.ts';

/** The witnesses of a round as far as they say that they are there, those of this node among them. */
export class HeartbeatRound {
  readonly #options: HeartbeatSigningOptions;
  readonly #witnesses = new AliveWitnesses();
  readonly #signing: HeartbeatSigning;

  constructor(options: HeartbeatSigningOptions) {
    this.#options = options;
    this.#signing = new HeartbeatSigning({
      ...options,
      signed: (own) => {
        this.#witnesses.take(own);
        options.signed(own);
      },
    });
  }

  /** A signed one of a peer, by a witness of a branch that is kept. */
  take(alive: Alive): void {
    this.#witnesses.take(alive);
  }

  /** Must be called each second. */
  look(): void {
    this.#witnesses.tidy(this.#slot);
    this.#signing.look();
  }

  /** True when enough are alive to make a block although few slots were filled, or the head is old. */
  get areEnough(): boolean {
    return this.#witnesses.areEnough(this.#options.view, this.#slot);
  }

  get #slot(): number {
    return slotNumber(this.#options.clock.nowMs() / 1000, this.#options.intervalSeconds);
  }
}
