import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import type { Chain } from '../../chain/chain.ts';
import { scheduledNames } from '../../chain/slots.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { blockIdAt } from '../../state/block_ids.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { BlockSigner } from '../../witness/block_signer.ts';
import { Standby, type PeersInStep, type StandbyReport, type StandbyView } from '../../witness/standby.ts';
import { StandbyOffers, type NamedStandby, type OfferReport, type OffersView } from '../../witness/standby_offers.ts';
import type { StandbyFile } from '../standby_file.ts';

/** Who takes over from whom, as the operator says. */
export interface StandbySettings {
  /** The witness that this node stands by for. */
  readonly standbyFor: AccountName | undefined;
  /** Where it keeps the switch. */
  readonly file: string;
  /** Ids of the nodes that it connects to by name. */
  readonly pinned: readonly string[];
  /** Who may take over from this node's own witness. */
  readonly standbys: readonly NamedStandby[];
}

/** Peers whose head is ours, or near it. */
export interface SeenInStep extends PeersInStep {
  /** Those of them that count: one for each address group that this node has dialled, and nodes that its operator has named. */
  readonly sources: readonly string[];
}

export interface StandbyDutyParts {
  readonly chain: Chain;
  readonly clock: Clock;
  readonly parameters: ChainParameters;
  readonly log: Log;
  readonly signer: BlockSigner;
  /** The witness of this node, which its standbys take over from. */
  readonly witness: AccountName | undefined;
  /** Hands a switch to a peer. */
  readonly hand: (node: string, packed: Uint8Array) => void;
  /** What this node, as a standby, knows from one run to the next. */
  readonly kept: Pick<StandbyFile, 'read' | 'write'>;
  /** Sends a transaction to the network; why it is refused, undefined when it isn't. */
  readonly send: (transaction: VerifiedTransaction) => string | undefined;
}

/** What standbys have, and what this one is ready for. */
export interface StandbyReports {
  readonly standby: StandbyReport | undefined;
  readonly offers: readonly OfferReport[];
}

/** How long a standby may be away or without a switch before its operator is told by `/health`. */
const PATIENCE_MS = 10 * 60_000;

/** What this node does as somebody's standby, and for its own. */
export class StandbyDuties {
  readonly #standby: Standby | undefined;
  readonly #offers: StandbyOffers | undefined;
  readonly #clock: Clock;
  #wellMs: number;

  constructor({ standbyFor, pinned, standbys }: Omit<StandbySettings, 'file'>, parts: StandbyDutyParts) {
    const { chain, clock, parameters, log, signer, witness, kept, hand, send } = parts;
    const { chainId, blockIntervalSeconds: intervalSeconds, profile, coinSymbol: feeSymbol } = parameters;
    const shared = { chain: chainId, view: viewOf(chain), clock, warn: (sentence: string) => log.warning(sentence) };
    this.#clock = clock;
    this.#wellMs = clock.elapsedMs();
    if (standbyFor !== undefined) {
      const own = { witness: standbyFor, intervalSeconds, keyPrefix: profile.keyPrefix, keys: signer.keys, pinned };
      this.#standby = new Standby({ ...shared, ...own, kept: kept.read(), keep: (state) => kept.write(state), send });
    }
    if (witness !== undefined && standbys.length > 0)
      this.#offers = new StandbyOffers({ ...shared, witness, feeSymbol, signer, standbys, hand });
  }

  /** Whether somebody else makes the blocks of a witness of this node's, and this node takes over when that ends. */
  standsBy(witness: AccountName): boolean {
    return this.#standby?.witness === witness && !this.#standby.hasTakenOver;
  }

  take(from: string, packed: Uint8Array): void {
    this.#standby?.take(from, packed);
  }

  takePeers({ inStep, sources, isBehind }: SeenInStep): void {
    this.#standby?.takePeers({ inStep: sources, isBehind });
    this.#offers?.takePeers({ inStep, isBehind });
  }

  /** Must be called each second. */
  look(): void {
    this.#standby?.look();
    this.#offers?.look();
    if (this.#worries().length === 0) this.#wellMs = this.#clock.elapsedMs();
  }

  report(): StandbyReports {
    return { standby: this.#standby?.report(), offers: this.#offers?.report() ?? [] };
  }

  /** What an operator has to look at, because it has lasted. */
  get problems(): string[] {
    return this.#clock.elapsedMs() - this.#wellMs > PATIENCE_MS ? this.#worries() : [];
  }

  #worries(): string[] {
    const { standby, offers } = this.report();
    const away = offers.filter(({ isInStep, signed }) => !isInStep || signed === 0);
    const worries = away.map(
      ({ node }) => `the standby ${node} is not connected, or has no switch yet: nobody takes over when this node fails`,
    );
    return standby?.obstacle === undefined ? worries : [...worries, standby.advice];
  }
}

/** What a standby and its witness read of the chain. */
function viewOf(chain: Chain): StandbyView & OffersView {
  return {
    get headNumber() {
      return chain.head.number;
    },
    get headTime() {
      return chain.head.time;
    },
    get roundSlots() {
      return scheduledNames(chain.committed.only(witnessSchedule)).length;
    },
    get irreversible() {
      return chain.head.lastIrreversible;
    },
    get irreversibleId() {
      return blockIdAt(chain.committed, chain.head.lastIrreversible);
    },
    get participation() {
      return chain.participation;
    },
    signingKeyOf: (witness) => chain.signingKeyOf(witness),
    recordOf(witness) {
      const row = chain.committed.get(witnesses, witness);
      return row && { missed: row.total_missed, lastBlock: Number(row.last_confirmed_block_num) };
    },
  };
}
