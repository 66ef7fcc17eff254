import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { witnesses, type Witness } from '../../state/tables/witness.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { pageLimit, pageRefusals, requirePage } from '../../queries/paging.ts';
import { inPages } from '../chunks.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Names of witnesses. */
export const listWitnesses = method({
  name: 'alexandria_api.list_witnesses',
  doc: 'Names of accounts that own witnesses, voted in or not, by name from `start` on. They come by name whatever `order` says.',
  params: {
    start: coded(accountName, { default: '' }),
    limit: coded(pageLimit),
    order: Type.Optional(Type.String({ maxLength: 256 })),
  },
  result: Type.Object({ witnesses: Type.Array(coded(accountName)) }),
  example: { params: { start: '', limit: 10, order: 'by_name' } },
  stability: 'stable',
  refuses: pageRefusals,
  thread: 'read',

  handler({ start, limit }, call) {
    requirePage(limit, call.encoding);
    const found = inPages<Witness>(call, limit, (last, most) =>
      call.rows.rows(witnesses, last === undefined ? { from: start, limit: most } : { after: last.owner, limit: most }),
    );
    return { witnesses: found.map((some) => some.map(({ owner }) => owner)) };
  },
});
