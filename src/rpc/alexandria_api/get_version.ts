import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { makeAboutRecord, versionRecord } from './about_record.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Version, commit and chain id. */
export const getVersion = method({
  name: 'alexandria_api.get_version',
  doc: 'Versions of the blockchain and of this software, and the id of the chain.',
  params: {},
  result: Type.Object({ version_info: coded(versionRecord) }),
  example: { params: {} },
  stability: 'stable',
  thread: 'read',
  handler: (_, call) => ({ version_info: makeAboutRecord(call) }),
});
