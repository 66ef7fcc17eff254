import { NodeRefusal, type Client } from './index.ts';

/** An operation of a history, as far as its time is concerned. */
interface RecordedEntry {
  readonly block: number;
  readonly timestamp: string;
}

/** Blocks that are asked for at once. */
const AT_ONCE = 25;
const RETRIES = 3;
/** Blocks that are remembered: all of a page's histories, 100 KB. */
const MOST_KNOWN = 2000;

/**
 * The times of the blocks of operations. The history has another one for operations in transactions, as nodes of the
 * lineage do: the time of the block before, which may be far back.
 */
export class BlockTimes {
  readonly #branch: () => number;
  #known = new Map<number, string>();
  #knownOf: number;

  /** `branch` tells another number after blocks were undone. */
  constructor(branch: () => number) {
    this.#branch = branch;
    this.#knownOf = branch();
  }

  /** The time of the block of an operation; that of the history where the node no longer has the block. */
  async find(client: Client, { block, timestamp }: RecordedEntry): Promise<string> {
    const branch = this.#branch();
    if (branch !== this.#knownOf || this.#known.size > MOST_KNOWN) this.#known = new Map();
    this.#knownOf = branch;
    const known = this.#known.get(block);
    if (known !== undefined) return known;
    const found = await headerTime(client, block);
    if (found !== undefined && this.#branch() === branch) this.#known.set(block, found);
    return found ?? timestamp;
  }

  /** The same for several, in order. */
  async findAll(client: Client, entries: readonly RecordedEntry[]): Promise<readonly string[]> {
    const unique = [...new Map(entries.map((entry) => [entry.block, entry])).values()];
    const found = new Map<number, string>();
    for (let from = 0; from < unique.length; from += AT_ONCE) {
      const some = unique.slice(from, from + AT_ONCE);
      const times = await Promise.all(some.map(async (entry) => await this.find(client, entry)));
      for (const [at, { block }] of some.entries()) found.set(block, times[at] ?? '');
    }
    return entries.map(({ block, timestamp }) => found.get(block) ?? timestamp);
  }
}

/** Undefined for a block that the node does not have, or no longer has. */
async function headerTime(client: Client, number: number): Promise<string | undefined> {
  try {
    // A page of a history asks for many, which a limit of calls a second may put off.
    const header = await client.call('block_api.get_block_header', { block_num: number }, { retries: RETRIES });
    return header?.timestamp;
  } catch (error) {
    if (error instanceof NodeRefusal && error.code === 'pruned') return undefined;
    throw error;
  }
}
