import { parentPort, workerData } from 'node:worker_threads';
import { signTransfers } from './sign_transfers.ts';
import type { SigningOrder } from './signing_order.ts';

const order: SigningOrder = workerData;
for (const signed of signTransfers(order)) parentPort?.postMessage(signed, [signed.body.buffer]);
