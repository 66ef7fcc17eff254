import { Type } from '../../jsonrpc/typebox.ts';
import { inMember } from '../../codec/decode_error.ts';
import { u32 } from '../../codec/primitives.ts';
import { applicationBuyingRecord } from '../../queries/records/application_buying.ts';
import { buyingRefusals, findBuyings } from '../../queries/application_buyings.ts';
import { startText } from '../../queries/documents.ts';
import { pageRefusals, requirePage } from '../../queries/paging.ts';
import { nullable } from '../../codec/nullable.ts';
import type { ApplicationBuying } from '../../state/tables/application_buying.ts';
import { method } from '../method.ts';
import { inPages } from '../chunks.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Purchases of a buyer (by_buyer) or of an application (by_app_id), newest first. */
export const getApplicationBuyings = method({
  name: 'database_api.get_application_buyings',
  doc: 'Buyings of a buyer (by_buyer) or of an application (by_app_id), the newest first; without `start` all, by buyer or application.',
  params: { start: coded(nullable(startText), { default: null }), limit: coded(u32), search_type: Type.String() },
  result: Type.Object({ application_buyings: Type.Array(coded(applicationBuyingRecord)) }),
  example: { params: { start: 'alice', limit: 10, search_type: 'by_buyer' } },
  stability: 'experimental',
  refuses: { ...pageRefusals, ...buyingRefusals },
  thread: 'read',
  handler: ({ start, limit, search_type }, call) => {
    requirePage(limit, call.notation);
    return {
      application_buyings: inPages<ApplicationBuying>(call, limit, (last, most) =>
        inMember('start', () => findBuyings(call, { searchType: search_type, of: start, limit: most }, last)),
      ),
    };
  },
});
