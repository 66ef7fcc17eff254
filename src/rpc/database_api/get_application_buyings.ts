import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { inMember } from '../../codec/decode_error.ts';
import { applicationBuyingRecord } from '../../queries/records/application_buying.ts';
import {
  buyingRefusals,
  buyingSearchType,
  buyingSubject,
  findBuyings,
  listPosition,
  readPosition,
  type BuyingPosition,
} from '../../queries/application_buyings.ts';
import { pageLimit, pageRefusals, requirePage } from '../../queries/paging.ts';
import { nullable } from '../../codec/nullable.ts';
import type { ApplicationBuying } from '../../state/tables/application_buying.ts';
import { method } from '../method.ts';
import { inPagesWithCursor } from '../chunks.ts';
import { cursorMember, cursorParam, placeText } from '../cursor.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

const buyingCursor = placeText<BuyingPosition>(
  /^([A-Za-z0-9_-]{0,32}) ([0-9]{1,20})$/,
  ({ of, id }) => `${of} ${id}`,
  ([of = '', id = '0']) => ({ of, id: BigInt(id) }),
);

/** Purchases of a buyer (by_buyer) or of an application (by_app_id), newest first. */
export const getApplicationBuyings = method({
  name: 'database_api.get_application_buyings',
  doc: 'Buyings of a buyer (by_buyer) or of an application (by_app_id), the newest first; without `start` all, by buyer or application.',
  params: {
    start: coded(nullable(buyingSubject), { default: null }),
    limit: coded(pageLimit),
    search_type: coded(buyingSearchType),
    cursor: cursorParam(buyingCursor, 'buyer or application id, a blank, and the id of the first buying'),
  },
  result: Type.Object({
    application_buyings: Type.Array(coded(applicationBuyingRecord)),
    cursor: cursorMember(buyingCursor),
  }),
  example: { params: { start: 'alice', limit: 10, search_type: 'by_buyer' } },
  stability: 'experimental',
  refuses: { ...pageRefusals, ...buyingRefusals },
  thread: 'read',
  handler({ start, limit, search_type: searchType, cursor: given }, call) {
    requirePage(limit, call.encoding);
    const position =
      given === null ? undefined : inMember('cursor', () => readPosition(searchType, given, call.encoding));
    const { items, cursor } = inPagesWithCursor<ApplicationBuying, BuyingPosition>(
      call,
      limit,
      (last, most) =>
        inMember('start', () => findBuyings(call, { searchType, of: start, limit: most, position }, last)),
      (next) => listPosition(searchType, next),
    );
    return { application_buyings: items, cursor };
  },
});
