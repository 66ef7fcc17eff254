import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { member } from '../../client/chain_of_node.ts';
import { openConnection } from '../../client/connect.ts';
import type { NodeConnection } from '../../client/connection.ts';
import { ChainFollower } from '../../client/follow.ts';
import type { Json } from '../../codec/json.ts';
import { OperationsSum, type ComparedOperation } from '../../sinks/operations_sum.ts';
import type { ToldBlock } from '../../sinks/stream_check.ts';

const CALL_MS = 60_000;
/** As long as a call may take: a node tells blocks that it has without a pause. */
const SILENCE_MS = 60_000;

/** Blocks of a node as it tells them to subscribers, an operation at a time, so that one of any size can be read. */
export class NodeBlocks {
  readonly #connection: NodeConnection;
  #reading: BlockReading | undefined;

  constructor(url: string) {
    // Subscriptions are for WebSockets, at the same address.
    this.#connection = openConnection(url.replace(/^http/i, 'ws'), systemClock);
    this.#connection.listen?.({
      notice: (returnId, items) => this.#reading?.follower.receive(items, Number(returnId)),
      unreadable: (returnId, error) => this.#reading?.follower.receiveUnreadable(error, Number(returnId)),
      garbled: (error) => this.#reading?.follower.receiveGarbled(error),
      lost: () => void this.#reading?.follower.subscribe(),
    });
  }

  /** Calls may be made over the same connection. */
  async ask(method: string): Promise<Json> {
    return await this.#connection.call(method, {}, { timeoutMs: CALL_MS, repeatable: true });
  }

  /**
   * Those with these numbers, which the chain has. Throws a Refusal of the node, or a Fault when it says nothing any
   * more.
   */
  async read(numbers: ReadonlySet<number>): Promise<ReadonlyMap<number, ToldBlock>> {
    if (numbers.size === 0) return new Map();
    const reading = new BlockReading(this.#connection, numbers);
    this.#reading = reading;
    try {
      return await reading.whole();
    } finally {
      this.#reading = undefined;
      reading.follower.stop();
    }
  }

  close(): void {
    this.#connection.close();
  }
}

/** One subscription, from the first block that is wanted to the last. */
class BlockReading {
  readonly follower: ChainFollower;
  readonly #wanted: ReadonlySet<number>;
  readonly #last: number;
  readonly #found = new Map<number, ToldBlock>();
  #sum = new OperationsSum();
  #hasHeard = false;
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(connection: NodeConnection, wanted: ReadonlySet<number>) {
    this.#wanted = wanted;
    this.#last = [...wanted].reduce((most, number) => Math.max(most, number));
    const first = [...wanted].reduce((least, number) => Math.min(least, number));
    const target = {
      method: 'subscribe_api.subscribe_blocks',
      params: { start_block: first, operations: true, level: 'head' },
      resume: undefined,
      take: (type: string, item: Json) => this.#take(type, item),
      takeWaiting: () => undefined,
      failed: (error: unknown) => this.#reject(error),
    };
    this.follower = new ChainFollower(connection, systemClock, target, 1);
  }

  async whole(): Promise<ReadonlyMap<number, ToldBlock>> {
    const end = new Promise<void>((resolve, reject) => ([this.#resolve, this.#reject] = [resolve, reject]));
    const stopListening = this.#requireNews();
    try {
      await Promise.all([end, this.follower.subscribe()]);
    } finally {
      stopListening();
    }
    return this.#found;
  }

  #take(type: string, item: Json): void {
    this.#hasHeard = true;
    if (type === 'operation') this.#sum.add(toCompared(member(item, 'operation')));
    else if (type === 'block') this.#takeBlock(member(item, 'block'));
    else if (type === 'undone') this.#takeUndone(Number(member(member(item, 'block'), 'number')));
  }

  #takeBlock(block: Json | undefined): void {
    const [number, id, previous] = ['number', 'id', 'previous'].map((name) => member(block, name));
    if (typeof number !== 'number' || typeof id !== 'string' || typeof previous !== 'string')
      throw new Fault('protocol', 'the node tells a block without a number or an id');
    if (this.#wanted.has(number)) this.#found.set(number, { number, id, previous, operations: this.#sum.text });
    this.#sum = new OperationsSum();
    if (number >= this.#last) this.#resolve();
  }

  /** Another branch follows. */
  #takeUndone(common: number): void {
    this.#sum = new OperationsSum();
    for (const number of this.#found.keys()) if (number > common) this.#found.delete(number);
  }

  /** Gives up where nothing comes; returns what ends that. */
  #requireNews(): () => void {
    const timer = setInterval(() => {
      if (!this.#hasHeard)
        this.#reject(
          new Fault('transport', `the node has told nothing of its blocks for ${SILENCE_MS / 1000} seconds`),
        );
      this.#hasHeard = false;
    }, SILENCE_MS);
    return () => clearInterval(timer);
  }
}

function toCompared(entry: Json | undefined): ComparedOperation {
  const op = member(entry, 'op');
  const [kind, value] = Array.isArray(op) ? op : [];
  const text = (name: string): string => String(member(entry, name) ?? '');
  const number = (name: string): number => Number(member(entry, name));
  return {
    ...{
      trx_id: text('trx_id'),
      trx_in_block: number('trx_in_block'),
      op_in_trx: number('op_in_trx'),
      virtual_op: number('virtual_op'),
    },
    ...{ timestamp: text('timestamp'), kind: String(kind), fee_payer: text('fee_payer'), value },
  };
}
