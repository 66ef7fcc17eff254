import { Type } from '../../jsonrpc/typebox.ts';
import { escrowRecord, escrowRecordOf } from '../../queries/records/escrow.ts';
import { escrows } from '../../state/tables/escrow.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Escrows of one account. */
export const findEscrows = method({
  name: 'database_api.find_escrows',
  doc: 'The escrows that an account has opened, by their ids, at most 1 000.',
  params: { from: coded(accountName) },
  result: Type.Object({ escrows: Type.Array(coded(escrowRecord)) }),
  example: { params: { from: 'alice' } },
  stability: 'experimental',
  thread: 'read',
  handler: ({ from }, { rows, parameters }) => ({
    escrows: rows.rows(escrows, { from: { from }, to: { from }, limit: LARGEST_PAGE }).map((escrow) => escrowRecordOf(parameters, escrow)),
  }),
});
