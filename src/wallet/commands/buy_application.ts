import { i64 } from '../../codec/primitives.ts';
import { buyApplication } from '../../operations/buy_application.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Buys an application. */
export const buyApplicationCommand = transactionCommand({
  name: 'buy_application',
  doc: 'Buys an application.',
  params: { buyer: chainName, app_id: i64 },
  example: 'buy_application bob 1 true',
  makes: buyApplication,
  operation: ({ buyer, app_id }, { fee }) => buyApplication.of({ fee, buyer, app_id }),
});
