import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { randomBytes } from '../../crypto/random.ts';
import type { BookEntry } from '../../p2p/peers/address_book.ts';
import type { FollowedBlock } from '../../p2p/sync/followed_chain.ts';
import type { Ban } from '../../p2p/peers/bans.ts';
import type { Target } from '../../wire/addresses.ts';
import type { NodeId } from '../../wire/wire_values.ts';
import { forgetForeignHead } from '../../data_folder/foreign_head.ts';
import { writeWholeFile } from '../../system/whole_file.ts';
import { hexMember, parseMembers, toMembers } from '../../system/json_members.ts';
import { onDisk } from '../../system/system_error.ts';
import { ID_BYTES } from '../../values/hash.ts';

const KEY_FILE = 'p2p_key';
const PEERS_FILE = 'p2p_peers.json';

/** The peers and bans that a node remembers from one run to the next. */
export interface KeptPeers {
  readonly book: readonly BookEntry[];
  readonly bans: readonly (readonly [string, Ban])[];
  /** Peers to begin with. */
  readonly anchors: readonly Target[];
  /** Up to where this folder has followed the chain. */
  readonly followed?: FollowedBlock | undefined;
}

const SECRET_BYTES = 32;
const NODE_ID_BYTES = 32;
const FOR_OWNER = 0o600;
const NOTHING_KEPT: KeptPeers = { book: [], bans: [], anchors: [] };

/** The files of the network in the data folder. */
export class NetworkFiles {
  readonly #folder: string;
  readonly #keyFile: string;
  #written = '';
  #damage: string | undefined;

  /** The key lies in the folder unless it is said where. */
  constructor(folder: string, keyFile = join(folder, KEY_FILE)) {
    this.#folder = folder;
    this.#keyFile = keyFile;
  }

  /**
   * The secret that says who this node is, made at its first start. Fault `damaged_data` for a file that holds none.
   */
  secret(): Uint8Array {
    const path = this.#keyFile;
    if (!existsSync(path))
      writeWholeFile(path, `${Buffer.from(randomBytes(SECRET_BYTES)).toString('hex')}\n`, FOR_OWNER);
    const text = onDisk(`cannot read ${path}`, () => readFileSync(path, 'utf8')).trim();
    if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex');
    throw new Fault(
      'damaged_data',
      `${path} is damaged, or no p2p-key-file: 64 hex digits expected, which say who this node is to its peers; name another file, or move it away, and the node gets a new identity`,
    );
  }

  /**
   * The peers that were kept last; none when the file can't be read, because all of it can be found anew. Then `damage`
   * says so.
   */
  peers(): KeptPeers {
    const path = join(this.#folder, PEERS_FILE);
    if (!existsSync(path)) return NOTHING_KEPT;
    const kept = this.#readKept(path);
    if (kept === undefined)
      this.#damage = `${path} is damaged: peers, bans and how far this folder has followed the chain are forgotten; the node finds peers by its seeds, and writes the file anew`;
    return kept ?? NOTHING_KEPT;
  }

  #readKept(path: string): KeptPeers | undefined {
    try {
      return parseKept(readFileSync(path, 'utf8'));
    } catch {
      return undefined; // something else than a file lies there
    }
  }

  /** Tells the operator about damage of the file that was read last; undefined where all is well. */
  get damage(): string | undefined {
    return this.#damage;
  }

  keep(peers: KeptPeers): void {
    const text = `${JSON.stringify(peers, undefined, 1)}\n`;
    if (text === this.#written) return;
    writeWholeFile(join(this.#folder, PEERS_FILE), text);
    this.#written = text;
  }

  /** Peers have the block that the chain begins with. */
  confirmed(): void {
    forgetForeignHead(this.#folder);
  }
}

/** All of it; undefined when any of it is not what this program writes. */
function parseKept(text: string): KeptPeers | undefined {
  const { book, bans, anchors, followed } = parseMembers(text) ?? {};
  const kept = [parseAll(book, parseEntry), parseAll(bans, parseBan), parseAll(anchors, parseStoredTarget)] as const;
  const [entries, ended, targets] = kept;
  if (entries === undefined || ended === undefined || targets === undefined) return undefined;
  const block = parseFollowed(followed);
  if (followed !== undefined && block === undefined) return undefined;
  return { book: entries, bans: ended, anchors: targets, ...(block && { followed: block }) };
}

/** Every item as `itemIn` reads it; undefined when one of them can't be read. */
function parseAll<T>(value: unknown, itemIn: (item: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: T[] = [];
  for (const each of value) {
    const item = itemIn(each);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

function parseEntry(value: unknown): BookEntry | undefined {
  const { endpoint, id, reachedMs, from } = toMembers(value) ?? {};
  const isWhole =
    typeof endpoint === 'string' &&
    (reachedMs === undefined || typeof reachedMs === 'number') &&
    isId(id) &&
    isId(from);
  return isWhole ? { endpoint, id, reachedMs, from } : undefined;
}

function parseBan(value: unknown): readonly [string, Ban] | undefined {
  const pair: readonly unknown[] = Array.isArray(value) ? value : [];
  const [who, ban] = pair;
  const { untilMs, times } = toMembers(ban) ?? {};
  return typeof who === 'string' && typeof untilMs === 'number' && typeof times === 'number'
    ? [who, { untilMs, times }]
    : undefined;
}

function parseStoredTarget(value: unknown): Target | undefined {
  const { host, port, id } = toMembers(value) ?? {};
  return typeof host === 'string' && typeof port === 'number' && isId(id) ? { host, port, id } : undefined;
}

/** Undefined where an older version, or a node that has followed nothing yet, has written none. */
function parseFollowed(value: unknown): FollowedBlock | undefined {
  const { number, id } = toMembers(value) ?? {};
  const text = hexMember(id, ID_BYTES);
  return typeof number === 'number' && text !== undefined ? { number, id: text } : undefined;
}

/** The id of a node, where there is one. */
function isId(value: unknown): value is NodeId | undefined {
  return value === undefined || hexMember(value, NODE_ID_BYTES) !== undefined;
}
