import { text, u32 } from '../../codec/primitives.ts';
import { nameMeant } from '../accounts.ts';
import { command } from '../command.ts';
import { accountText, position } from '../params.ts';

/** Documents that an account sent or received in an application, with their numbers. */
export const listReceivedDocumentsCommand = command({
  name: 'list_received_documents',
  doc: 'Documents that an account sent or received in an application, with their numbers.',
  params: { app_id: position, account_name: accountText, search_type: text, start: text, count: u32 },
  example: 'list_received_documents 1 alice by_recipient_reverse 1 10',
  handler: async ({ app_id, account_name, search_type, start, count }, wallet) => {
    const params = { app_id, account_name: await nameMeant(wallet, account_name), search_type, start, count };
    return await wallet.node.ask('get_received_documents', params, 'received_documents');
  },
});
