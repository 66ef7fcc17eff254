import type { NodeId } from './wire_values.ts';

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const IPV6 = /^[0-9a-f:]{2,39}$/i;
const MOST_PORT = 65_535;
const IPV6_PARTS = 8;

/** A numeric address of the other side. */
export interface Address {
  /** IPv4 or IPv6, without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * The numeric address and port that a text says, `1.2.3.4:9290` or `[2001:db8::1]:9290`; undefined for names and
 * anything else.
 */
export function parseEndpoint(text: string): Address | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const [, six, four, digits = ''] = match ?? [];
  const port = Number(digits);
  if (port === 0 || port > MOST_PORT) return undefined;
  if (four !== undefined) return IPV4.test(four) ? { host: four, port } : undefined;
  return six !== undefined && partsOfIpv6(six) !== undefined ? { host: six.toLowerCase(), port } : undefined;
}

/** Somebody to connect to. */
export interface Target {
  /** A name or a numeric address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** The expected node; any unless set. */
  readonly id?: NodeId | undefined;
}

const TARGET = /^(?:([0-9a-f]{64})@)?(?:\[([0-9a-f:.]+)\]|([^:@[\]\s]{1,253})):(\d{1,5})$/i;

/** The node that an operator names, `host:port` or `id@host:port`; undefined for any other text. */
export function parseTarget(text: string): Target | undefined {
  const [, id, six, name, digits] = TARGET.exec(text) ?? [];
  const port = Number(digits);
  const host = six ?? name;
  if (host === undefined || !(port > 0 && port <= MOST_PORT)) return undefined;
  return { host, port, id: id?.toLowerCase() };
}

/** The same as a text. */
export function endpointText({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Addresses that one hand can easily have many of: those of a /24, of IPv6 those of a /48. A name stands for itself.
 */
export function addressGroup(host: string): string {
  return addressPrefix(host, 3, 3);
}

/** Wider, for addresses that are only heard of: a /16, of IPv6 a /32. */
export function wideAddressGroup(host: string): string {
  return addressPrefix(host, 2, 2);
}

function addressPrefix(host: string, fourParts: number, sixParts: number): string {
  if (IPV4.test(host)) return host.split('.').slice(0, fourParts).join('.');
  const parts = partsOfIpv6(host);
  return parts === undefined ? host : parts.slice(0, sixParts).join(':');
}

export function isLoopback(host: string): boolean {
  return host.startsWith('127.') || host === '::1' || host === 'localhost';
}

/** Returns whether an address can be reached from everywhere. */
export function isPublic(host: string): boolean {
  if (IPV4.test(host)) return !PRIVATE_IPV4.test(host);
  const [first = ''] = partsOfIpv6(host) ?? [];
  // Global unicast is 2000::/3.
  return /^[23][0-9a-f]{3}$/.test(first);
}

const PRIVATE_IPV4 =
  /^(?:0|10|127|22[4-9]|2[345]\d)\.|^169\.254\.|^172\.(?:1[6-9]|2\d|3[01])\.|^192\.168\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;

/** The eight parts, four digits each; undefined for what is no address. */
function partsOfIpv6(text: string): string[] | undefined {
  if (!IPV6.test(text) || text.split('::').length > 2) return undefined;
  const [left = '', right] = text.split('::');
  const before = left === '' ? [] : left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const missing = IPV6_PARTS - before.length - after.length;
  if (right === undefined ? missing !== 0 : missing < 1) return undefined;
  const parts = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  return parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))
    ? parts.map((part) => part.toLowerCase().padStart(4, '0'))
    : undefined;
}
