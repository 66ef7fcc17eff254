import { parentPort, workerData } from 'node:worker_threads';
import { PostMaker, type PostMakerSettings } from './post_maker.ts';
import type { PostOrder } from './post_source.ts';
import type { TrafficPost } from './traffic_post.ts';

const maker = new PostMaker(given());

parentPort?.on('message', ({ calls, reference }: PostOrder) => {
  const posts: TrafficPost[] = [];
  for (let made = 0; made < calls; made += posts.at(-1)?.count ?? calls) posts.push(maker.next(reference));
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
