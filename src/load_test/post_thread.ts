import { parentPort } from 'node:worker_threads';
import { PostMaker } from './post_maker.ts';
import { postThread, type PostOrder } from './post_source.ts';
import { threadSettings } from '../system/thread_settings.ts';
import { nameSourceLines } from '../system/source_lines.ts';

nameSourceLines();

const maker = new PostMaker(threadSettings(postThread));

parentPort?.on('message', ({ calls, reference }: PostOrder) => {
  const posts = maker.make(calls, reference);
  parentPort?.postMessage(
    posts,
    posts.flatMap(({ body, ids }) => [body.buffer, ids.buffer]),
  );
});
