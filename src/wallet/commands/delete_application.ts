import { text } from '../../codec/primitives.ts';
import { applicationDelete } from '../../operations/application_delete.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Deletes an application. */
export const deleteApplicationCommand = transactionCommand({
  name: 'delete_application',
  doc: 'Deletes an application.',
  params: { author: chainName, app_name: text },
  example: 'delete_application alice chat true',
  makes: applicationDelete,
  operation: ({ author, app_name: name }, { fee }) => applicationDelete.of({ fee, author, name }),
});
