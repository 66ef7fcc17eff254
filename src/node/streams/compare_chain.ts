import { Fault } from '../../base/fault.ts';
import { resultOf } from '../../client/answer.ts';
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

/** Asks a node how far it is. */
export async function chainAt(connection: HttpConnection): Promise<ChainAtNode> {
  const state = await connection.call('database_api.get_dynamic_global_properties', {}, CALL_MS, true);
  const [number, id, irreversible] = ['head_block_number', 'head_block_id', 'last_irreversible_block_num'].map((name) =>
    member(state, name),
  );
  if (typeof number !== 'number' || typeof id !== 'string' || typeof irreversible !== 'number')
    throw new Fault('protocol', 'the node does not say where its chain ends');
  return { number, id, irreversible };
}

/** Where blocks of a stream differ from those of a node, each as a sentence; `compared` is told how many were compared. */
export async function differences(
  connection: HttpConnection,
  blocks: readonly ToldBlock[],
  head: ChainAtNode,
  compared: (count: number) => void,
): Promise<string[]> {
  const found: string[] = [];
  for (let start = 0; start < blocks.length && found.length < MOST_DIFFERENCES; start += AT_ONCE) {
    const some = blocks.slice(start, start + AT_ONCE);
    const params = some.map(({ number }) => ({ block_num: number }));
    const headers = await connection.callMany('block_api.get_block_header', params, CALL_MS);
    const operations = await connection.callMany('account_history_api.get_ops_in_block', params, CALL_MS);
    for (const [k, block] of some.entries()) {
      const [header, ops] = [headers[k], operations[k]];
      if (header === undefined || ops === undefined) throw new Fault('protocol', 'the node has not answered all calls');
      const what = difference(block, resultOf(header), resultOf(ops), head);
      if (what !== undefined) found.push(block.number > head.irreversible ? `${what} (it is not irreversible: ask again)` : what);
    }
    compared(start + some.length);
  }
  return found;
}

function difference(block: ToldBlock, header: Json, operations: Json, head: ChainAtNode): string | undefined {
  const { number, id, previous } = block;
  if (header === null) return `block ${number}, ${id}: the chain ends with block ${head.number}`;
  const isHead = number === head.number && id !== head.id;
  if (isHead || member(header, 'previous') !== previous) return `block ${number}, ${id}: the chain has another one`;
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
