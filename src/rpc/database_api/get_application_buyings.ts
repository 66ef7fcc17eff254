import Type from 'typebox';
import { u32 } from '../../codec/primitives.ts';
import { applicationBuyingRecord } from '../../state/records/application_buying.ts';
import { buyingRefusals, buyingsOf } from '../application_buyings.ts';
import { startText } from '../documents.ts';
import { pageRefusals, requirePage } from '../paging.ts';
import { method } from '../method.ts';
import { coded } from '../params.ts';

/** Buyings of a buyer (by_buyer) or of an application (by_app_id), the newest first. */
export const getApplicationBuyings = method({
  name: 'database_api.get_application_buyings',
  doc: 'Buyings of a buyer (by_buyer) or of an application (by_app_id), the newest first.',
  params: { start: coded(startText), limit: coded(u32), search_type: Type.String() },
  result: Type.Object({ application_buyings: Type.Array(coded(applicationBuyingRecord)) }),
  example: { params: { start: 'alice', limit: 10, search_type: 'by_buyer' } },
  stability: 'experimental',
  refuses: { ...pageRefusals, ...buyingRefusals },
  thread: 'read',
  handler: ({ start, limit, search_type }, { rows, notation }) => {
    requirePage(limit, notation);
    return { application_buyings: buyingsOf(rows, search_type, start, limit) };
  },
});
