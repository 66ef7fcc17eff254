import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { member } from '../../client/chain_of_node.ts';
import type { Json } from '../../codec/json.ts';
import { readJson } from '../../codec/json_reader.ts';
import { parseTime } from '../../values/time.ts';
import type { Inclusion } from './inclusion.ts';
import type { LatencyHistogram } from './latency_histogram.ts';
import { HttpLink } from './post_links.ts';

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
}

/** What is needed of a block. */
export interface SeenBlock {
  readonly id: string;
  readonly previous: string;
  readonly transactionIds: readonly string[];
}

/** What was seen of the chain. */
export interface WatchedBlocks {
  readonly first: number;
  readonly last: number;
  readonly transactions: number;
  readonly mostTransactions: number;
  readonly undone: number;
  readonly missedSlots: number;
  /** How often the node could not be asked. */
  readonly silences: number;
}

/** Short compared with a block interval, and no load for the node. */
const LOOK_MS = 50;
/** Ids in one batch of look-ups. */
const BATCH = 100;
/** Blocks whose ids are remembered, to notice that they were replaced. */
const REMEMBERED = 1000;

/** Asks a node about its blocks. */
export class BlockReader {
  readonly #link: HttpLink;

  constructor(url: URL) {
    this.#link = new HttpLink(url, 2);
  }

  async head(): Promise<WatchedHead> {
    const properties = member(resultIn(await this.#ask('alexandria_api.get_dynamic_global_properties', {})), 'properties');
    const id = member(properties, 'head_block_id');
    const time = member(properties, 'time');
    const seconds = typeof time === 'string' ? parseTime(time) : undefined;
    if (typeof id !== 'string' || seconds === undefined) throw new Fault('runtime', 'the node does not tell its head block');
    const number = (name: string): number => Number(member(properties, name) ?? 0);
    return {
      id,
      time: seconds,
      number: number('head_block_number'),
      slot: number('current_aslot'),
      irreversible: number('last_irreversible_block_num'),
      maximumBlockBytes: number('maximum_block_size'),
      averageBlockBytes: number('average_block_size'),
    };
  }

  /** Undefined when the node has no such block, or when it is too large to be sent. */
  async block(number: number): Promise<SeenBlock | undefined> {
    return blockIn(await this.#ask('alexandria_api.get_block', { num: number }));
  }

  /** For each transaction, the number of its block; undefined when it is in none. */
  async blocksOf(ids: readonly string[]): Promise<(number | undefined)[]> {
    const found: (number | undefined)[] = [];
    for (let from = 0; from < ids.length; from += BATCH) found.push(...(await this.#blocksOfSome(ids.slice(from, from + BATCH))));
    return found;
  }

  close(): void {
    this.#link.close();
  }

  async #blocksOfSome(ids: readonly string[]): Promise<(number | undefined)[]> {
    const calls = ids.map((tx_id, id) => ({ jsonrpc: '2.0', id, method: 'alexandria_api.get_transaction', params: { tx_id } }));
    const outcomes = await this.#link.post(Buffer.from(JSON.stringify(calls)), ids.length);
    return outcomes.map((outcome) => {
      if ('refusal' in outcome && ['connection', 'timeout', 'http'].includes(outcome.refusal.code)) throw outcome.refusal;
      const number = 'result' in outcome ? member(member(outcome.result, 'tx'), 'block_num') : undefined;
      return typeof number === 'number' ? number : undefined;
    });
  }

  async #ask(method: string, params: object): Promise<Uint8Array> {
    return await this.#link.exchange(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
  }
}

function resultIn(answer: Uint8Array): Json | undefined {
  return member(readJson(answer), 'result');
}

const IDS = Buffer.from('"transaction_ids":[');
const BLOCK_ID = Buffer.from('"block_id":"');
const PREVIOUS = Buffer.from('"previous":"');
const ID_DIGITS = 40;

/**
 * Takes what is needed out of the text of an answer. A large block has 10 MB of it, and reading all of that would hold up the posts that are
 * due meanwhile. Inside of a JSON text a quotation mark is escaped, so no memo can pass for a member.
 */
export function blockIn(answer: Uint8Array): SeenBlock | undefined {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.length);
  const idsAt = bytes.lastIndexOf(IDS);
  const idAt = bytes.lastIndexOf(BLOCK_ID);
  const previousAt = bytes.indexOf(PREVIOUS);
  if (idsAt < 0 || idAt < 0 || previousAt < 0) return undefined;
  const from = idsAt + IDS.length;
  const listed = bytes.toString('latin1', from, bytes.indexOf(']', from));
  const idIn = (at: number, label: Buffer): string => bytes.toString('latin1', at + label.length, at + label.length + ID_DIGITS);
  return {
    id: idIn(idAt, BLOCK_ID),
    previous: idIn(previousAt, PREVIOUS),
    transactionIds: listed === '' ? [] : listed.split(',').map((quoted) => quoted.trim().slice(1, -1)),
  };
}

/** Follows the chain of a node: blocks as they come, those that are undone, and what becomes irreversible. */
export class BlockWatch {
  readonly #reader: BlockReader;
  readonly #clock: Clock;
  readonly #inclusion: Inclusion;
  readonly #intervals: LatencyHistogram;
  readonly #moved: (head: WatchedHead) => void;
  readonly #known = new Map<number, string>();
  readonly #first: WatchedHead;
  #head: WatchedHead;
  #next: number;
  #lastBlockMs: number | undefined;
  #transactions = 0;
  #mostTransactions = 0;
  #undone = 0;
  #silences = 0;
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(
    reader: BlockReader,
    clock: Clock,
    head: WatchedHead,
    told: { readonly inclusion: Inclusion; readonly intervals: LatencyHistogram; moved(head: WatchedHead): void },
  ) {
    this.#reader = reader;
    this.#clock = clock;
    this.#inclusion = told.inclusion;
    this.#intervals = told.intervals;
    this.#moved = told.moved;
    this.#first = head;
    this.#head = head;
    this.#next = head.number + 1;
    this.#known.set(head.number, head.id);
  }

  get head(): WatchedHead {
    return this.#head;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when the last look is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  blocks(): WatchedBlocks {
    const last = this.#next - 1;
    const blocks = last - this.#first.number;
    return {
      first: this.#first.number + 1,
      last,
      transactions: this.#transactions,
      mostTransactions: this.#mostTransactions,
      undone: this.#undone,
      missedSlots: Math.max(0, this.#head.slot - this.#first.slot - blocks),
      silences: this.#silences,
    };
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#look();
      } catch {
        // A node that restarts is asked again: what it knows then is what counts.
        this.#silences++;
      }
      await sleep(LOOK_MS);
    }
  }

  async #look(): Promise<void> {
    const head = await this.#reader.head();
    const nowMs = this.#clock.elapsedMs();
    if (head.id === this.#head.id && this.#next > head.number) return;
    if (this.#lastBlockMs !== undefined && head.number > this.#head.number)
      this.#intervals.record((nowMs - this.#lastBlockMs) / (head.number - this.#head.number));
    this.#lastBlockMs = nowMs;
    this.#head = head;
    this.#undoAbove(head);
    while (this.#next <= head.number) await this.#take(this.#next, nowMs);
    this.#inclusion.irreversible(head.irreversible, nowMs);
    this.#moved(head);
  }

  /** What was known above the head, or in its place, is on the chain no more. */
  #undoAbove({ number, id }: WatchedHead): void {
    const known = this.#known.get(number);
    const from = known !== undefined && known !== id ? number : number + 1;
    while (this.#next > from && this.#next - 1 > 0) this.#undo();
  }

  #undo(): void {
    this.#next--;
    this.#known.delete(this.#next);
    this.#undone++;
    this.#inclusion.undone(this.#next);
  }

  async #take(number: number, nowMs: number): Promise<void> {
    const block = await this.#reader.block(number);
    const before = this.#known.get(number - 1);
    if (block !== undefined && before !== undefined && block.previous !== before) return this.#undo();
    if (block === undefined) await this.#lookUp(nowMs);
    else this.#note(number, block, nowMs);
    this.#next = number + 1;
  }

  #note(number: number, { id, transactionIds }: SeenBlock, nowMs: number): void {
    this.#known.set(number, id);
    const [oldest] = this.#known.keys();
    if (this.#known.size > REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    this.#transactions += transactionIds.length;
    this.#mostTransactions = Math.max(this.#mostTransactions, transactionIds.length);
    this.#inclusion.inBlock(number, transactionIds, nowMs);
  }

  /** The block is too large to be sent, so transactions are looked up by id, oldest first, as long as they are found. */
  async #lookUp(nowMs: number): Promise<void> {
    for (;;) {
      const ids = this.#inclusion.someWaiting(BATCH);
      const blocks = await this.#reader.blocksOf(ids);
      let found = 0;
      for (const [index, number] of blocks.entries()) {
        const id = ids[index];
        if (number === undefined || id === undefined) continue;
        this.#inclusion.inBlock(number, [id], nowMs);
        found++;
      }
      this.#transactions += found;
      if (found === 0) return;
    }
  }
}
