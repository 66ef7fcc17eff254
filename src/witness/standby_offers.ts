import type { WriteLine } from '../base/log_events/index.ts';
import type { Clock } from '../base/clock.ts';
import { keySwitchTransaction, type KeySwitch } from '../blocks/key_switch.ts';
import { packTransaction } from '../blocks/transaction.ts';
import type { AccountName } from '../values/account_name.ts';
import { blockReference } from '../values/block_reference.ts';
import type { BlockId, Digest } from '../values/hash.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../values/limits.ts';
import type { PublicKey } from '../values/public_key.ts';
import { timeText, type Seconds } from '../values/time.ts';
import type { BlockSigner } from './block_signer.ts';
import type { SignAnswer } from './sign_answer.ts';

/** A node that may take over, and the key that it would sign with. */
export interface NamedStandby {
  /** Its id among peers. */
  readonly node: string;
  readonly key: PublicKey;
}

/** The chain as a switch needs it. */
export interface OffersView {
  readonly headTime: Seconds;
  /** A reference to a block that another branch replaces would void the switch. */
  readonly irreversibleId: BlockId;
  signingKeyOf(witness: AccountName): PublicKey | undefined;
}

export interface StandbyOffersOptions {
  readonly witness: AccountName;
  readonly chain: Digest;
  readonly feeSymbol: string;
  readonly view: OffersView;
  readonly clock: Clock;
  readonly signer: Pick<BlockSigner, 'keys' | 'signSwitch'>;
  readonly standbys: readonly NamedStandby[];
  /** Hands a switch to that node, now or when it comes. */
  readonly hand: (node: string, packed: Uint8Array) => void;
  readonly warn: WriteLine<'warning'>;
  readonly note: WriteLine<'notice'>;
}

/** The state of this node's standby, for the operator. */
export interface OfferReport {
  readonly node: string;
  /** True when it is connected and has our head. */
  readonly isInStep: boolean;
  /** When its switch was signed, and when that ends; 0 when there is none. */
  readonly signed: Seconds;
  readonly expires: Seconds;
}

interface Offer {
  readonly key: PublicKey;
  readonly signed: Seconds;
}

/** A third of how long a switch is good: the standby always has one for 40 minutes. */
const SIGN_EACH_SECONDS = 1200;
/** The signer may have been away. */
const ASK_AGAIN_MS = 60_000;
/** A chain whose head is older has stopped, or is being fetched: what is signed on it would be worth little. */
const OLDEST_HEAD_SECONDS = 600;

/** Signs for each standby, again and again, the switch that lets it take over when this node is gone. */
export class StandbyOffers {
  readonly #options: StandbyOffersOptions;
  readonly #offers = new Map<string, Offer>();
  readonly #askedMs = new Map<string, number>();
  #inStep: ReadonlySet<string> = new Set();
  /** Until the network says otherwise. */
  #isBehind = true;

  constructor(options: StandbyOffersOptions) {
    this.#options = options;
  }

  takePeers({ inStep, isBehind }: { readonly inStep: readonly string[]; readonly isBehind: boolean }): void {
    this.#inStep = new Set(inStep);
    this.#isBehind = isBehind;
  }

  /** Must be called each second. */
  look(): void {
    const { view, clock, witness, signer, standbys } = this.#options;
    if (this.#isBehind || clock.nowMs() / 1000 - view.headTime > OLDEST_HEAD_SECONDS) return;
    const key = view.signingKeyOf(witness);
    if (key === undefined || !signer.keys.has(key)) return;
    for (const standby of standbys) if (this.#isDue(standby, key)) this.#sign(standby, key);
  }

  report(): OfferReport[] {
    return this.#options.standbys.map(({ node }) => {
      const { signed = 0 } = this.#offers.get(node) ?? {};
      return {
        node,
        isInStep: this.#inStep.has(node),
        signed,
        expires: signed === 0 ? 0 : signed + MAX_SECONDS_UNTIL_EXPIRATION,
      };
    });
  }

  #isDue({ node, key: newKey }: NamedStandby, key: PublicKey): boolean {
    const { view, clock } = this.#options;
    const offer = this.#offers.get(node);
    if (newKey === key || (offer?.key === key && view.headTime - offer.signed < SIGN_EACH_SECONDS)) return false;
    return clock.elapsedMs() - (this.#askedMs.get(node) ?? -ASK_AGAIN_MS) >= ASK_AGAIN_MS;
  }

  #sign({ node, key: newKey }: NamedStandby, key: PublicKey): void {
    const { view, clock, witness: owner, chain, signer, feeSymbol } = this.#options;
    const signed = view.headTime;
    const expiration = signed + MAX_SECONDS_UNTIL_EXPIRATION;
    const terms: KeySwitch = { owner, key, newKey, feeSymbol, ...blockReference(view.irreversibleId), expiration };
    this.#askedMs.set(node, clock.elapsedMs());
    signer.signSwitch(chain, terms, (answer) => this.#take(node, terms, { key, signed }, answer));
  }

  #take(node: string, terms: KeySwitch, offer: Offer, answer: SignAnswer): void {
    const { hand, warn, note } = this.#options;
    if (answer.kind === 'refused')
      return warn(`no switch for the standby ${node}: ${answer.message}`, 'switch_unsigned', { standby: node });
    if (this.#offers.get(node)?.key !== offer.key)
      note(`the standby ${node} gets a switch, good until ${timeText(terms.expiration)}`, 'switch_handed', {
        standby: node,
      });
    this.#offers.set(node, offer);
    hand(node, packTransaction({ ...keySwitchTransaction(terms), signatures: [answer.signature] }).packed);
  }
}
