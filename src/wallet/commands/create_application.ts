import { text, u8 } from '../../codec/primitives.ts';
import { applicationCreate } from '../../operations/application_create.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Registers an application; price_param 0 sells it for ever, 1 for a time. */
export const createApplicationCommand = transactionCommand({
  name: 'create_application',
  doc: 'Registers an application; price_param 0 sells it for ever, 1 for a time.',
  params: { author: chainName, app_name: text, url: text, meta_data: text, price_param: u8 },
  example: 'create_application alice chat "https://chat.example" "" 0 true',
  makes: applicationCreate,
  operation: ({ author, app_name: name, url, meta_data: metadata, price_param }, { fee }) =>
    applicationCreate.of({ fee, author, name, url, metadata, price_param }),
});
