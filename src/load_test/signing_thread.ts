import { parentPort } from 'node:worker_threads';
import { signTransfers } from './sign_transfers.ts';
import { signingThread } from './signing_request.ts';
import { threadSettings } from '../system/thread_settings.ts';
import { nameSourceLines } from '../system/source_lines.ts';

nameSourceLines();

for (const signed of signTransfers(threadSettings(signingThread)))
  parentPort?.postMessage(signed, [signed.body.buffer]);
