import { Fault } from '../../base/fault.ts';
import { resultOf } from '../../client/answer.ts';
import { connectOverHttp } from '../../client/connect.ts';
import { member } from '../../client/chain_of_node.ts';
import type { HttpConnection } from '../../client/http_connection.ts';
import type { Json } from '../../codec/json.ts';
import { operationsSum, type ComparedOperation, type ToldBlock } from '../../sinks/stream_check.ts';

const CALL_MS = 60_000;
const AT_ONCE = 50;
const MOST_DIFFERENCES = 20;

/** Where a node's chain ends. */
export interface ChainAtNode {
  readonly number: number;
  readonly id: string;
  readonly irreversible: number;
}

/** The chain of a node, with which blocks of a stream are compared. Any call may throw a Fault, or a Refusal of the node. */
export class ComparedChain {
  /** Where they differ, each as a sentence. */
  readonly differences: string[] = [];
  readonly #connection: HttpConnection;

  constructor(url: string) {
    this.#connection = connectOverHttp(url);
  }

  /** How far the node is. */
  async end(): Promise<ChainAtNode> {
    const state = await this.#connection.call('database_api.get_dynamic_global_properties', {}, CALL_MS, true);
    const [number, id, irreversible] = ['head_block_number', 'head_block_id', 'last_irreversible_block_num'].map((name) =>
      member(state, name),
    );
    if (typeof number !== 'number' || typeof id !== 'string' || typeof irreversible !== 'number')
      throw new Fault('protocol', 'the node does not say where its chain ends');
    return { number, id, irreversible };
  }

  /** Compares these blocks; none any more once many differ. */
  async compare(blocks: readonly ToldBlock[]): Promise<void> {
    const head = await this.end();
    for (let start = 0; start < blocks.length && this.differences.length < MOST_DIFFERENCES; start += AT_ONCE)
      await this.#compareSome(blocks.slice(start, start + AT_ONCE), head);
  }

  close(): void {
    this.#connection.close();
  }

  async #compareSome(blocks: readonly ToldBlock[], head: ChainAtNode): Promise<void> {
    const params = blocks.map(({ number }) => ({ block_num: number }));
    // The id of a block stands in the one behind it.
    const behind = { block_num: (blocks.at(-1)?.number ?? 0) + 1 };
    const headers = await this.#connection.callMany('block_api.get_block_header', [...params, behind], CALL_MS);
    const operations = await this.#connection.callMany('account_history_api.get_ops_in_block', params, CALL_MS);
    for (const [k, block] of blocks.entries()) {
      const [header, next, ops] = [headers[k], headers[k + 1], operations[k]];
      if (header === undefined || next === undefined || ops === undefined)
        throw new Fault('protocol', 'the node has not answered all calls');
      const what = difference(block, { header: resultOf(header), next: resultOf(next), operations: resultOf(ops) }, head);
      if (what !== undefined)
        this.differences.push(block.number > head.irreversible ? `${what} (it is not irreversible: ask again)` : what);
    }
  }
}

/** What a node says of a block, and the header of the one behind it. */
interface BlockOfNode {
  readonly header: Json;
  readonly next: Json;
  readonly operations: Json;
}

function difference(block: ToldBlock, { header, next, operations }: BlockOfNode, head: ChainAtNode): string | undefined {
  const { number, id, previous } = block;
  if (header === null) return `block ${number}, ${id}: the chain ends with block ${head.number}`;
  // A node that has gone on meanwhile has one behind its head.
  const own = next === null ? head.id : member(next, 'previous');
  if ((next !== null || number === head.number) && own !== id) return `block ${number}, ${id}: the chain has another one`;
  if (member(header, 'previous') !== previous) return `block ${number}, ${id}: the chain has another one`;
  const ops = member(operations, 'ops');
  const listed = Array.isArray(ops) ? ops.map(comparedOf) : [];
  return operationsSum(listed) === block.operations ? undefined : `block ${number}, ${id}: its operations are others`;
}

function comparedOf(entry: Json): ComparedOperation {
  const op = member(entry, 'op');
  const [kind, value] = Array.isArray(op) ? op : [];
  const text = (name: string): string => String(member(entry, name) ?? '');
  const number = (name: string): number => Number(member(entry, name));
  return {
    ...{ trx_id: text('trx_id'), trx_in_block: number('trx_in_block'), op_in_trx: number('op_in_trx'), virtual_op: number('virtual_op') },
    ...{ timestamp: text('timestamp'), kind: String(kind), fee_payer: text('fee_payer'), value },
  };
}
