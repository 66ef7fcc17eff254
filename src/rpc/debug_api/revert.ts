import { hash160 } from '../../values/hash.ts';
import { debugHead, moved } from './debug_head.ts';
import { revertRefusals } from './debug_refusals.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Goes back to a snapshot. */
export const revert = method({
  name: 'debug_api.revert',
  doc: 'Takes back every block behind a snapshot, irreversible or not, and drops what is pending. The last irreversible block is then again the one that confirmations named there. Refused when that is more than --undo-blocks of `pharos dev` keeps.',
  params: { id: coded(hash160) },
  result: debugHead,
  example: { params: { id: '0000000000000000000000000000000000000000' } },
  stability: 'experimental',
  refuses: revertRefusals,
  thread: 'writer',
  changes: true,
  handler: ({ id }, call) => moved(call, { kind: 'revert', id }),
});
