import type { Clock } from '../base/clock.ts';
import type { SignedHeartbeat } from '../blocks/alive.ts';
import type { AccountName } from '../values/account_name.ts';
import { getBlockNumber, type BlockId, type Digest } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { AliveView } from './alive_witnesses.ts';
import type { BlockSigner } from './block_signer.ts';
import type { Producer, ProductionView } from './produce.ts';
import { slotNumber } from '../values/time.ts';

/** The chain's facts for sending heartbeats, and the keys to sign them with. */
export type SigningView = AliveView &
  Pick<ProductionView, 'headTime' | 'participation' | 'signingKeyOf'> & {
    /** True when a witness signs with a key on a branch that is kept, as far as is known. */
    hasSigner(witness: AccountName, key: PublicKey): boolean;
  };

export interface HeartbeatSigningOptions {
  readonly chain: Digest;
  readonly intervalSeconds: number;
  readonly clock: Clock;
  readonly view: SigningView;
  readonly producer: Pick<Producer, 'witnesses' | 'keys'>;
  readonly signer: Pick<BlockSigner, 'signAlive'>;
  /** True when nothing is signed with a key now: then nobody should count on it. */
  readonly isHeldBack: (witness: AccountName, key: PublicKey) => boolean;
  readonly signed: (alive: SignedHeartbeat) => void;
}

/** A block that is older means that the chain stands, or that this node doesn't follow it. */
const OLD_SLOTS = 2;
/** In hundredths of a percent. Before it is below what is required, so that nobody has to wait when it is. */
const LOW_PARTICIPATION = 7500;
const EACH_MS = 10_000;
/** After a change of branch: the others wait for it. */
const AT_MOST_EACH_MS = 3000;

interface Said {
  readonly atMs: number;
  readonly slot: number;
  readonly head: BlockId;
}

/** Has each witness of this node sign that it is there, and where its chain ends, while that is worth knowing. */
export class HeartbeatSigning {
  readonly #options: HeartbeatSigningOptions;
  readonly #said = new Map<AccountName, Said>();

  constructor(options: HeartbeatSigningOptions) {
    this.#options = options;
  }

  /** Must be called each second. */
  look(): void {
    const { producer, view, isHeldBack } = this.#options;
    if (!this.#isNeeded()) return;
    for (const witness of producer.witnesses) {
      const key = view.signingKeyOf(witness);
      if (key === undefined || !producer.keys.has(key) || !view.hasSigner(witness, key) || isHeldBack(witness, key))
        continue;
      if (this.#isDue(witness)) this.#sign(witness, key);
    }
  }

  #isNeeded(): boolean {
    const { clock, view, intervalSeconds } = this.#options;
    return isHeadOld(view, clock, intervalSeconds) || view.participation < LOW_PARTICIPATION;
  }

  #isDue(witness: AccountName): boolean {
    const said = this.#said.get(witness);
    if (said === undefined) return true;
    const sinceMs = this.#options.clock.elapsedMs() - said.atMs;
    return said.slot !== this.#slot && (sinceMs >= EACH_MS || (sinceMs >= AT_MOST_EACH_MS && this.#hasLeft(said.head)));
  }

  /** The branch of that block is not ours any more. */
  #hasLeft(head: BlockId): boolean {
    const { view } = this.#options;
    return getBlockNumber(head) > view.head.lastIrreversible && !view.isOnMainBranch(head);
  }

  #sign(witness: AccountName, key: PublicKey): void {
    const { chain, clock, view, signer, signed } = this.#options;
    const alive = { witness, key, slot: this.#slot, head: view.head.id };
    this.#said.set(witness, { atMs: clock.elapsedMs(), slot: alive.slot, head: alive.head });
    signer.signAlive(chain, alive, (signature) => signed({ ...alive, signature }));
  }

  get #slot(): number {
    return slotNumber(this.#options.clock.nowMs() / 1000, this.#options.intervalSeconds);
  }
}

/** True when no block has come for two slots: nobody makes any, or this node doesn't receive them. */
export function isHeadOld(
  { headTime }: Pick<ProductionView, 'headTime'>,
  clock: Clock,
  intervalSeconds: number,
): boolean {
  return clock.nowMs() - headTime * 1000 > OLD_SLOTS * intervalSeconds * 1000;
}
