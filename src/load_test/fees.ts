import { Fault } from '../base/fault.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { operationCodec } from '../operations/index.ts';
import { member } from '../client/chain_of_node.ts';
import { SIZE_COVERED_IN_BASE_FEE } from '../state/parameters.ts';
import { parseAsset } from '../values/asset.ts';
import type { LoadedNode } from './loaded_node.ts';
import { operationMakers } from './operation_makers.ts';

/** Around the text of a custom_json: its number and the names of its members. */
const WRAPPING_BYTES = 64;

/** The fee of an operation with a text of so many characters, from that of the smallest one; at least what it costs. */
export function payloadFees(kind: string, fee: bigint, characters: number): bigint {
  if (!kind.startsWith('custom')) return fee;
  return fee * BigInt(1 + Math.trunc((characters + WRAPPING_BYTES) / SIZE_COVERED_IN_BASE_FEE));
}

/**
 * Asks the node what the smallest operation of each kind costs. What costs nothing is paid for like a transfer: an
 * account has only some operations without a fee in a while, and a load would use them up.
 */
export async function fetchFees(
  client: LoadedNode,
  kinds: readonly string[],
  encoding: EncodingOptions,
): Promise<Record<string, bigint>> {
  const fees: Record<string, bigint> = {};
  const ofTransfer = await fetchFee(client, 'transfer', encoding);
  for (const kind of new Set(kinds)) fees[kind] = (await fetchFee(client, kind, encoding)) || ofTransfer;
  return fees;
}

async function fetchFee(client: LoadedNode, kind: string, encoding: EncodingOptions): Promise<bigint> {
  const { coinSymbol: symbol } = encoding;
  const nothing = { amount: 0n, symbol };
  const [sample] =
    operationMakers[kind]?.({
      from: 'a',
      to: 'b',
      third: 'c',
      number: 1,
      unique: 1,
      symbol,
      fee: nothing,
      text: '',
      time: 0,
      witness: 'd',
    }) ?? [];
  if (sample === undefined) return 0n;
  const op = operationCodec.toJson(sample, encoding);
  const fee = member(await client.call('alexandria_api.calculate_fee', { op, symbol }), 'fee');
  const parsed = typeof fee === 'string' ? parseAsset(fee) : undefined;
  if (parsed === undefined) throw new Fault('runtime', `the node does not tell what a ${kind} costs`);
  return parsed.amount;
}
