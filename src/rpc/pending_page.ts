import { errorMessage } from '../base/error_message.ts';
import type { Page } from '../jsonrpc/http/http_server.ts';
import { pendingTransactionText } from './pending_transaction.ts';
import { jsonPage } from '../jsonrpc/http/json_page.ts';

/** A transaction that waits for a block, or what has become of it. The writer is asked, as by `find_transaction`. */
export function pendingPage(services: Parameters<typeof pendingTransactionText>[0]) {
  return async (id: string): Promise<Page> => await pendingTransactionText(services, id).then(jsonPage, unanswered);
}

/** The writer has failed, or 10 000 questions wait for it. */
function unanswered(error: unknown): Page {
  const reason = errorMessage(error);
  return { status: 503, contentType: 'text/plain', body: `no answer to where it is: ${reason}; ask again in a second` };
}
