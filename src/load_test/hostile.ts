import { connect } from 'node:net';
import type { Chance } from './chance.ts';
import type { LatencyHistogram } from './latency_histogram.ts';
import { HttpLink } from './post_links.ts';
import type { TrafficPost } from './traffic_post.ts';

/** The outcome of one kind of hostile traffic. */
export interface HostileCount {
  sent: number;
  refused: number;
  /** The node took it as if it were honest. */
  taken: number;
}

/** All of it. */
export interface HostileReport {
  readonly latency: LatencyHistogram;
  readonly kinds: Readonly<Record<string, HostileCount>>;
}

type Alteration = (post: TrafficPost) => Uint8Array;

/** Above every node's limit for a body. */
const GIANT_BYTES = 2 * 1024 * 1024;
/** Posts of the past of which duplicates are made; old enough to be in the node, young enough not to be expired. */
const REMEMBERED = 16;
const LANES = 16;
const SLOW_MS = 5000;
/**
 * The machine's other loopback address: a node tells clients by their address, and the honest ones have nothing to do
 * with these.
 */
const OTHER_ADDRESS = '127.0.0.66';

const text = ({ body }: TrafficPost): string => Buffer.from(body).toString();

/** Each makes something of an honest post that a node must refuse. */
const alterations: Readonly<Record<string, Alteration>> = {
  'broken JSON': ({ body }) => body.subarray(0, Math.max(1, body.length - 2)),
  // Another second is another transaction, for which the signature is anybody's.
  'wrong signature': (post) =>
    Buffer.from(
      text(post).replaceAll(/("expiration":"[^"]*)(\d)"/g, (_, start, digit) => `${start}${(Number(digit) + 1) % 10}"`),
    ),
  duplicate: ({ body }) => body,
  expired: (post) => Buffer.from(text(post).replaceAll(/"expiration":"\d{4}/g, '"expiration":"2001')),
  'giant body': () => Buffer.alloc(GIANT_BYTES, ' '),
};
const SLOW = 'slow reader';

/** Mixes in what strangers send, over connections of its own, beside the honest load and without holding it up. */
export class HostileShare {
  readonly #share: number;
  readonly #chance: Chance;
  readonly #url: URL;
  readonly #link: HttpLink;
  readonly #latency: LatencyHistogram;
  readonly #past: TrafficPost[] = [];
  readonly #kinds: Record<string, HostileCount>;
  readonly #slow = new Set<() => void>();
  #underWay = 0;

  constructor(url: URL, share: number, chance: Chance, latency: LatencyHistogram) {
    this.#share = share;
    this.#chance = chance;
    this.#url = url;
    const isLocal = process.platform === 'linux' && ['127.0.0.1', 'localhost'].includes(url.hostname);
    this.#link = new HttpLink(url, LANES, isLocal ? OTHER_ADDRESS : undefined);
    this.#latency = latency;
    this.#kinds = Object.fromEntries(
      [...Object.keys(alterations), SLOW].map((kind) => [kind, { sent: 0, refused: 0, taken: 0 }]),
    );
  }

  /**
   * An honest post was answered: of so many calls a share gets company. What was refused is no model: sent again, it
   * may be taken.
   */
  beside(post: TrafficPost, isTaken: boolean): void {
    const isTransaction = post.ids.length > 0;
    for (let call = 0; call < post.count; call++) if (this.#chance.next() < this.#share) this.#attack(isTransaction);
    if (!isTaken || (!isTransaction && this.#past.length > 0)) return;
    this.#past.push(post);
    if (this.#past.length > REMEMBERED) this.#past.shift();
  }

  report(): HostileReport {
    return { latency: this.#latency, kinds: this.#kinds };
  }

  close(): void {
    this.#link.close();
    for (const end of this.#slow) end();
  }

  #attack(isTransaction: boolean): void {
    const post = this.#past[this.#chance.whole(0, Math.max(0, this.#past.length - 1))];
    // A node that keeps strangers waiting must not fill this program's memory.
    if (post === undefined || this.#underWay >= LANES * 4) return;
    const names = isTransaction ? Object.keys(this.#kinds) : ['broken JSON', 'giant body', SLOW];
    const kind = names[this.#chance.whole(0, names.length - 1)] ?? SLOW;
    const count = this.#kinds[kind];
    if (count === undefined) return;
    count.sent++;
    const alter = alterations[kind];
    if (alter === undefined) this.#readSlowly();
    else void this.#send(alter(post), post.count, count);
  }

  async #send(body: Uint8Array, calls: number, count: HostileCount): Promise<void> {
    this.#underWay++;
    const startedMs = performance.now();
    const outcomes = await this.#link.post(body, calls);
    this.#latency.record(performance.now() - startedMs);
    this.#underWay--;
    if (outcomes.every((outcome) => 'refusal' in outcome)) count.refused++;
    else count.taken++;
  }

  /** Asks for a lot and reads nothing of it for a while. */
  #readSlowly(): void {
    if (this.#slow.size >= LANES || this.#url.protocol !== 'http:') return;
    const calls = Array.from({ length: 100 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'database_api.get_config',
      params: {},
    }));
    const body = JSON.stringify(calls);
    const port = Number(this.#url.port === '' ? 80 : this.#url.port);
    const socket = connect(port, this.#url.hostname.replace(/[[\]]/g, ''));
    socket.pause();
    socket.on('error', () => {});
    socket.write(
      `POST / HTTP/1.1\r\nHost: ${this.#url.host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      this.#slow.delete(end);
    };
    const timer = setTimeout(end, SLOW_MS);
    this.#slow.add(end);
  }
}
