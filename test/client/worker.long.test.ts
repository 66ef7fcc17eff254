import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { startChain, temporaryFolder, type Started } from '../wallet/programs.ts';
import { makeProject } from './packed.ts';

// A worker as Cloudflare runs it: one module of web interfaces, without modules of Node and without compiled text.

const folder = makeProject('pharos-client');
let node: Started;
before(async () => {
  node = await startChain(join(temporaryFolder(), 'dev'));
});
after(async () => await node.stop());

const worker = `
  import { connect, NodeRefusal } from 'pharos-client';
  import { derivePublicKey } from 'pharos-client/keys';
  const key = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
  export default {
    async fetch(request) {
      const client = await connect(new URL(request.url).searchParams.get('node'));
      const { memo_key } = await client.call('alexandria_api.get_memo_key', { account_name: 'alice' });
      const { block_num } = await client.send([['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' }]], [key], 3000);
      const refused = await client.getAccount('nobody-here').catch((error) => error);
      client.close();
      return Response.json([memo_key === derivePublicKey(key), block_num > 0, refused instanceof NodeRefusal && refused.name]);
    },
  };`;

/** The interfaces of such a runtime besides the language. Bytes are of one realm with those of `crypto`. */
const webInterfaces = {
  ...{ AbortController, AbortSignal, Headers, Request, Response, TextDecoder, TextEncoder, URL, WebSocket: undefined },
  ...{ clearTimeout, console, crypto, fetch, performance, queueMicrotask, setTimeout, Uint8Array },
};

test('a worker reads, signs and is refused with one bundle that knows no module of Node', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: worker, resolveDir: folder },
    ...{ bundle: true, minify: true, format: 'iife', globalName: 'worker', platform: 'browser', target: 'es2022' },
    ...{ conditions: ['workerd', 'worker', 'browser'], write: false, metafile: true, absWorkingDir: folder },
  });
  const [output] = Object.values(metafile.outputs);
  assert.deepEqual(output?.imports, []);
  const context = createContext({ ...webInterfaces }, { codeGeneration: { strings: false, wasm: false } });
  runInContext(outputFiles[0]?.text ?? assert.fail(), context);
  const ask = `worker.default.fetch(new Request('http://worker/?node=http://127.0.0.1:${node.port}'))`;
  const response: unknown = await runInContext(ask, context);
  assert.ok(response instanceof Response);
  assert.deepEqual(await response.json(), [true, true, 'unknown_account']);
});
