import type { Clock } from '../../base/clock.ts';
import { present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import { chainIdOf, member, wordsOfConfig } from '../../client/chain_of_node.ts';
import type { NodeConnection } from '../../client/connection.ts';
import { connectTo } from '../../client/connect.ts';
import { ChainFollower } from '../../client/follow.ts';
import type { FollowTarget } from '../../client/follow_targets.ts';
import type { Json } from '../../codec/json.ts';
import type { ChainEnds, ChainSource, GenesisBalance, SourceChain, SourceEvent, SourceOperation } from '../../sinks/chain_source.ts';
import { profiles } from '../../values/profile.ts';

const CALL_MS = 30_000;
const PAGE = 1000;
/** So many operations wait to be taken at most; beyond, the node is told to stop and asked again later. */
const MOST_WAITING = 40_000;
/** As many are handed over at once: the rows of a transaction of the database. */
const MOST_TAKEN = 20_000;

/** The feed of one node, as it tells it to subscribers: whole blocks from a position on. */
export class NodeSource implements ChainSource {
  readonly #connection: NodeConnection;
  readonly #clock: Clock;
  #follower: ChainFollower | undefined;
  #lastId = 0;
  #events: SourceEvent[] = [];
  #operations: SourceOperation[] = [];
  #waiting = 0;
  #isPaused = false;
  #position: string | undefined;
  #failure: Error | undefined;
  #isClosed = false;
  #wake: () => void = () => undefined;

  /** `url` begins with ws:// or wss://. */
  constructor(url: string, clock: Clock) {
    if (!/^wss?:/.test(url)) throw new Fault('configuration', `${url}: blocks are followed over ws:// or wss://`);
    this.#connection = connectTo(url, clock);
    this.#clock = clock;
    this.#connection.listen?.({
      notice: (returnId, items) => this.#follower?.receive(items, Number(returnId)),
      lost: () => void this.#follower?.subscribe(),
    });
  }

  async chain(): Promise<SourceChain> {
    const chainId = chainIdOf(await this.#ask('alexandria_api.get_version', {}));
    const config = await this.#ask('database_api.get_config', {});
    const words = wordsOfConfig(config, present(profiles['default'], 'the profile'));
    const constant = (name: string): Json => member(config, words.word.toUpperCase() + name) ?? null;
    return {
      ...{ chainId, coinSymbol: words.coinSymbol, vestsSymbol: words.vestsSymbol, keyPrefix: words.keyPrefix, word: words.word },
      isPrivateNet: member(config, 'IS_PRIVATE_NET') === true,
      genesisTime: String(constant('_GENESIS_TIME')),
      blockIntervalSeconds: Number(constant('_BLOCK_INTERVAL')),
      vestingWithdrawIntervals: Number(constant('_VESTING_WITHDRAW_INTERVALS')),
      vestingWithdrawIntervalSeconds: Number(constant('_VESTING_WITHDRAW_INTERVAL_SECONDS')),
    };
  }

  async genesisBalances(): Promise<readonly GenesisBalance[]> {
    const found: GenesisBalance[] = [];
    for (;;) {
      const page = listIn(await this.#ask('database_api.list_genesis_accounts', { start: found.length, limit: PAGE }), 'accounts');
      for (const account of page) found.push({ name: textIn(account, 'name'), balance: textIn(account, 'balance') });
      if (page.length < PAGE) return found;
    }
  }

  async ends(): Promise<ChainEnds> {
    const properties = await this.#ask('database_api.get_dynamic_global_properties', {});
    return { head: numberIn(properties, 'head_block_number'), irreversible: numberIn(properties, 'last_irreversible_block_num') };
  }

  async start(position: string | undefined): Promise<void> {
    this.#follower?.stop();
    this.#events = [];
    this.#operations = [];
    this.#waiting = 0;
    this.#isPaused = false;
    this.#position = position;
    await this.#follow();
  }

  async next(): Promise<readonly SourceEvent[]> {
    for (;;) {
      if (this.#isClosed) return [];
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#events.length > 0) break;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const taken = this.#takeSome();
    if (this.#isPaused && this.#waiting < MOST_WAITING / 2) {
      this.#isPaused = false;
      await this.#follow();
    }
    return taken;
  }

  close(): void {
    this.#isClosed = true;
    this.#follower?.stop();
    this.#connection.close();
    this.#wake();
  }

  #takeSome(): SourceEvent[] {
    let [count, end] = [0, 0];
    while (end < this.#events.length && count < MOST_TAKEN) count += weightOf(this.#events[end++]);
    this.#waiting -= count;
    return this.#events.splice(0, end);
  }

  async #follow(): Promise<void> {
    this.#operations = [];
    const beginning: { [member: string]: Json } = this.#position === undefined ? { start_block: 1 } : {};
    const target: FollowTarget = {
      method: 'subscribe_api.subscribe_blocks',
      params: { ...beginning, operations: true, level: 'head' },
      resume: this.#position,
      take: (type, item, position) => this.#take(type, item, position),
      takeWaiting: () => undefined,
      failed: (error) => this.#fail(error),
    };
    this.#lastId = (this.#lastId + 1) % MOST_IDS;
    this.#follower = new ChainFollower(this.#connection, this.#clock, target, this.#lastId + 1);
    await this.#follower.subscribe();
  }

  #take(type: string, item: Json, position: string): void {
    if (type === 'operation') this.#operations.push(operationIn(member(item, 'operation') ?? null));
    else if (type === 'block') this.#takeBlock(member(item, 'block') ?? null, position);
    else if (type === 'undone') {
      const block = member(item, 'block') ?? null;
      this.#operations = [];
      this.#add({ undone: { number: numberIn(block, 'number'), id: textIn(block, 'id') }, position });
    }
  }

  #takeBlock(block: Json, position: string): void {
    const operations = this.#operations;
    this.#operations = [];
    const ids = { id: textIn(block, 'id'), previous: textIn(block, 'previous') };
    const made = { timestamp: textIn(block, 'timestamp'), witness: textIn(block, 'witness') };
    const counts = { number: numberIn(block, 'number'), transaction_count: numberIn(block, 'transaction_count') };
    this.#add({ block: { ...counts, ...ids, ...made, operations }, position });
  }

  #add(event: SourceEvent): void {
    this.#events.push(event);
    this.#position = event.position;
    this.#waiting += weightOf(event);
    if (this.#waiting > MOST_WAITING && !this.#isPaused) {
      this.#isPaused = true;
      this.#follower?.stop();
    }
    this.#wake();
  }

  #fail(error: unknown): void {
    this.#failure = failureOf(error);
    this.#wake();
  }

  async #ask(method: string, params: Json): Promise<Json> {
    try {
      return await this.#connection.call(method, params, CALL_MS, true);
    } catch (error) {
      if (error instanceof Refusal) throw new Fault('protocol', `the node refuses ${method}: ${error.message}`, error);
      throw error;
    }
  }
}

/** Ids are told apart modulo this by whoever follows. */
const MOST_IDS = 4000;

/** A block counts as one more, so that empty ones are limited, too. */
function weightOf(event: SourceEvent | undefined): number {
  return event !== undefined && 'block' in event ? event.block.operations.length + 1 : 1;
}

function operationIn(json: Json): SourceOperation {
  const op = member(json, 'op');
  const [kind, body] = Array.isArray(op) ? op : [];
  const place = {
    trx_in_block: numberIn(json, 'trx_in_block'),
    op_in_trx: numberIn(json, 'op_in_trx'),
    virtual_op: numberIn(json, 'virtual_op'),
  };
  const who = { trx_id: textIn(json, 'trx_id'), timestamp: textIn(json, 'timestamp'), fee_payer: textIn(json, 'fee_payer') };
  return { ...place, ...who, kind: typeof kind === 'string' ? kind : '', body: body ?? null };
}

function failureOf(error: unknown): Error {
  if (error instanceof Refusal) return new Fault('protocol', `the node refuses: ${error.message}`, error);
  return error instanceof Error ? error : new Fault('protocol', String(error));
}

function listIn(json: Json, name: string): readonly Json[] {
  const list = member(json, name);
  return Array.isArray(list) ? list : [];
}

function textIn(json: Json, name: string): string {
  const text = member(json, name);
  if (typeof text !== 'string') throw new Fault('protocol', `the node said nothing readable as ${name}`);
  return text;
}

function numberIn(json: Json, name: string): number {
  const number = member(json, name);
  if (typeof number !== 'number') throw new Fault('protocol', `the node said nothing readable as ${name}`);
  return number;
}
