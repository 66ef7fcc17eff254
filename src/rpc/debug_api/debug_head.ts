import { Type, type StaticEncode } from '../../jsonrpc/envelope/typebox.ts';
import { present } from '../../base/assert.ts';
import { u32 } from '../../codec/primitives.ts';
import { hash160 } from '../../values/hash.ts';
import { time } from '../../values/time.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import type { Call, DebugCommand } from '../services.ts';

/** The current head of a development chain. */
export const debugHead = Type.Object({
  head_block_number: coded(u32),
  head_block_id: coded(hash160),
  time: coded(time),
});

/** Executes a command and returns the head of the chain after it. */
export async function moved(
  { development: { debug } }: Call,
  request: DebugCommand,
): Promise<StaticEncode<typeof debugHead>> {
  const carryOut = present(debug, 'what moves the chain, where methods that move it are served');
  const { number, id, time: at } = await carryOut(request);
  return { head_block_number: number, head_block_id: id, time: at };
}
