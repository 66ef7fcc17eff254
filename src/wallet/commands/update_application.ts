import { text, u8 } from '../../codec/primitives.ts';
import { applicationUpdate } from '../../operations/application_update.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Changes an application, or hands it over. */
export const updateApplicationCommand = transactionCommand({
  name: 'update_application',
  doc: 'Changes an application, or hands it over.',
  params: { author: chainName, app_name: text, new_author: chainName, url: text, meta_data: text, price_param: u8 },
  example: 'update_application alice chat bob "https://chat.example" "" 0 true',
  makes: applicationUpdate,
  operation: ({ author, app_name: name, new_author, url, meta_data: metadata, price_param }, { fee }) =>
    applicationUpdate.of({ fee, author, new_author, name, url, metadata, price_param }),
});
