import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { debugHead, moved } from './debug_head.ts';
import { method } from '../method.ts';

/** Says when blocks are made. */
export const setMining = method({
  name: 'debug_api.set_mining',
  doc: 'When blocks are made from now on: in their slots (`interval`), as soon as there is a transaction (`automine`), or only when they are ordered (`none`). Until the node stops.',
  params: { mode: Type.Enum(['interval', 'automine', 'none']) },
  result: debugHead,
  example: { params: { mode: 'automine' } },
  stability: 'experimental',
  thread: 'writer',
  changes: true,
  handler: ({ mode }, call) => moved(call, { kind: 'set_mining', mode }),
});
