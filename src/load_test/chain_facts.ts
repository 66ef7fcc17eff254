import { Fault } from '../base/fault.ts';
import { parseAsset } from '../values/asset.ts';
import type { Json } from '../codec/json.ts';
import type { Profile } from '../values/profile.ts';
import { parseTime } from '../values/time.ts';
import { referenceId } from '../client/block_ids.ts';
import { member } from '../client/chain_of_node.ts';
import type { LoadedNode } from './loaded_node.ts';

/** The head of the node's chain. */
export interface Head {
  readonly number: number;
  readonly id: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly maximumBlockSize: number;
  /** Of the block that transactions refer to: see `referenceId`. */
  readonly referenceId: string;
}

/** Everything needed to build a transfer on this chain. */
export interface ChainFacts {
  readonly chainId: string;
  readonly head: Head;
  /** The fee of a transfer, in millionths. */
  readonly fee: bigint;
}

export async function fetchHead(client: LoadedNode): Promise<Head> {
  const properties = member(await client.call('alexandria_api.get_dynamic_global_properties', {}), 'properties');
  const number = member(properties, 'head_block_number');
  const id = member(properties, 'head_block_id');
  const time = member(properties, 'time');
  const size = member(properties, 'maximum_block_size');
  const seconds = typeof time === 'string' ? parseTime(time) : undefined;
  if (typeof number !== 'number' || typeof id !== 'string' || seconds === undefined)
    throw new Fault('runtime', 'the node does not tell its head block');
  const standing = { head: number, headId: id, final: Number(member(properties, 'last_irreversible_block_num') ?? 0) };
  const reference = await referenceId(standing, async (block) => previousId(await client.call(...headerCall(block))));
  return { number, id, time: seconds, maximumBlockSize: typeof size === 'number' ? size : 0, referenceId: reference };
}

/** The call that asks for a block's header. */
export function headerCall(number: number): ['block_api.get_block_header', { readonly block_num: number }] {
  return ['block_api.get_block_header', { block_num: number }];
}

/** The id of the block before one with that header; undefined where there is no such block. */
export function previousId(header: Json | undefined): string | undefined {
  const previous = member(header, 'previous');
  return typeof previous === 'string' ? previous : undefined;
}

/** Queries the node; the profile gives the encoding of its chain. */
export async function fetchFacts(client: LoadedNode, profile: Profile): Promise<ChainFacts> {
  const chainId = member(member(await client.call('alexandria_api.about', {}), 'about'), 'chain_id');
  if (typeof chainId !== 'string') throw new Fault('runtime', 'the node does not tell its chain id');
  return { chainId, head: await fetchHead(client), fee: await transferFee(client, profile) };
}

async function transferFee(client: LoadedNode, { coinSymbol }: Profile): Promise<bigint> {
  const nothing = `0.000000 ${coinSymbol}`;
  const op = ['transfer', { fee: nothing, from: 'alice', to: 'bob', amount: nothing, memo: '' }];
  const fee = member(await client.call('alexandria_api.calculate_fee', { op, symbol: coinSymbol }), 'fee');
  const parsed = typeof fee === 'string' ? parseAsset(fee) : undefined;
  if (parsed === undefined) throw new Fault('runtime', 'the node does not tell what a transfer costs');
  return parsed.amount;
}
