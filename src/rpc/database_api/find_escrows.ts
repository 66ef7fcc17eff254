import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { escrowRecord, makeEscrowRecord } from '../../queries/records/escrow.ts';
import { escrows, type Escrow } from '../../state/tables/escrow.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { inPages } from '../chunks.ts';

/** Escrows of one account. */
export const findEscrows = method({
  name: 'database_api.find_escrows',
  doc: 'The escrows that an account has opened, by their ids, at most 1 000; list_escrows has the others.',
  params: { from: coded(accountName) },
  result: Type.Object({ escrows: Type.Array(coded(escrowRecord)) }),
  example: { params: { from: 'alice' } },
  stability: 'experimental',
  thread: 'read',
  handler({ from }, call) {
    const { rows, parameters } = call;
    const found = inPages<Escrow>(call, LARGEST_PAGE, (last, limit) =>
      rows.rows(escrows, {
        from: { from },
        to: { from },
        limit,
        ...(last === undefined ? {} : { after: escrows.keyOf(last) }),
      }),
    );
    return { escrows: found.map((some) => some.map((escrow) => makeEscrowRecord(parameters, escrow))) };
  },
});
