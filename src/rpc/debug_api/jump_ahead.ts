import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { debugHead, moved } from './debug_head.ts';
import { producingRefusals } from './debug_refusals.ts';
import { method } from '../method.ts';

const LONGEST_JUMP = 0x7fff_ffff; // seconds; times end in 2106 anyway

/** Advances the time of the chain. */
export const jumpAhead = method({
  name: 'debug_api.jump_ahead',
  doc: 'Lets so many seconds go by and produces a block then, with what is pending unless it has expired. The slots between are missed.',
  params: { seconds: Type.Integer({ minimum: 1, maximum: LONGEST_JUMP }) },
  result: debugHead,
  example: { params: { seconds: 86_400 } },
  stability: 'experimental',
  refuses: producingRefusals,
  thread: 'writer',
  changes: true,
  handler: ({ seconds }, call) => moved(call, { kind: 'jump_ahead', seconds }),
});
