import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { inMember } from '../../codec/decode_error.ts';
import { u64 } from '../../codec/primitives.ts';
import { applicationBuyingRecord } from '../../queries/records/application_buying.ts';
import { buyingRefusals, buyingSearchType, findBuyings } from '../../queries/application_buyings.ts';
import type { ApplicationBuying } from '../../state/tables/application_buying.ts';
import { method } from '../method.ts';
import { inPagesWithCursor } from '../chunks.ts';
import { cursorMember, cursorParam } from '../cursor.ts';
import { pageLimit, pageRefusals, requirePage } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Purchases of applications. */
export const getApplicationBuyings = method({
  name: 'alexandria_api.get_application_buyings',
  doc: 'Buyings of a buyer (`by_buyer`) or of an application (`by_app_id`, `name` being its id or its name), the newest first.',
  params: {
    name: Type.String({ maxLength: 256 }),
    search_type: coded(buyingSearchType),
    count: coded(pageLimit),
    cursor: cursorParam(u64, 'the id of the first buying'),
  },
  result: Type.Object({ application_buyings: Type.Array(coded(applicationBuyingRecord)), cursor: cursorMember(u64) }),
  example: { params: { name: 'alice', search_type: 'by_buyer', count: 10 } },
  stability: 'stable',
  refuses: { ...pageRefusals, ...buyingRefusals },
  thread: 'read',

  handler({ name, search_type: searchType, count, cursor: id }, call) {
    requirePage(count, call.encoding);
    const position = id === null ? undefined : { of: name, id };
    const { items, cursor } = inPagesWithCursor<ApplicationBuying, bigint>(
      call,
      count,
      (last, limit) => inMember('name', () => findBuyings(call, { searchType, of: name, limit, position }, last)),
      (next) => next.id,
    );
    return { application_buyings: items, cursor };
  },
});
