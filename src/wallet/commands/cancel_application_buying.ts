import { i64 } from '../../codec/primitives.ts';
import { cancelApplicationBuying } from '../../operations/cancel_application_buying.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** As the owner of an application, takes a buying back. */
export const cancelApplicationBuyingCommand = transactionCommand({
  name: 'cancel_application_buying',
  doc: 'As the owner of an application, takes a buying back.',
  params: { app_owner: chainName, buyer: chainName, app_id: i64 },
  example: 'cancel_application_buying alice bob 1 true',
  makes: cancelApplicationBuying,
  operation: ({ app_owner, buyer, app_id }, { fee }) => cancelApplicationBuying.of({ fee, app_owner, buyer, app_id }),
});
