import Type from 'typebox';
import { refusals } from '../base/refusal.ts';
import { u32 } from '../codec/primitives.ts';
import { hash160, type BlockId } from '../values/hash.ts';
import { time, type Seconds } from '../values/time.ts';
import { coded } from './params.ts';
import type { Call, DebugOrder } from './services.ts';

const refuse = refusals({ no_development_chain: 'only development chains can be moved' });

/** Where a development chain stands now. */
export const debugHead = Type.Object({ head_block_number: coded(u32), head_block_id: coded(hash160), time: coded(time) });

interface DebugHeadRecord {
  readonly head_block_number: number;
  readonly head_block_id: BlockId;
  readonly time: Seconds;
}

/** Carries out an order and says where the chain stands then. */
export async function moved({ debug }: Call, order: DebugOrder): Promise<DebugHeadRecord> {
  if (debug === undefined) return refuse.no_development_chain();
  const { number, id, time: at } = await debug(order);
  return { head_block_number: number, head_block_id: id, time: at };
}
