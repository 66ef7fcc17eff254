import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import type { RequestSource } from '../../../src/jsonrpc/limits/request_source.ts';
import { listen, sendRaw, servers } from './servers.ts';

// A server tells local clients from others by the requests that they send over real sockets.

const post = (version: string, ...headers: readonly string[]): string =>
  [`POST / HTTP/${version}`, 'Host: 127.0.0.1', 'Content-Length: 2', 'Connection: close', ...headers, '', '{}'].join(
    '\r\n',
  );

for (const [name, open] of servers) {
  test(`${name}: whoever comes through a proxy is not local, and has the address that a trusted one names`, async (t) => {
    const requestSources: { readonly address: string; readonly isLocal: boolean }[] = [];
    const answer = (_: Buffer, { address, isLocal }: RequestSource): string => {
      requestSources.push({ address, isLocal });
      return '{}';
    };
    const asked = async (
      headers: readonly string[],
      trustedProxies: readonly string[],
      version = '1.1',
    ): Promise<unknown> => {
      const { port } = await listen(t, open, { answer, fromCache: () => undefined, trustedProxies });
      assert.match(await sendRaw(port, post(version, ...headers)), /200 OK/);
      return requestSources.pop();
    };
    const peer = { address: '127.0.0.1', isLocal: false };
    const [nobody, all] = [[], ['127.0.0.0/8']];
    assert.deepEqual(await asked([], nobody), { ...peer, isLocal: true });
    for (const header of [
      'Via: 1.1 cache',
      'X-Real-IP: 127.0.0.1',
      'X-Forwarded-For: 127.0.0.1',
      'Forwarded: for=127.0.0.1',
      'x-forwarded-proto: https',
    ])
      assert.deepEqual(await asked([header], nobody), peer, header);
    assert.deepEqual(await asked([], all), peer, 'from a trusted proxy');
    const forged = ['X-Forwarded-For: 127.0.0.1', 'X-Forwarded-For: 203.0.113.9'];
    assert.deepEqual(await asked(forged, all), { address: '203.0.113.9', isLocal: false });
    assert.deepEqual(await asked(forged, nobody), peer);
    if (name === 'node:http') assert.deepEqual(await asked([], nobody, '1.0'), peer);
  });

  test(`${name}: a WebSocket has the client of its first request`, async (t) => {
    const requestSources: RequestSource[] = [];
    const answer = (_: Buffer, requestSource: RequestSource): string => (requestSources.push(requestSource), '{}');
    const hear = async (
      headers: Readonly<Record<string, string>>,
      trustedProxies: readonly string[],
    ): Promise<RequestSource | undefined> => {
      const { port } = await listen(t, open, { answer, fromCache: () => undefined, trustedProxies });
      const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers });
      socket.once('open', () => socket.send('{}'));
      await new Promise((resolve) => socket.once('message', resolve));
      socket.close();
      return requestSources.pop();
    };
    assert.equal((await hear({}, []))?.isLocal, true);
    const far = await hear({ 'X-Forwarded-For': '203.0.113.9' }, ['127.0.0.1']);
    assert.deepEqual([far?.address, far?.isLocal], ['203.0.113.9', false]);
    assert.ok(far?.subscriber !== undefined);
  });

  test(`${name}: the connections of a trusted proxy are not limited as those of one client are`, async (t) => {
    const few = { connectionsPerAddress: 2 };
    const pending: (() => void)[] = [];
    const answer = async (): Promise<string> => await new Promise((resolve) => pending.push(() => resolve('{}')));
    const { port } = await listen(t, open, { answer, fromCache: () => undefined, trustedProxies: ['127.0.0.1'] }, few);
    const answers = [1, 2, 3, 4].map(async (k) => await sendRaw(port, post('1.1', `X-Forwarded-For: 203.0.113.${k}`)));
    while (pending.length < 4) await new Promise((resolve) => void setTimeout(resolve, 5));
    for (const end of pending) end();
    for (const text of await Promise.all(answers)) assert.match(text, /200 OK/);
  });
}
