import { text, u32 } from '../../codec/primitives.ts';
import { command } from '../command.ts';

/** Lists purchases of applications: by_buyer or by_app_id. */
export const getApplicationBuyingsCommand = command({
  name: 'get_application_buyings',
  doc: 'Who bought which application: by_buyer or by_app_id.',
  params: { name: text, search_type: text, count: u32 },
  example: 'get_application_buyings alice by_buyer 10',
  handler: ({ name, search_type, count }, { node }) =>
    node.ask('get_application_buyings', { name, search_type, count }, 'application_buyings'),
});
