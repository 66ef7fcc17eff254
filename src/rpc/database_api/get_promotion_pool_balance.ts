import { coins } from '../../state/parameters.ts';
import { availablePromotionPool } from '../../state/promotion_pool.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { economicModel } from '../../state/tables/economic_model.ts';
import { asset } from '../../values/asset.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The coins that can be withdrawn from the promotion pool. */
export const getPromotionPoolBalance = method({
  name: 'database_api.get_promotion_pool_balance',
  doc: 'What can be taken from the promotion pool now: the pool without what is still locked.',
  params: {},
  result: coded(asset),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',

  handler(_, { rows, parameters }) {
    const { head_block_number } = rows.only(dynamicGlobalProperties);
    return coins(parameters, availablePromotionPool(parameters, rows.only(economicModel), head_block_number));
  },
});
