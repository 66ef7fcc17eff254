import { lanes, type Lane } from '../../wire/lanes.ts';
import type { Seconds } from '../../values/time.ts';
import type { Channel } from '../../wire/link/channel.ts';
import type { Environment } from '../environment/environment.ts';
import { offences, type Offence } from './score.ts';

/** The outcomes of bundles: with new transactions, known already, or with a refused one; and bundles that were sent. */
export type BundleFate = 'taken' | 'known' | 'refused' | 'sent';

/**
 * The delay of a block until its header was checked, until all its transactions were here, and until it was the head.
 */
export interface BlockDelay {
  readonly stage: 'header' | 'received' | 'applied';
  readonly ms: number;
}

type ByLane = Readonly<Record<Lane, number>>;

const MOST_DELAYS = 1024; // of a second; they are taken out each second

/** Counts events of the network since the start, for the operator; nothing here decides. */
export class NetworkCounts {
  readonly offences: Record<Offence, number>;
  readonly bundles: Record<BundleFate, number> = { taken: 0, known: 0, refused: 0, sent: 0 };
  /**
   * Of transactions that blocks named: known ones, those asked for, and blocks that were fetched as a whole after all.
   */
  readonly shortIds = { hit: 0, miss: 0, fallback: 0 };
  /** Milliseconds of work, by kind of message or task. */
  readonly work: Record<string, number> = {};
  bans = 0;
  #received: ByLane = NO_BYTES;
  #sent: ByLane = NO_BYTES;
  #delays: BlockDelay[] = [];
  #rebuiltMs: number[] = [];

  constructor() {
    this.offences = { ...NO_OFFENCES };
  }

  /** A link is over; what it carried still counts. */
  ended({ receivedBytes, sentBytes }: Pick<Channel, 'receivedBytes' | 'sentBytes'>): void {
    this.#received = sumLanes([this.#received, receivedBytes]);
    this.#sent = sumLanes([this.#sent, sentBytes]);
  }

  /** Bytes by lane, of the links that are over and of these. */
  bytes(open: readonly Pick<Channel, 'receivedBytes' | 'sentBytes'>[]): {
    readonly received: ByLane;
    readonly sent: ByLane;
  } {
    return {
      received: sumLanes([this.#received, ...open.map(({ receivedBytes }) => receivedBytes)]),
      sent: sumLanes([this.#sent, ...open.map(({ sentBytes }) => sentBytes)]),
    };
  }

  /** A block of that time has come so far. Where a chain moves its own time nothing is late. */
  noteDelay({ view, clock }: Pick<Environment, 'view' | 'clock'>, stage: BlockDelay['stage'], time: Seconds): void {
    const ms = clock.nowMs() - time * 1000;
    if (view.slots !== undefined && this.#delays.length < MOST_DELAYS) this.#delays.push({ stage, ms });
  }

  /** A block was put together so long after its short ids had come. */
  noteRebuilt(ms: number): void {
    if (this.#rebuiltMs.length < MOST_DELAYS) this.#rebuiltMs.push(ms);
  }

  /** The milliseconds of each rebuilt block since the last call. */
  takeRebuiltMs(): readonly number[] {
    const taken = this.#rebuiltMs;
    this.#rebuiltMs = [];
    return taken;
  }

  /** The delays since the last call. */
  takeDelays(): readonly BlockDelay[] {
    const delays = this.#delays;
    this.#delays = [];
    return delays;
  }
}

const NO_BYTES: ByLane = { 0: 0, 1: 0, 2: 0, 3: 0 };
const NO_OFFENCES = noOffences();

function noOffences(): Record<Offence, number>;
function noOffences(): Record<string, number> {
  return Object.fromEntries(Object.keys(offences).map((name) => [name, 0]));
}

function sumLanes(all: readonly ByLane[]): ByLane {
  const sum = { ...NO_BYTES };
  for (const one of all) for (const lane of lanes) sum[lane] += one[lane];
  return sum;
}
