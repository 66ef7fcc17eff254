import type { StandbyReports, SeenInStep } from './reports.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { VerifiedTransaction } from '../blocks/transaction.ts';
import type { Chain } from '../chain/chain.ts';
import { scheduledNames } from '../chain/apply/slots.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { getBlockId } from '../state/block_ids.ts';
import { witnesses } from '../state/tables/witness.ts';
import { witnessSchedule } from '../state/tables/witness_schedule.ts';
import type { AccountName } from '../values/account_name.ts';
import type { BlockSigner } from '../witness/block_signer.ts';
import { Standby, type StandbyView } from '../witness/standby.ts';
import { StandbyOffers, type OffersView } from '../witness/standby_offers.ts';
import type { StandbyFile } from '../witness/signing/standby_file.ts';
import type { StandbySettings } from '../settings/standby_settings.ts';

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
  /** The memory of this node, as a standby, from one run to the next. */
  readonly kept: Pick<StandbyFile, 'read' | 'write' | 'damage'>;
  /** Sends a transaction to the network; why it is refused, undefined when it isn't. */
  readonly send: (transaction: VerifiedTransaction) => string | undefined;
}

/** The time that a standby may be away or without a switch before `/health` tells its operator. */
const PATIENCE_MS = 10 * 60_000;
/** A reference has 16 bits: one that is nearly so far behind may name another block soon. */
const FARTHEST_REFERENCE = 60_000;

/** The duties of this node as a standby of another one, and for its own standbys. */
export class StandbyDuties {
  readonly #standby: Standby | undefined;
  readonly #offers: StandbyOffers | undefined;
  readonly #clock: Clock;
  /** Told as long as the node runs. */
  readonly #damage: string | undefined;
  #wellMs: number;

  constructor({ standbyFor, pinned, standbys }: Omit<StandbySettings, 'file'>, parts: StandbyDutyParts) {
    const { chain, clock, parameters, log, signer, witness, kept, hand, send } = parts;
    const { chainId, blockIntervalSeconds: intervalSeconds, profile, coinSymbol: feeSymbol } = parameters;
    const shared = { chain: chainId, view: chainView(chain), clock, warn: log.warning, note: log.notice };
    this.#clock = clock;
    this.#wellMs = clock.elapsedMs();
    if (standbyFor !== undefined) {
      const own = { witness: standbyFor, intervalSeconds, keyPrefix: profile.keyPrefix, keys: signer.keys, pinned };
      this.#standby = new Standby({ ...shared, ...own, kept: kept.read(), keep: (state) => kept.write(state), send });
      this.#damage = kept.damage;
      if (this.#damage !== undefined) log.warning(this.#damage, 'standby_file_damaged', {});
    }
    if (witness !== undefined && standbys.length > 0)
      this.#offers = new StandbyOffers({ ...shared, witness, feeSymbol, signer, standbys, hand });
  }

  /**
   * Returns whether somebody else makes the blocks of a witness of this node's, and this node takes over when that
   * ends.
   */
  isStandby(witness: AccountName): boolean {
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

  /** Lasting problems for the operator. */
  get problems(): string[] {
    const lasting = this.#clock.elapsedMs() - this.#wellMs > PATIENCE_MS ? this.#worries() : [];
    return this.#damage === undefined ? lasting : [this.#damage, ...lasting];
  }

  #worries(): string[] {
    const { standby, offers } = this.report();
    const away = offers.filter(({ isInStep, signed }) => !isInStep || signed === 0);
    const worries = away.map(
      ({ node }) =>
        `the standby ${node} is not connected, or has no switch yet: nobody takes over when this node fails`,
    );
    // A damaged file is told with its path.
    return standby?.obstacle === undefined || standby.obstacle === 'damaged_file'
      ? worries
      : [...worries, standby.advice];
  }
}

/** The chain as a standby and its witness read it. */
function chainView(chain: Chain): StandbyView & OffersView {
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
      const { number, id, lastIrreversible } = chain.head;
      return number - lastIrreversible > FARTHEST_REFERENCE ? id : getBlockId(chain.committed, lastIrreversible);
    },
    get participation() {
      return chain.participation;
    },
    signingKeyOf: (witness) => chain.signingKeyOf(witness),
    witnessRecord(witness) {
      const row = chain.committed.get(witnesses, witness);
      return row && { missed: row.total_missed, lastBlock: Number(row.last_confirmed_block_num) };
    },
  };
}
