import { member } from '../client/chain_of_node.ts';
import type { Json } from '../codec/json.ts';

/** True when a transaction expired without getting into a block, in the lineage's notation. */
export function hasExpired(result: Json): boolean {
  const number = member(result, 'transaction_num');
  return number === 0xffff_ffff || number === -1 || number === '4294967295';
}
