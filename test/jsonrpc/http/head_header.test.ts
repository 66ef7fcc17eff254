import assert from 'node:assert/strict';
import { test } from 'node:test';
import { echo, notice, wait } from './exchange.ts';
import { listen, servers } from './servers.ts';

for (const [name, open] of servers) {
  test(`${name}: an answer says of the head what is said as it begins to be found, a repeated one and one that comes later too`, async (t) => {
    let number = 5;
    const head = (minHead: string): string | undefined => (minHead === '' ? undefined : `${number} asked ${minHead}`);
    const { url } = await listen(t, open, { head });
    const postAndReadHead = async (
      body: string,
      headers: Record<string, string> = { 'x-pharos-min-head': '4' },
    ): Promise<string | null> => {
      const response = await fetch(url, { method: 'POST', body, headers });
      await response.text();
      return response.headers.get('x-pharos-head');
    };
    for (let round = 0; round < 3; round++) assert.equal(await postAndReadHead(echo), '5 asked 4');
    assert.equal(await postAndReadHead(wait), '5 asked 4');
    assert.equal(await postAndReadHead(notice), '5 asked 4');
    number = 6;
    assert.equal(await postAndReadHead(echo), '6 asked 4');
    assert.equal(await postAndReadHead(echo, {}), null);
  });
}
