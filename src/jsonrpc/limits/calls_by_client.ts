import type { Clock } from '../../base/clock.ts';

/** The calls of a client within a minute. */
export interface ClientCalls {
  /** Those that were refused included. */
  readonly calls: number;
  /** In small reads, as limits count. */
  readonly weight: number;
  /** Calls beyond what its address may ask for. */
  readonly refused: number;
}

/** A client and what it asked for. */
export interface ClientShare extends ClientCalls {
  readonly address: string;
}

/** The counts of one client; each part that answers adds to them. */
export interface ClientTally {
  calls: number;
  weight: number;
  refused: number;
}

interface Kept extends ClientTally {
  /** The minute that the counts are of. */
  minute: number;
  before: ClientCalls;
}

const MINUTE_MS = 60_000;
/** About 200 bytes each; who hammers is always among those that called last. */
const MOST_CLIENTS = 4096;
/**
 * One of this many cached answers is counted, for all of them: looking up an address takes as long as such an answer.
 * No round number, so that clients who call by turns are met alike.
 */
const KNOWN_EACH = 17;
const NOTHING: ClientCalls = { calls: 0, weight: 0, refused: 0 };

/** Counts the calls of the last minute by client, for the operator; of the clients that called last. */
export class CallsByClient {
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  readonly #kept = new Map<string, Kept>();
  #known = 0;
  /** Calls beyond what their addresses may ask for, of all clients. */
  refused = 0;

  constructor(clock: Pick<Clock, 'elapsedMs'>) {
    this.#clock = clock;
  }

  /** The counts of a client in this minute. */
  of(address: string): ClientTally {
    const minute = this.#minute();
    const known = this.#kept.get(address);
    const kept = known ?? { ...NOTHING, minute, before: NOTHING };
    if (known !== undefined) this.#kept.delete(address);
    this.#kept.set(address, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_CLIENTS) break;
      this.#kept.delete(oldest);
    }
    return turned(kept, minute);
  }

  /** A call was answered as before; its client is looked at now and then. */
  repeated(client: { readonly address: string }, weight: number): void {
    if (++this.#known % KNOWN_EACH !== 0) return;
    const tally = this.of(client.address);
    tally.calls += KNOWN_EACH;
    tally.weight += KNOWN_EACH * weight;
  }

  /** Calls were refused because their client asks for too much. */
  overLimit(tally: ClientTally, count: number): void {
    tally.calls += count;
    tally.refused += count;
    this.refused += count;
  }

  /** Those that asked for most in the last minute, and what all together did. */
  busiest(count: number): { readonly clients: readonly ClientShare[]; readonly weight: number } {
    const all = [...this.#kept].map(([address, kept]) => this.#lastMinute(address, kept));
    // Calls of this process itself have no address.
    const clients = all.filter(({ address, calls }) => address !== '' && calls > 0);
    return {
      clients: clients.toSorted((a, b) => clientDemand(b) - clientDemand(a)).slice(0, count),
      weight: clients.reduce((sum, { weight }) => sum + weight, 0),
    };
  }

  /** This minute, and of the one before the part that is less than a minute ago. */
  #lastMinute(address: string, kept: Kept): ClientShare {
    const { calls, weight, refused, before } = turned(kept, this.#minute());
    const part = 1 - (this.#clock.elapsedMs() % MINUTE_MS) / MINUTE_MS;
    const sum = (now: number, then: number): number => Math.round(now + part * then);
    return {
      address,
      calls: sum(calls, before.calls),
      weight: sum(weight, before.weight),
      refused: sum(refused, before.refused),
    };
  }

  #minute(): number {
    return Math.floor(this.#clock.elapsedMs() / MINUTE_MS);
  }
}

/** Refusing takes time as well. */
function clientDemand({ weight, refused }: ClientCalls): number {
  return weight + refused;
}

function turned(kept: Kept, minute: number): Kept {
  if (kept.minute === minute) return kept;
  const { calls, weight, refused } = kept;
  kept.before = kept.minute === minute - 1 ? { calls, weight, refused } : NOTHING;
  return Object.assign(kept, NOTHING, { minute });
}
