import { coins } from '../../state/parameters.ts';
import { economicModel } from '../../state/tables/economic_model.ts';
import { asset } from '../../values/asset.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The coins burned so far. */
export const getBurnedBalance = method({
  name: 'database_api.get_burned_balance',
  doc: 'Coins that were burned.',
  params: {},
  result: coded(asset),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { rows, parameters }) => coins(parameters, rows.only(economicModel).burn_pool),
});
