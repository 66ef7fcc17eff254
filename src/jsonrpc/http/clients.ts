import { BlockList, isIP } from 'node:net';
import type { RequestSource } from '../limits/request_source.ts';
import { isLoopback } from './loopback.ts';
import { senderIdOfAddress } from './sender_ids.ts';

/** Headers that name proxies between the client and this server, as received; '' when absent. */
export interface ProxyTrail {
  /** X-Forwarded-For. */
  readonly forwardedFor: string;
  readonly forwarded: string;
}

/** Of a request that shows a proxy, but no address before it. */
export const bareTrail: ProxyTrail = { forwardedFor: '', forwarded: '' };

/** The trail with one more header; where a header comes several times, its values are one list. */
export function withHeader(trail: ProxyTrail = bareTrail, name: string, value: string): ProxyTrail {
  if (name === 'x-forwarded-for') return { ...trail, forwardedFor: joined(trail.forwardedFor, value) };
  return name === 'forwarded' ? { ...trail, forwarded: joined(trail.forwarded, value) } : trail;
}

function joined(list: string, value: string): string {
  return list === '' ? value : `${list},${value}`;
}

/** Headers that no client sends of itself: with one of them a request has passed a proxy. */
export function isOfProxy(header: string): boolean {
  return header === 'via' || header === 'forwarded' || header === 'x-real-ip' || header.startsWith('x-forwarded-');
}

/** Of addresses that were looked at lately: a look takes a quarter of what a read does. */
const MOST_REMEMBERED = 1024;

/** Names the client of a request: the peer, or the client that a trusted proxy names. */
export class Clients {
  readonly #trusted: BlockList | undefined;
  /** True if each is a proxy's. */
  readonly #known = new Map<string, boolean>();
  readonly #onLoopback: boolean;

  /** `trustedProxies` are addresses or networks, such as 10.0.0.0/8. */
  constructor(host: string, trustedProxies: readonly string[]) {
    this.#trusted = trustedProxies.length === 0 ? undefined : blockList(trustedProxies);
    this.#onLoopback = isLoopback(host);
  }

  /** The connection belongs to a proxy, and so to many clients. */
  isProxy(peer: string): boolean {
    if (this.#trusted === undefined) return false;
    const known = this.#known.get(peer);
    if (known !== undefined) return known;
    const type = isIP(peer);
    const isOne = type !== 0 && this.#trusted.check(peer, type === 6 ? 'ipv6' : 'ipv4');
    // Strangers can name any addresses.
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
    this.#known.set(peer, isOne);
    return isOne;
  }

  /**
   * The client's address: the last hop that is no trusted proxy. What stands before that in the headers, anybody may
   * have written. A hop that names no address stands for the proxy behind it. A proxy writes one of the headers and may
   * leave the other as the client wrote it: when they disagree, neither is believed.
   */
  addressOf(peer: string, trail: ProxyTrail | undefined): string {
    if (trail === undefined || this.#trusted === undefined) return peer;
    const { forwardedFor, forwarded } = trail;
    if (forwarded === '') return this.#lastUntrusted(peer, forwardedFor.split(','));
    const address = this.#lastUntrusted(peer, forwarded.split(',').map(forwardedAddress));
    return forwardedFor === '' || address === this.#lastUntrusted(peer, forwardedFor.split(',')) ? address : peer;
  }

  #lastUntrusted(peer: string, hops: readonly string[]): string {
    let address = peer;
    for (let at = hops.length - 1; at >= 0 && this.isProxy(address); at--) {
      const hop = bare(hops[at] ?? '');
      if (isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  }

  /**
   * Returns whether the client is a program of this machine: then nothing shows a proxy, behind which everybody would
   * be local.
   */
  isLocal(client: Pick<PostingClient, 'trail' | 'address'>): boolean {
    if (client.trail !== undefined) return false;
    if (this.#trusted === undefined && this.#onLoopback) return true;
    return isLoopback(client.address.replace(/^::ffff:/i, '')) && !this.isProxy(client.address);
  }
}

/** Returns the head header of an answer, by the request's own header; '' when there is none. */
export type HeadOf = (minHead: string) => string | undefined;

/**
 * The sender of a body by POST. Its address is read when first needed: that takes as long as an answer that is known.
 */
export abstract class PostingClient implements RequestSource {
  readonly subscriber = undefined;
  readonly trail: ProxyTrail | undefined;
  readonly minHead: string;
  /** The head header of the answer, as of the last look. */
  head: string | undefined;
  readonly #clients: Clients;
  readonly #headOf: HeadOf | undefined;
  #address: string | undefined;

  constructor(clients: Clients, trail: ProxyTrail | undefined, minHead = '', headOf?: HeadOf) {
    this.#clients = clients;
    this.trail = trail;
    this.minHead = minHead;
    this.#headOf = headOf;
  }

  /** The answer is found from now on. */
  lookAtHead(): void {
    this.head = this.#headOf?.(this.minHead);
  }

  /** The address at the other end of the connection. */
  abstract peer(): string;

  get address(): string {
    return (this.#address ??= this.#clients.addressOf(this.peer(), this.trail));
  }

  get isLocal(): boolean {
    return this.#clients.isLocal(this);
  }

  senderIdOf(): number {
    return senderIdOfAddress(this.address);
  }
}

/** Returns whether that is an address or a network. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const type = isIP(address);
  return type !== 0 && Number(prefix) <= (type === 6 ? 128 : 32);
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, type);
    else list.addSubnet(address, Number(prefix), type);
  }
  return list;
}

/** The value of `for` in one element of a Forwarded header, such as `for="[2001:db8::1]:4711";proto=https`. */
function forwardedAddress(element: string): string {
  return /(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^;\s]*))/i.exec(element)?.slice(1).join('') ?? '';
}

/** Without port and brackets. */
function bare(hop: string): string {
  const text = hop.trim();
  return (
    /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ??
    (/^\d+(?:\.\d+){3}:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text)
  );
}
