import { parentPort, workerData } from 'node:worker_threads';
import { PostMaker, type PostMakerSettings } from './post_maker.ts';
import type { PostOrder } from './post_source.ts';
import { nameSourceLines } from '../threads/source_lines.ts';

nameSourceLines();

const maker = new PostMaker(given());

parentPort?.on('message', ({ calls, reference }: PostOrder) => {
  const posts = maker.make(calls, reference);
  parentPort?.postMessage(
    posts,
    posts.flatMap(({ body, ids }) => [body.buffer, ids.buffer]),
  );
});

function given(): PostMakerSettings;
function given(): unknown {
  const data: unknown = workerData;
  return data;
}
