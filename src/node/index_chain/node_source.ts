import type { Clock } from '../../base/clock.ts';
import { present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { recoveryFrom } from '../../base/recovery.ts';
import { Refusal } from '../../base/refusal.ts';
import { chainIdOf, member, wordsOfConfig } from '../../client/chain_of_node.ts';
import type { NodeConnection } from '../../client/connection.ts';
import { connectTo } from '../../client/connect.ts';
import { ChainFollower } from '../../client/follow.ts';
import type { FollowTarget } from '../../client/follow_targets.ts';
import { UnreadableItem } from '../../client/unreadable.ts';
import type { Json } from '../../codec/json.ts';
import { ancestorNumber, ancestorOf, chainMark, positionText, readPosition, WHOLE_BLOCK } from '../../rpc/notices/position.ts';
import type { Behind, ChainSource, GenesisBalance, SourceChain, SourceEvent, SourceOperation } from '../../sinks/chain_source.ts';
import { SourceQueue } from '../../sinks/source_queue.ts';
import { profiles } from '../../values/profile.ts';

const CALL_MS = 30_000;
const PAGE = 1000;
/** Between questions to a node that can't answer just now. */
const AGAIN_MS = 500;

/** The feed of one node, as it tells it to subscribers: whole blocks from a position on. */
export class NodeSource implements ChainSource {
  readonly #connection: NodeConnection;
  readonly #clock: Clock;
  readonly #log: Log;
  #follower: ChainFollower | undefined;
  #lastId = 0;
  readonly #queue = new SourceQueue();
  #operations: SourceOperation[] = [];
  /** The node was told to stop, and is asked again once there is room. */
  #isPaused = false;
  #position: string | undefined;
  #chainId = '';
  #isClosed = false;
  head = 0;

  /** `url` begins with ws:// or wss://. */
  constructor(url: string, clock: Clock, log: Log) {
    if (!/^wss?:/.test(url)) throw new Fault('configuration', `${url}: blocks are followed over ws:// or wss://`);
    this.#connection = connectTo(url, clock);
    this.#clock = clock;
    this.#log = log;
    this.#connection.listen?.({
      notice: (returnId, items) => this.#follower?.receive(items, Number(returnId)),
      unreadable: (returnId, error) => this.#follower?.receiveUnreadable(error, Number(returnId)),
      garbled: (error) => this.#follower?.receiveGarbled(error),
      lost: () => void this.#follower?.subscribe(),
    });
  }

  async chain(): Promise<SourceChain> {
    const chainId = chainIdOf(await this.#ask('alexandria_api.get_version', {}));
    this.#chainId = chainId;
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
      vestingWithdrawRoundsUp: constant('_VESTING_WITHDRAW_ROUNDS_UP') === true,
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

  async start(behind: Behind): Promise<void> {
    this.#follower?.stop();
    this.#queue.clear();
    this.#isPaused = false;
    this.#position = await this.#positionOf(behind);
    await this.#follow();
  }

  async next(): Promise<readonly SourceEvent[]> {
    const taken = await this.#queue.take();
    if (this.#isPaused && this.#queue.isHalfEmpty) {
      this.#isPaused = false;
      await this.#follow();
    }
    const last = taken.findLast((event) => 'block' in event);
    return last === undefined ? taken : [...taken, ...(await this.#irreversibleAt(last))];
  }

  close(): void {
    this.#isClosed = true;
    this.#follower?.stop();
    this.#connection.close();
    this.#queue.close();
  }

  /** What was indexed from a stream goes on at its last block, or where that block's branch was left. */
  async #positionOf({ number, id, position, idAt }: Behind): Promise<string | undefined> {
    if (number === 0) return undefined;
    if (position !== undefined && readPosition(position) !== undefined) return position;
    const ancestors: string[] = [];
    for (let k = 0; ancestorNumber(number, k) > 0; k++) ancestors.push(ancestorOf((await idAt(ancestorNumber(number, k))) ?? id));
    return positionText({ chain: chainMark(this.#chainId), block: id, place: WHOLE_BLOCK, ancestors });
  }

  /** The last block up to that one which the node calls irreversible. A node that is gone now says it the next time. */
  async #irreversibleAt({ block, position }: Extract<SourceEvent, { block: unknown }>): Promise<readonly SourceEvent[]> {
    try {
      const properties = await this.#ask('database_api.get_dynamic_global_properties', {});
      this.head = numberIn(properties, 'head_block_number');
      const number = Math.min(numberIn(properties, 'last_irreversible_block_num'), block.number);
      if (number === 0) return [];
      if (number === this.head) return [{ irreversible: { number, id: textIn(properties, 'head_block_id') }, position }];
      const next = await this.#ask('block_api.get_block_header', { block_num: number + 1 });
      return [{ irreversible: { number, id: textIn(next, 'previous') }, position }];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return [];
    }
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
      stalled: (error) => this.#log.warning('no blocks from the node; it is asked again', { error: messageOf(error) }),
      failed: (error) => this.#fail(error),
    };
    this.#lastId = (this.#lastId + 1) % MOST_IDS;
    this.#follower = new ChainFollower(this.#connection, this.#clock, target, this.#lastId + 1);
    await this.#follower.subscribe();
  }

  #take(type: string, item: Json, position: string): void {
    if (type === 'operation') this.#operations.push(operationIn(member(item, 'operation') ?? null, member(item, 'charge')));
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

  #fail(error: unknown): void {
    if (error instanceof UnreadableItem) {
      const { block, transaction, operation, member: at } = error;
      this.#log.error('the node told something that can’t be read', { block, transaction, operation, member: at });
    }
    this.#queue.fail(failureOf(error));
  }

  #add(event: SourceEvent): void {
    this.#queue.put(event);
    this.#position = event.position;
    if (!this.#queue.isFull || this.#isPaused) return;
    this.#isPaused = true;
    this.#follower?.stop();
  }

  async #ask(method: string, params: Json): Promise<Json> {
    for (;;)
      try {
        return await this.#connection.call(method, params, CALL_MS, true);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (this.#isClosed || recoveryFrom(error) === 'final')
          throw new Fault('protocol', `the node refuses ${method}: ${error.message}`, error);
        await new Promise<void>((resolve) => void this.#clock.after(AGAIN_MS, resolve));
      }
  }
}

/** Ids are told apart modulo this by whoever follows. */
const MOST_IDS = 4000;

/** Whole objects, without a step between: most of what a catch-up reads is this. */
function operationIn(json: Json, taken: Json | undefined): SourceOperation {
  const op = member(json, 'op');
  const kind = Array.isArray(op) ? op[0] : undefined;
  const operation = {
    trx_id: textIn(json, 'trx_id'),
    trx_in_block: numberIn(json, 'trx_in_block'),
    op_in_trx: numberIn(json, 'op_in_trx'),
    virtual_op: numberIn(json, 'virtual_op'),
    timestamp: textIn(json, 'timestamp'),
    kind: typeof kind === 'string' ? kind : '',
    body: (Array.isArray(op) ? op[1] : undefined) ?? null,
    fee_payer: textIn(json, 'fee_payer'),
  };
  return taken === undefined ? operation : { ...operation, charge: { paid: textIn(taken, 'paid'), given: textIn(taken, 'given') } };
}

function failureOf(error: unknown): Error {
  if (error instanceof Refusal) return new Fault('protocol', `the node refuses: ${error.message}`, error);
  return error instanceof Error ? error : new Fault('protocol', String(error));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
