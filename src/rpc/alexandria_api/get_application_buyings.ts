import { Type } from '../../jsonrpc/typebox.ts';
import { inMember } from '../../codec/decode_error.ts';
import { u32 } from '../../codec/primitives.ts';
import { applicationBuyingRecord } from '../../queries/records/application_buying.ts';
import { buyingRefusals, findBuyings } from '../../queries/application_buyings.ts';
import type { ApplicationBuying } from '../../state/tables/application_buying.ts';
import { method } from '../method.ts';
import { inPages } from '../chunks.ts';
import { pageRefusals, requirePage } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Purchases of applications. */
export const getApplicationBuyings = method({
  name: 'alexandria_api.get_application_buyings',
  doc: 'Buyings of a buyer (`by_buyer`) or of an application (`by_app_id`, `name` being its id or its name), the newest first.',
  params: { name: Type.String(), search_type: Type.String(), count: coded(u32) },
  result: Type.Object({ application_buyings: Type.Array(coded(applicationBuyingRecord)) }),
  example: { params: { name: 'alice', search_type: 'by_buyer', count: 10 } },
  stability: 'stable',
  refuses: { ...pageRefusals, ...buyingRefusals },
  thread: 'read',

  handler({ name, search_type, count }, call) {
    requirePage(count, call.notation);
    return {
      application_buyings: inPages<ApplicationBuying>(call, count, (last, most) =>
        inMember('name', () => findBuyings(call, { searchType: search_type, of: name, limit: most }, last)),
      ),
    };
  },
});
