import { errorMessage } from '../../base/error_message.ts';
import type { Clock } from '../../base/clock.ts';
import { present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { errorRecovery } from '../../base/recovery.ts';
import { Refusal } from '../../base/refusal.ts';
import { pause } from '../../client/abort.ts';
import { readChainId, member, symbolsInConfig } from '../../client/chain_of_node.ts';
import type { NodeConnection } from '../../client/connection.ts';
import { openConnection } from '../../client/connect.ts';
import { ChainFollower } from '../../client/follow.ts';
import type { FollowTarget } from '../../client/follow_targets.ts';
import { UnreadableItem } from '../../client/unreadable.ts';
import type { Json } from '../../codec/json.ts';
import { ancestorNumber, ancestorText, chainMark, positionText, WHOLE_BLOCK } from '../../queries/notices/position.ts';
import type {
  StoredHead,
  ChainSource,
  GenesisBalance,
  SourceChain,
  SourceEvent,
  SourceOperation,
} from '../../sinks/chain_source.ts';
import { SourceQueue } from '../../sinks/source_queue.ts';
import { UnreadableRecord } from '../../sinks/unreadable_record.ts';
import { ZERO_HASH160 } from '../../values/hash.ts';
import { profiles } from '../../values/profile.ts';

/** Development chains alone have it. */
const REVERT = 'debug_api.revert';
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
  #problem: string | undefined;
  head = 0;

  /** `url` begins with ws:// or wss://. */
  constructor(url: string, clock: Clock, log: Log) {
    if (!/^wss?:/.test(url)) throw new Fault('configuration', `${url}: blocks are followed over ws:// or wss://`);
    this.#connection = openConnection(url, clock);
    this.#clock = clock;
    this.#log = log;
    this.#connection.listen?.({
      notice: (returnId, items) => this.#follower?.receive(items, Number(returnId)),
      unreadable: (returnId, error) => this.#follower?.receiveUnreadable(error, Number(returnId)),
      garbled: (error) => this.#follower?.receiveGarbled(error),
      lost: () => void this.#followAgain(),
    });
  }

  /** The connection waits some time for a node that was there; what is missing meanwhile is told at once. */
  async #followAgain(): Promise<void> {
    const lost = 'the connection with the node is lost; it is connected again';
    this.#problem = lost;
    await this.#follower?.subscribe();
    if (this.#problem === lost) this.#problem = undefined;
  }

  async chain(): Promise<SourceChain> {
    const chainId = readChainId(await this.#ask('alexandria_api.get_version', {}));
    this.#chainId = chainId;
    const config = await this.#ask('database_api.get_config', {});
    const symbols = symbolsInConfig(config, present(profiles['default'], 'the profile'));
    const constant = (name: string): Json => member(config, symbols.coinName.toUpperCase() + name) ?? null;
    return {
      ...{
        chainId,
        coinSymbol: symbols.coinSymbol,
        vestsSymbol: symbols.vestsSymbol,
        keyPrefix: symbols.keyPrefix,
        coinName: symbols.coinName,
      },
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
      const page = listMember(
        await this.#ask('database_api.list_genesis_accounts', { start: found.length, limit: PAGE }),
        'accounts',
      );
      for (const account of page)
        found.push({ name: textMember(account, 'name'), balance: textMember(account, 'balance') });
      if (page.length < PAGE) return found;
    }
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  async mayRevert(): Promise<boolean> {
    const names = await this.#ask('jsonrpc.get_methods', {});
    return Array.isArray(names) && names.includes(REVERT);
  }

  async start(behind: StoredHead): Promise<void> {
    this.#follower?.stop();
    this.#queue.clear();
    [this.#isPaused, this.#problem] = [false, undefined];
    this.#position = behind.number === 0 ? undefined : await this.#positionAt(behind.number, behind);
    if (behind.number > 0) await this.#leaveFuture(behind);
    await this.#follow();
  }

  async next(): Promise<readonly SourceEvent[]> {
    const taken = await this.#queue.take();
    if (this.#isPaused && this.#queue.isHalfEmpty) {
      this.#isPaused = false;
      await this.#follow();
    }
    const last = taken.findLast((event) => 'block' in event);
    return last === undefined ? taken : [...taken, ...(await this.#makeIrreversible(last))];
  }

  interrupt(error: Error): void {
    this.#queue.fail(error);
  }

  close(): void {
    this.#isClosed = true;
    this.#follower?.stop();
    this.#connection.close();
    this.#queue.close();
  }

  /**
   * That of a block of the database, with ancestors down to the first block: a node finds where its branch was left,
   * however deep that is.
   */
  async #positionAt(number: number, { id: last, idAt }: StoredHead): Promise<string> {
    const block = number === 0 ? ZERO_HASH160 : ((await idAt(number)) ?? last);
    const ancestors: string[] = [];
    for (let k = 0; ancestorNumber(number, k) > 0; k++)
      ancestors.push(ancestorText((await idAt(ancestorNumber(number, k))) ?? last));
    return positionText({ chain: chainMark(this.#chainId), block, place: WHOLE_BLOCK, ancestors });
  }

  /**
   * A development chain that was set back may never come so far again, so its index goes back with it; any other chain
   * will.
   */
  async #leaveFuture(behind: StoredHead): Promise<void> {
    const properties = await this.#ask('database_api.get_dynamic_global_properties', {});
    const head = { number: numberMember(properties, 'head_block_number'), id: textMember(properties, 'head_block_id') };
    if (behind.number <= head.number || !(await this.mayRevert())) return;
    const number = await this.#commonBlock(behind, head);
    const id = number === 0 ? ZERO_HASH160 : ((await behind.idAt(number)) ?? '');
    this.#add({ undone: { number, id }, position: await this.#positionAt(number, behind) });
  }

  /**
   * The last block that node and database have in common, at most the node's head. Two chains that have a block in
   * common have all before it.
   */
  async #commonBlock({ idAt }: StoredHead, head: { readonly number: number; readonly id: string }): Promise<number> {
    const idOfNode = async (number: number): Promise<string> =>
      number === head.number
        ? head.id
        : textMember(await this.#ask('block_api.get_block_header', { block_num: number + 1 }), 'previous');
    let [common, above] = [0, head.number + 1];
    while (above - common > 1) {
      const middle = Math.trunc((common + above) / 2);
      if ((await idOfNode(middle)) === (await idAt(middle))) common = middle;
      else above = middle;
    }
    return common;
  }

  /** The last block up to that one which the node calls irreversible. A node that is gone now says it the next time. */
  async #makeIrreversible({
    block,
    position,
  }: Extract<SourceEvent, { block: unknown }>): Promise<readonly SourceEvent[]> {
    try {
      const properties = await this.#ask('database_api.get_dynamic_global_properties', {});
      this.head = numberMember(properties, 'head_block_number');
      const number = Math.min(numberMember(properties, 'last_irreversible_block_num'), block.number);
      if (number === 0) return [];
      if (number === this.head)
        return [{ irreversible: { number, id: textMember(properties, 'head_block_id') }, position }];
      const next = await this.#ask('block_api.get_block_header', { block_num: number + 1 });
      return [{ irreversible: { number, id: textMember(next, 'previous') }, position }];
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
      stalled: (error) => void this.#stall(error),
      failed: (error) => this.#fail(error),
    };
    this.#lastId = (this.#lastId + 1) % MOST_IDS;
    this.#follower = new ChainFollower(this.#connection, this.#clock, target, this.#lastId + 1);
    await this.#follower.subscribe();
  }

  #take(type: string, item: Json, position: string): void {
    if (type === 'operation')
      this.#operations.push(readOperation(member(item, 'operation') ?? null, member(item, 'charge')));
    else if (type === 'block') this.#takeBlock(member(item, 'block') ?? null, position);
    else if (type === 'undone') {
      const block = member(item, 'block') ?? null;
      this.#operations = [];
      this.#add({ undone: { number: numberMember(block, 'number'), id: textMember(block, 'id') }, position });
    }
  }

  #takeBlock(block: Json, position: string): void {
    const operations = this.#operations;
    this.#operations = [];
    const ids = { id: textMember(block, 'id'), previous: textMember(block, 'previous') };
    const made = { timestamp: textMember(block, 'timestamp'), witness: textMember(block, 'witness') };
    const counts = {
      number: numberMember(block, 'number'),
      transaction_count: numberMember(block, 'transaction_count'),
    };
    this.#add({ block: { ...counts, ...ids, ...made, operations }, position });
  }

  async #stall(error: unknown): Promise<void> {
    const said = errorMessage(error);
    this.#problem = `no blocks from the node: ${said}`;
    this.#log.warning('no blocks from the node; it is asked again', 'index_source_stalled', { error: said });
    if (!(error instanceof Refusal) || error.code !== 'position_in_future') return;
    try {
      if (await this.mayRevert())
        this.#queue.fail(new Fault('source_set_back', `the development chain was set back: ${said}`, error));
    } catch (failure) {
      this.#queue.fail(toFailure(failure));
    }
  }

  #fail(error: unknown): void {
    this.#queue.fail(toFailure(error));
  }

  #add(event: SourceEvent): void {
    this.#problem = undefined;
    this.#queue.put(event);
    this.#position = event.position;
    if (!this.#queue.isFull || this.#isPaused) return;
    this.#isPaused = true;
    this.#follower?.stop();
  }

  async #ask(method: string, params: Json): Promise<Json> {
    for (;;)
      try {
        return await this.#connection.call(method, params, { timeoutMs: CALL_MS, repeatable: true });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (this.#isClosed || errorRecovery(error) === 'final')
          throw new Fault('refused', `the node refuses ${method}: ${error.message}`, error);
        await pause(this.#clock, AGAIN_MS);
      }
  }
}

/** Ids are told apart modulo this by whoever follows. */
const MOST_IDS = 4000;

/** Whole objects, without a step between: most of what a catch-up reads is this. */
function readOperation(json: Json, taken: Json | undefined): SourceOperation {
  const op = member(json, 'op');
  const kind = Array.isArray(op) ? op[0] : undefined;
  const operation = {
    trx_id: textMember(json, 'trx_id'),
    trx_in_block: numberMember(json, 'trx_in_block'),
    op_in_trx: numberMember(json, 'op_in_trx'),
    virtual_op: numberMember(json, 'virtual_op'),
    timestamp: textMember(json, 'timestamp'),
    kind: typeof kind === 'string' ? kind : '',
    body: (Array.isArray(op) ? op[1] : undefined) ?? null,
    fee_payer: textMember(json, 'fee_payer'),
  };
  return taken === undefined
    ? operation
    : { ...operation, charge: { paid: textMember(taken, 'paid'), given: textMember(taken, 'given') } };
}

const UNREADABLE =
  "a text of the node that is no UTF-8 can't be read: follow another node, which shows that block otherwise (--url)";
/** The database has the ancestors that a position of the node's may lack. */
const BRANCH_UNKNOWN = 'position_replaced';

function toFailure(error: unknown): Error {
  if (error instanceof Refusal)
    return new Fault(
      error.code === BRANCH_UNKNOWN ? 'source_set_back' : 'refused',
      `the node refuses: ${error.message}`,
      error,
    );
  if (error instanceof UnreadableItem) {
    const { block, transaction, operation, member: at } = error;
    return new UnreadableRecord({ block, transaction, operation, member: at }, UNREADABLE, error);
  }
  return error instanceof Error ? error : new Fault('protocol', String(error));
}

function listMember(json: Json, name: string): readonly Json[] {
  const list = member(json, name);
  return Array.isArray(list) ? list : [];
}

function textMember(json: Json, name: string): string {
  const text = member(json, name);
  if (typeof text !== 'string') throw new Fault('protocol', `the node said nothing readable as ${name}`);
  return text;
}

function numberMember(json: Json, name: string): number {
  const number = member(json, name);
  if (typeof number !== 'number') throw new Fault('protocol', `the node said nothing readable as ${name}`);
  return number;
}
