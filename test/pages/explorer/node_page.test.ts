import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { hearMissing, optionalNodePage } from '../../../src/pages/explorer/node_page.ts';

const PATH = 'chain/last_hour.json';

test('a page beside the calls is read, and each failure says why and what to do', async () => {
  const answers: readonly (() => Response)[] = [
    () => Response.json({ rate: 3 }),
    () => Response.json({ rate: 4 }, { status: 503 }),
    () => new Response('not found', { status: 404 }),
    () => new Response('<p>a proxy</p>'),
    () => {
      throw new TypeError('fetch failed');
    },
  ];
  const heard: (readonly [string, string])[] = [];
  hearMissing((what, reason) => heard.push([what, reason]));
  const found = [];
  for (const answer of answers) {
    const fetched = mock.method(globalThis, 'fetch', async () => await Promise.resolve().then(answer));
    found.push(await optionalNodePage('The last hour', PATH, readRate));
    fetched.mock.restore();
  }
  assert.deepEqual(found, [3, 4, undefined, undefined, undefined]);
  assert.deepEqual(heard, [
    ['The last hour', ''],
    ['The last hour', ''],
    ['The last hour', `${PATH} was answered with HTTP 404; a proxy must pass on all paths of the node`],
    ['The last hour', `${PATH} has another form; load the page anew`],
    ['The last hour', `${PATH} was not answered; look whether the node runs`],
  ]);
});

function readRate(json: unknown): number | undefined {
  return typeof json === 'object' && json !== null && 'rate' in json && typeof json.rate === 'number'
    ? json.rate
    : undefined;
}
