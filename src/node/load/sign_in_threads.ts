import { Worker } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import type { SignedBody, SigningOrder } from './signing_order.ts';

/** Signs all transfers of the order in threads, and answers their bodies in order. */
export async function signInThreads(order: SigningOrder, threads: number, progress: (signed: number) => void): Promise<SignedBody[]> {
  let signed = 0;
  const take = (count: number): void => progress((signed += count));
  const lists = await Promise.all(partsOf(order, threads).map((part) => signInThread(part, take)));
  return lists.flat();
}

/** Whole bodies for each thread; a thread that would get none isn't started. */
function partsOf(order: SigningOrder, threads: number): SigningOrder[] {
  const bodies = Math.ceil(order.count / order.batch);
  const share = Math.ceil(bodies / threads) * order.batch;
  const parts: SigningOrder[] = [];
  for (let done = 0; done < order.count; done += share) {
    parts.push({ ...order, first: order.first + done, count: Math.min(share, order.count - done) });
  }
  return parts;
}

function signInThread(order: SigningOrder, signed: (count: number) => void): Promise<SignedBody[]> {
  const worker = new Worker(new URL('./signing_thread.js', import.meta.url), { workerData: order });
  const bodies: SignedBody[] = [];
  return new Promise((resolve, reject) => {
    worker.on('message', (body: SignedBody) => {
      bodies.push(body);
      signed(body.count);
    });
    worker.on('error', (error) => reject(new Fault('runtime', `a signing thread has failed: ${error.message}`, error)));
    worker.on('exit', () => resolve(bodies));
  });
}
