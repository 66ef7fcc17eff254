import { Fault } from '../base/fault.ts';
import { referenceId, type ChainStanding } from '../client/block_ids.ts';
import { member } from '../client/chain_of_node.ts';
import type { Json } from '../codec/json.ts';
import { readJson } from '../codec/json_reader.ts';
import { parseTime } from '../values/time.ts';
import { headerCall, previousId } from './chain_facts.ts';
import { HttpLink } from './post_links.ts';
import { fetchPage } from './scrape.ts';
import { isCount, parseMembers, toMembers } from '../system/json_members.ts';
import { ID_DIGITS } from '../values/hash.ts';

/** The node's chain at one moment. */
export interface WatchedHead {
  readonly number: number;
  readonly id: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly slot: number;
  readonly irreversible: number;
  readonly maximumBlockBytes: number;
  /** The node's own moving average. */
  readonly averageBlockBytes: number;
  /** As `Head` has it. */
  readonly referenceId: string;
}

/** The facts of a block that a load needs. */
export interface SeenBlock {
  readonly id: string;
  readonly transactionIds: readonly string[];
  /** Seconds since 1970. */
  readonly time: number;
  /** Its packed form has no more bytes than these. */
  readonly mostBytes: number;
}

/** Blocks of one page of sizes. */
const PAGE_BLOCKS = 50;
/** Ids in one batch of look-ups: the most that a node accepts. */
export const LOOK_UPS = 100;

/** Asks a node about its blocks. */
export class BlockReader {
  readonly #url: URL;
  readonly #link: HttpLink;
  /**
   * Of which block the header was asked for last, and which id it names: it stays the same until another one is
   * irreversible.
   */
  #header: { readonly block: number; readonly previous: string | undefined } = { block: 0, previous: undefined };

  constructor(url: URL) {
    this.#url = url;
    this.#link = new HttpLink(url, 2);
  }

  async head(): Promise<WatchedHead> {
    const properties = member(
      readResult(await this.#ask('alexandria_api.get_dynamic_global_properties', {})),
      'properties',
    );
    const id = member(properties, 'head_block_id');
    const time = member(properties, 'time');
    const seconds = typeof time === 'string' ? parseTime(time) : undefined;
    if (typeof id !== 'string' || seconds === undefined)
      throw new Fault('runtime', 'the node does not tell its head block');
    const number = (name: string): number => Number(member(properties, name) ?? 0);
    const irreversible = number('last_irreversible_block_num');
    return {
      id,
      time: seconds,
      number: number('head_block_number'),
      slot: number('current_aslot'),
      irreversible,
      maximumBlockBytes: number('maximum_block_size'),
      averageBlockBytes: number('average_block_size'),
      referenceId: await this.#referenceId({ head: number('head_block_number'), headId: id, final: irreversible }),
    };
  }

  async #referenceId(standing: ChainStanding): Promise<string> {
    const askPrevious = async (block: number): Promise<string | undefined> => {
      if (block !== this.#header.block)
        this.#header = { block, previous: previousId(readResult(await this.#ask(...headerCall(block)))) };
      return this.#header.previous;
    };
    return await referenceId(standing, askPrevious);
  }

  /** Undefined when the node has no such block, or when it is too large to be sent. */
  async block(number: number): Promise<SeenBlock | undefined> {
    return readBlock(await this.#ask('alexandria_api.get_block', { num: number }));
  }

  /** The packed sizes of those blocks, as the explorer's page has them; none where a proxy does not pass it on. */
  async packedSizes(first: number, last: number): Promise<ReadonlyMap<number, number>> {
    const sizes = new Map<number, number>();
    try {
      for (let from = first; from <= last; from += PAGE_BLOCKS) {
        const path = `chain/blocks/${from}-${Math.min(last, from + PAGE_BLOCKS - 1)}.json`;
        const { blocks } = parseMembers(await fetchPage(new URL(path, this.#url).href)) ?? {};
        for (const { number, bytes } of Array.isArray(blocks) ? blocks.map((block) => toMembers(block) ?? {}) : [])
          if (isCount(number) && isCount(bytes)) sizes.set(number, bytes);
      }
    } catch {
      return sizes;
    }
    return sizes;
  }

  /** For each transaction, the number of its block; undefined when it is in none. */
  async findBlocks(ids: readonly string[]): Promise<(number | undefined)[]> {
    const found: (number | undefined)[] = [];
    for (let from = 0; from < ids.length; from += LOOK_UPS)
      found.push(...(await this.#blocksOfSome(ids.slice(from, from + LOOK_UPS))));
    return found;
  }

  /** As PostLink has it. */
  get goneAtMs(): number | undefined {
    return this.#link.goneAtMs;
  }

  close(): void {
    this.#link.close();
  }

  async #blocksOfSome(ids: readonly string[]): Promise<(number | undefined)[]> {
    const calls = ids.map((tx_id, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'alexandria_api.get_transaction',
      params: { tx_id },
    }));
    const outcomes = await this.#link.post(Buffer.from(JSON.stringify(calls)), ids.length);
    return outcomes.map((outcome) => {
      if ('refusal' in outcome && ['connection', 'timeout', 'http'].includes(outcome.refusal.code))
        throw outcome.refusal;
      const number = 'result' in outcome ? member(member(outcome.result, 'tx'), 'block_num') : undefined;
      return typeof number === 'number' ? number : undefined;
    });
  }

  async #ask(method: string, params: object): Promise<Uint8Array> {
    return await this.#link.exchange(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
  }
}

function readResult(answer: Uint8Array): Json | undefined {
  return member(readJson(answer), 'result');
}

const IDS = Buffer.from('"transaction_ids":[');
const BLOCK_ID = Buffer.from('"block_id":"');
const TIME = Buffer.from('"timestamp":"');
const TIME_CHARACTERS = 'YYYY-MM-DDThh:mm:ss'.length;
/** Each transaction has 40 digits of its id, and 130 of a signature of 65 bytes, in the text alone. */
const BYTES_IN_TEXT_ALONE = 40 + 65;

/**
 * Takes what is needed out of the text of an answer. A large block has 10 MB of it, and reading all of that would hold
 * up the posts that are due meanwhile. Inside of a JSON text a quotation mark is escaped, so no memo can pass for a
 * member.
 */
function readBlock(answer: Uint8Array): SeenBlock | undefined {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.length);
  const idsAt = bytes.lastIndexOf(IDS);
  const idAt = bytes.lastIndexOf(BLOCK_ID);
  if (idsAt < 0 || idAt < 0) return undefined;
  const from = idsAt + IDS.length;
  const listed = bytes.toString('latin1', from, bytes.indexOf(']', from));
  const transactionIds = listed === '' ? [] : listed.split(',').map((quoted) => quoted.trim().slice(1, -1));
  // Members of the header stand before the transactions.
  const timeAt = bytes.indexOf(TIME) + TIME.length;
  return {
    id: bytes.toString('latin1', idAt + BLOCK_ID.length, idAt + BLOCK_ID.length + ID_DIGITS),
    transactionIds,
    time: parseTime(bytes.toString('latin1', timeAt, timeAt + TIME_CHARACTERS)) ?? 0,
    mostBytes: bytes.length - transactionIds.length * BYTES_IN_TEXT_ALONE,
  };
}
