import { endpointText, isPublic, parseEndpoint, wideAddressGroup, type Address } from '../../wire/addresses.ts';
import { largestGroup } from './largest_group.ts';
import type { RandomSource } from '../environment/environment.ts';
import type { NodeId } from '../../wire/wire_values.ts';

/** An address and its history. */
export interface BookEntry {
  readonly endpoint: string;
  readonly id: NodeId | undefined;
  /** The time at which this node reached it last; undefined for an address that others named. */
  readonly reachedMs: number | undefined;
  /** The peer that named it; undefined for an address that this node has reached. */
  readonly from: NodeId | undefined;
}

const MOST_ENTRIES = 1000; // twenty times the nodes of a chain of 51 witnesses
const MOST_FROM_ONE = 64; // or one peer could fill the book
const MOST_HEARD_OF_WIDE_GROUP = 32; // or one owner of addresses could
const MOST_REACHED_OF_WIDE_GROUP = 64; // the same, with nodes that answer
const TOLD_FOR_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

type Entry = BookEntry & { readonly wideGroup: string };

/**
 * Addresses of nodes. Those that we have reached ourselves are never given up for those that we have only heard of, so
 * that liars can't crowd out what we know.
 */
export class AddressBook {
  readonly #entries = new Map<string, Entry>();
  readonly #mayBePrivate: boolean;

  /** `mayBePrivate` on networks of their own, where addresses are. */
  constructor(mayBePrivate: boolean, kept: Iterable<BookEntry> = []) {
    this.#mayBePrivate = mayBePrivate;
    for (const entry of kept) if (this.#entries.size < MOST_ENTRIES) this.#put(entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Entries to save for the next run. */
  entries(): BookEntry[] {
    return [...this.#entries.values()].map(({ endpoint, id, reachedMs, from }) => ({ endpoint, id, reachedMs, from }));
  }

  /** Returns whether somebody there was a peer of ours whom we had dialled. */
  hasReached(host: string): boolean {
    const start = endpointText({ host, port: 0 }).slice(0, -1);
    for (const { endpoint, reachedMs } of this.#entries.values())
      if (reachedMs !== undefined && endpoint.startsWith(start)) return true;
    return false;
  }

  /** A peer tells of an address. */
  hear(endpoint: string, id: NodeId, from: NodeId): void {
    const address = parseEndpoint(endpoint);
    if (address === undefined || !this.#isAllowed(address)) return;
    const key = endpointText(address);
    if (this.#entries.has(key) || this.#countHeard((entry) => entry.from === from) >= MOST_FROM_ONE) return;
    const wide = wideAddressGroup(address.host);
    if (this.#countHeard((entry) => entry.wideGroup === wide) >= MOST_HEARD_OF_WIDE_GROUP) return;
    if (this.#entries.size >= MOST_ENTRIES && !this.#forgetOldestHeard()) return;
    this.#put({ endpoint: key, id, reachedMs: undefined, from });
  }

  /** This node has reached another one there. An owner of many answering addresses displaces none but its own. */
  noteReached(address: Address, id: NodeId, nowMs: number): void {
    if (!this.#isAllowed(address)) return;
    const key = endpointText(address);
    this.#entries.delete(key);
    const same = this.#reached().filter(({ wideGroup }) => wideGroup === wideAddressGroup(address.host));
    if (same.length >= MOST_REACHED_OF_WIDE_GROUP) this.#forget(same[0]);
    if (this.#entries.size >= MOST_ENTRIES && !this.#forgetOldestHeard())
      this.#forget(largestGroup(this.#reached(), ofWideGroup)[0]);
    this.#put({ endpoint: key, id, reachedMs: nowMs, from: undefined });
  }

  /** Nobody answers there; of what we were only told nothing is left. */
  noteFailed(address: Address): void {
    const key = endpointText(address);
    if (this.#entries.get(key)?.reachedMs === undefined) this.#entries.delete(key);
  }

  /**
   * Addresses to try, in random order: those that we have reached before first, and of these one of each wide group
   * before a second one.
   */
  candidates(randomSource: RandomSource): BookEntry[] {
    const shuffled = [...this.#entries.values()]
      .map((entry) => ({ entry, place: randomSource.roll(2 ** 30) }))
      .sort((a, b) => a.place - b.place);
    const all = shuffled.map(({ entry }) => entry);
    const [reached, heard] = [
      all.filter(({ reachedMs }) => reachedMs !== undefined),
      all.filter(({ reachedMs }) => reachedMs === undefined),
    ];
    return [...inTurns(reached), ...inTurns(heard)];
  }

  /**
   * Addresses to name to a peer: only those that this node has reached within the last day, so that no rumours spread.
   */
  told(
    most: number,
    nowMs: number,
    randomSource: RandomSource,
  ): { readonly id: NodeId; readonly endpoint: string; readonly seen_hours: number }[] {
    const fresh = this.candidates(randomSource).flatMap(({ id, endpoint, reachedMs }) =>
      id === undefined || reachedMs === undefined || nowMs - reachedMs > TOLD_FOR_MS
        ? []
        : [{ id, endpoint, seen_hours: Math.max(0, Math.floor((nowMs - reachedMs) / HOUR_MS)) }],
    );
    return fresh.slice(0, most);
  }

  #isAllowed({ host }: Address): boolean {
    return this.#mayBePrivate || isPublic(host);
  }

  #put(entry: BookEntry): void {
    const address = parseEndpoint(entry.endpoint);
    if (address !== undefined)
      this.#entries.set(entry.endpoint, { ...entry, wideGroup: wideAddressGroup(address.host) });
  }

  #countHeard(isCounted: (entry: Entry) => boolean): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.reachedMs === undefined && isCounted(entry)) count++;
    return count;
  }

  #forgetOldestHeard(): boolean {
    for (const [key, { reachedMs }] of this.#entries) if (reachedMs === undefined) return this.#entries.delete(key);
    return false;
  }

  /** Oldest first. */
  #reached(): Entry[] {
    return [...this.#entries.values()].filter(({ reachedMs }) => reachedMs !== undefined);
  }

  #forget(entry: Entry | undefined): void {
    if (entry !== undefined) this.#entries.delete(entry.endpoint);
  }
}

function ofWideGroup({ wideGroup }: Entry): string {
  return wideGroup;
}

/** The first of each wide group, then the second of each, and so on. */
function inTurns(entries: readonly Entry[]): Entry[] {
  const counts = new Map<string, number>();
  const placed = entries.map((entry) => {
    const turn = counts.get(entry.wideGroup) ?? 0;
    counts.set(entry.wideGroup, turn + 1);
    return { entry, turn };
  });
  return placed.sort((a, b) => a.turn - b.turn).map(({ entry }) => entry);
}
