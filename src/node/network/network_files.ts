import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { randomBytes } from '../../crypto/random.ts';
import type { BookEntry } from '../../p2p/address_book.ts';
import type { Ban } from '../../p2p/bans.ts';
import type { Target } from '../../p2p/addresses.ts';
import { writeWholeFile } from '../data_folder/whole_file.ts';
import { onDisk } from '../system_error.ts';

const KEY_FILE = 'p2p_key';
const PEERS_FILE = 'p2p_peers.json';

/** What a node remembers of the network from one run to the next. */
export interface KeptPeers {
  readonly book: readonly BookEntry[];
  readonly bans: readonly (readonly [string, Ban])[];
  /** Peers to begin with. */
  readonly anchors: readonly Target[];
}

const SECRET_BYTES = 32;
const FOR_OWNER = 0o600;
const NOTHING_KEPT: KeptPeers = { book: [], bans: [], anchors: [] };

/** What the network keeps in the data folder. */
export class NetworkFiles {
  readonly #folder: string;
  readonly #keyFile: string;
  #written = '';

  /** The key lies in the folder unless it is said where. */
  constructor(folder: string, keyFile = join(folder, KEY_FILE)) {
    this.#folder = folder;
    this.#keyFile = keyFile;
  }

  /** The secret that says who this node is, made at its first start. Fault `damaged_data` for a file that holds none. */
  secret(): Uint8Array {
    const path = this.#keyFile;
    if (!existsSync(path)) writeWholeFile(path, `${Buffer.from(randomBytes(SECRET_BYTES)).toString('hex')}\n`, FOR_OWNER);
    const text = onDisk(`cannot read ${path}`, () => readFileSync(path, 'utf8')).trim();
    if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex');
    throw new Fault(
      'damaged_data',
      `${path} is damaged: 64 hex digits expected, which say who this node is to its peers; remove it, and the node gets a new identity`,
    );
  }

  /** What was kept last; nothing when that can't be read, because all of it can be found anew. */
  peers(): KeptPeers {
    const path = join(this.#folder, PEERS_FILE);
    try {
      return keptIn(readFileSync(path, 'utf8'));
    } catch {
      return NOTHING_KEPT;
    }
  }

  keep(peers: KeptPeers): void {
    const text = `${JSON.stringify(peers, undefined, 1)}\n`;
    if (text === this.#written) return;
    writeWholeFile(join(this.#folder, PEERS_FILE), text);
    this.#written = text;
  }
}

/** The file is this program's own; one of another form is as good as none. */
function keptIn(text: string): KeptPeers {
  const { book, bans, anchors } = parsed(text);
  const isWhole =
    book.every(({ endpoint }) => typeof endpoint === 'string') &&
    bans.every(([key, { untilMs, times }]) => typeof key === 'string' && Number.isFinite(untilMs) && Number.isFinite(times)) &&
    anchors.every(({ host, port }) => typeof host === 'string' && Number.isInteger(port));
  return isWhole ? { book, bans, anchors } : NOTHING_KEPT;
}

function parsed(text: string): KeptPeers;
function parsed(text: string): unknown {
  const kept: unknown = JSON.parse(text);
  return kept;
}
