import { Worker } from 'node:worker_threads';
import { Fault } from '../base/fault.ts';
import { threadData } from '../system/thread_settings.ts';
import { signingThread, type SignedBody, type SigningRequest } from './signing_request.ts';

/** Signs all transfers of the request in threads, and returns their bodies in the request's order. */
export async function signInThreads(
  request: SigningRequest,
  threads: number,
  progress: (signed: number) => void,
): Promise<SignedBody[]> {
  let signed = 0;
  const take = (count: number): void => progress((signed += count));
  const lists = await Promise.all(splitRequest(request, threads).map((part) => signInThread(part, take)));
  return lists.flat();
}

/** Whole bodies for each thread; a thread that would get none isn't started. */
function splitRequest(request: SigningRequest, threads: number): SigningRequest[] {
  const bodies = Math.ceil(request.count / request.batch);
  const share = Math.ceil(bodies / threads) * request.batch;
  const parts: SigningRequest[] = [];
  for (let done = 0; done < request.count; done += share) {
    parts.push({ ...request, first: request.first + done, count: Math.min(share, request.count - done) });
  }
  return parts;
}

function signInThread(request: SigningRequest, signed: (count: number) => void): Promise<SignedBody[]> {
  const worker = new Worker(new URL('./signing_thread.js', import.meta.url), {
    workerData: threadData(signingThread, request),
  });
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
