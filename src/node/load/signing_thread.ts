import { parentPort, workerData } from 'node:worker_threads';
import { signTransfers } from './sign_transfers.ts';
import type { SigningRequest } from './signing_request.ts';
import { nameSourceLines } from '../threads/source_lines.ts';

nameSourceLines();

for (const signed of signTransfers(givenOrder())) parentPort?.postMessage(signed, [signed.body.buffer]);

function givenOrder(): SigningRequest;
function givenOrder(): unknown {
  const given: unknown = workerData;
  return given;
}
