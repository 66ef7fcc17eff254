import { catchRefusal } from '../../base/refusal.ts';
import { requireCertificate, type VerifySignature } from '../../blocks/finality/certificate.ts';
import { followsByThird, type EndedEpoch } from '../../blocks/finality/ended_epoch.ts';
import { NO_VOTERS } from '../../blocks/finality/vote.ts';
import { epochVoters } from '../../blocks/finality/voters.ts';
import type { Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { Seconds } from '../../values/time.ts';
import type { FinalityView } from '../environment/chain_access.ts';
import type { BoundaryCertificate } from '../../wire/messages/finality.ts';

/** An epoch whose voters the operator trusts. */
export interface TrustedEpoch {
  readonly epoch: number;
  readonly voters: Digest;
  /** From which the age of the trust counts. */
  readonly time: Seconds;
}

/** A witness that has stopped voting for this long may have sold its key. */
const TRUSTED_SECONDS = 30 * 86_400;

/** Peers that keep no such epoch answer the same again; each answer has up to 256 KB. */
const MOST_IN_VAIN = 20;

/** The sources of the way. */
export interface CheckpointWayParts {
  readonly chainId: Digest;
  readonly intervalSeconds: number;
  readonly checkpoint: TrustedEpoch;
  /** The epoch whose voters are to be proven, as a snapshot names them. */
  readonly target: number;
  readonly finality: Pick<FinalityView, 'votersOf'>;
  readonly verify: VerifySignature;
  readonly nowSeconds: () => Seconds;
}

/** Finds out from certificates of peers whether the voters that a snapshot names follow from the operator's checkpoint. */
export class CheckpointWay {
  readonly #parts: CheckpointWayParts;
  #epoch: number;
  #voters: Digest;
  #since: Seconds;
  /** The keys behind the digest, once a peer has told them. */
  #keys: readonly PublicKey[] | undefined;
  /** The digest of the next epoch's voters, once the last block of this one has named them. */
  #named: Digest | undefined;
  /** Answers since the last one that led on. */
  #inVain = 0;
  /** Asking for the last certificate before the target was in vain, so those between are needed. */
  #isAskedLast = false;

  constructor(parts: CheckpointWayParts) {
    this.#parts = parts;
    ({ epoch: this.#epoch, voters: this.#voters, time: this.#since } = parts.checkpoint);
  }

  /** True where the snapshot names the voters that the checkpoint leads to. */
  get isThere(): boolean {
    const { target, finality } = this.#parts;
    const told = finality.votersOf(target)?.digest;
    if (told === undefined) return false;
    return this.#epoch === target ? this.#voters === told : this.#epoch + 1 === target && this.#named === told;
  }

  /** The epoch from which boundary certificates are wanted next; undefined where none would help. */
  get wanted(): number | undefined {
    const { target } = this.#parts;
    if (
      this.#inVain >= MOST_IN_VAIN ||
      this.#epoch >= target ||
      (this.#named !== undefined && this.#epoch + 1 === target)
    )
      return undefined;
    if (this.#keys === undefined) return this.#epoch;
    // With the keys of the checkpoint the last certificate before the target may do.
    return this.#isAskedLast ? this.#epoch + 1 : target - 1;
  }

  /** Takes what a peer has answered, as far as it leads on. The furthest one that can be trusted is verified first. */
  take(boundaries: readonly BoundaryCertificate[]): void {
    const { chainId, target } = this.#parts;
    const ended = boundaries
      .filter(({ voters: { epoch } }) => epoch >= this.#epoch && epoch < target)
      .map(({ certificate, voters: { epoch, keys } }) => ({ certificate, voters: epochVoters(chainId, epoch, keys) }));
    const [epoch, keys] = [this.#epoch, this.#keys];
    let left = ended;
    for (;;) {
      const next = left.findLast((each) => this.#canFollow(each));
      if (next === undefined) break;
      left = left.filter((each) => each !== next);
      this.#accept(next);
    }
    const isFurther = this.#epoch !== epoch || this.#keys !== keys;
    this.#inVain = isFurther ? 0 : this.#inVain + 1;
    this.#isAskedLast = !isFurther && keys !== undefined;
  }

  #canFollow({ voters, certificate }: EndedEpoch): boolean {
    const { epoch } = voters;
    if (epoch < this.#epoch || (epoch === this.#epoch && this.#named !== undefined)) return false;
    if (epoch === this.#epoch) return voters.digest === this.#voters;
    if (epoch === this.#epoch + 1 && this.#named !== undefined) return voters.digest === this.#named;
    const isYoung = this.#parts.nowSeconds() - this.#since < TRUSTED_SECONDS;
    return isYoung && this.#keys !== undefined && followsByThird({ voters, certificate }, { keys: this.#keys });
  }

  /** Nothing changes for a certificate that proves nothing. */
  #accept({ voters, certificate }: EndedEpoch): void {
    const { chainId, verify, intervalSeconds, nowSeconds } = this.#parts;
    const { kind, next_voters, view } = certificate.subject;
    const isOfNow = (view - 1) * intervalSeconds <= nowSeconds();
    if (kind !== 'commit' || next_voters === NO_VOTERS || !isOfNow) return;
    if (catchRefusal(() => requireCertificate(chainId, certificate, voters, verify)) !== undefined) return;
    this.#epoch = voters.epoch;
    this.#voters = voters.digest;
    this.#keys = voters.keys;
    this.#named = next_voters;
    this.#since = Math.max(this.#since, view * intervalSeconds);
  }
}
