/** Limits on all addresses together and on each one. */
export interface SharedSumLimits {
  readonly inAll: number;
  readonly perAddress: number;
}

/**
 * One part in eight of a sum is kept for addresses that hold little: a few that take their whole share leave something
 * to a newcomer.
 */
const RESERVED_PART = 8;
/** A part of this size of a sum is little. */
const FIRST_PART = 1024;

/**
 * Counts something that all addresses share. One address gets at most its share, and the last part goes to those that
 * hold little.
 */
export class SharedSum {
  readonly #inAll: number;
  readonly #perAddress: number;
  readonly #unreserved: number;
  readonly #first: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor({ inAll, perAddress }: SharedSumLimits) {
    this.#inAll = inAll;
    this.#perAddress = Math.min(perAddress, inAll);
    this.#unreserved = inAll - Math.floor(inAll / RESERVED_PART);
    this.#first = Math.ceil(inAll / FIRST_PART);
  }

  /** The sum that all addresses hold. */
  get all(): number {
    return this.#all;
  }

  /** The limit that an address would exceed with `more`; undefined when it may have it. */
  limitFor(address: string, more: number): number | undefined {
    const held = (this.#held.get(addressHolder(address)) ?? 0) + more;
    const all = this.#all + more;
    if (held > this.#perAddress) return this.#perAddress;
    if (all > this.#inAll) return this.#inAll;
    return all > this.#unreserved && held > this.#first ? this.#unreserved : undefined;
  }

  /** Adds to what the address holds, or subtracts. */
  change(address: string, more: number): void {
    const holder = addressHolder(address);
    const held = (this.#held.get(holder) ?? 0) + more;
    this.#all += more;
    if (held === 0) this.#held.delete(holder);
    else this.#held.set(holder, held);
  }

  /** The same if the address may have it; false when not. */
  take(address: string, more: number): boolean {
    if (more > 0 && this.limitFor(address, more) !== undefined) return false;
    this.change(address, more);
    return true;
  }
}

const GROUPS_OF_NETWORK = 4; // of 16 bits: what one customer of a provider gets of IPv6

/** Returns the holder of an address: an IPv4 address stands for itself, an IPv6 address for its network of 64 bits. */
export function addressHolder(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail = ''] = address.split('::');
  const parseGroups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [parseGroups(head), parseGroups(tail)];
  const zeros = Array.from({ length: Math.max(0, GROUPS_OF_ADDRESS - first.length - last.length) }, () => 0);
  return [...first, ...zeros, ...last]
    .slice(0, GROUPS_OF_NETWORK)
    .map((group) => group.toString(16))
    .join(':');
}

const GROUPS_OF_ADDRESS = 8;
