import type { Method } from '../method.ts';
import { getAppCustomMessages } from './get_app_custom_messages.ts';
import { getReceivedDocument } from './get_received_document.ts';
import { listReceivedDocuments } from './list_received_documents.ts';

/** Documents. */
export const customApi = [
  getAppCustomMessages,
  getReceivedDocument,
  listReceivedDocuments,
] as const satisfies readonly Method[];
