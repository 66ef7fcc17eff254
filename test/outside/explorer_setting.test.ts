import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Site } from './site.ts';

const site = new Site();

after(() => site.clear());

test('whether browsers are shown pages is the operator’s to say', async () => {
  await site.dev('--fresh');
  const start = (mode: string): ReturnType<Site['start']> =>
    site.start([
      ...['run', '--genesis-json', site.path('data', 'genesis.json'), '--data-dir', site.path(mode)],
      ...['--webserver-http-endpoint', '127.0.0.1:0', '--explorer', mode],
    ]);
  for (const [mode, type] of [
    ['on', 'text/html; charset=utf-8'],
    ['off', 'text/plain'],
  ] as const) {
    const node = start(mode);
    await node.ready();
    const answer = await fetch(`http://127.0.0.1:${node.port}/`, { headers: { accept: 'text/html' } });
    assert.equal(answer.headers.get('content-type'), type, mode);
    await answer.text();
    const figures = await fetch(`http://127.0.0.1:${node.port}/chain/last_hour.json`);
    assert.equal(figures.status, mode === 'on' ? 200 : 404);
    assert.match(await figures.text(), mode === 'on' ? /"blocks"/ : /explorer = off/);
  }
  const node = start('perhaps');
  assert.equal(await node.exited, 2);
  assert.match(node.stderr, /explorer: on or off expected/);
});
