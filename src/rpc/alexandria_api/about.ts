import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { aboutRecord, makeAboutRecord } from './about_record.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The software that runs here, and the chain. */
export const about = method({
  name: 'alexandria_api.about',
  doc: 'The software of this node and the id of its chain.',
  params: {},
  result: Type.Object({ about: coded(aboutRecord) }),
  example: { params: {} },
  stability: 'stable',
  thread: 'read',
  handler: (_, call) => ({ about: makeAboutRecord(call) }),
});
