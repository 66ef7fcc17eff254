import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, echo, echoed, show } from './sample_calls.ts';
import { Client, listen, post, sendRaw, servers } from './servers.ts';

for (const [name, open] of servers) {
  test(`${name}: a stranger's Host is refused unless it is allowed`, async (t) => {
    const { port } = await listen(t, open, { allowedHosts: ['node.example'] });
    const hostIs = async (host: string): Promise<string> =>
      await sendRaw(port, post(echo).replace('Host: localhost', `Host: ${host}`), '\r\n\r\n');
    for (const host of ['evil.example', 'localhost.evil.example', '10.0.0.1', `evil.example:${port}`])
      assert.match(await hostIs(host), /^HTTP\/1.1 403 /, host);
    for (const host of ['localhost', `127.0.0.1:${port}`, '[::1]:80', 'Node.Example:8090'])
      assert.match(await hostIs(host), /^HTTP\/1.1 200 /, host);
    await assert.rejects(Client.open(t, port, { host: 'evil.example' }), /the server answers 403/);
  });

  test(`${name}: on a public bind an address is as good as a name, a stranger's name is not`, async (t) => {
    const { port } = await listen(t, open, { host: '0.0.0.0' });
    const hostIs = async (host: string): Promise<string> =>
      await sendRaw(port, post(echo).replace('Host: localhost', `Host: ${host}`), '\r\n\r\n');
    assert.match(await hostIs('192.0.2.7:8090'), /^HTTP\/1.1 200 /);
    assert.match(await hostIs('evil.example'), /^HTTP\/1.1 403 /);
  });

  test(`${name}: CORS is off unless set`, async (t) => {
    const off = await listen(t, open);
    assert.equal((await ask(off.url, echo)).headers.get('access-control-allow-origin'), null);
    await assert.rejects(Client.open(t, off.port, { origin: 'https://evil.example' }), /the server answers 403/);
    const on = await listen(t, open, { corsOrigins: ['*'] });
    const { status, headers } = await show(on.url, 'OPTIONS');
    assert.deepEqual(
      [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')],
      [204, '*', 'Content-Type, X-Pharos-Min-Head'],
    );
    assert.equal(headers.get('access-control-expose-headers'), 'X-Pharos-Head');
    assert.equal((await ask(on.url, echo)).headers.get('access-control-allow-origin'), '*');
    const client = await Client.open(t, on.port, { origin: 'https://page.example' });
    assert.equal(await client.ask(echo), echoed);
  });

  test(`${name}: a page of a stranger reaches no method, in whatever form a browser sends it`, async (t) => {
    const asked: string[] = [];
    const answer = (body: Buffer): string => `${asked.push(body.toString())}`;
    const { url, port } = await listen(t, open, {
      answer,
      fromCache: () => undefined,
      corsOrigins: ['https://page.example'],
    });
    for (const origin of ['https://evil.example', 'null', 'http://localhost:3000', 'https://page.example.evil.example'])
      for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded']) {
        const { status, text, headers } = await ask(url, echo, { origin, 'content-type': type });
        assert.deepEqual([status, headers.get('access-control-allow-origin')], [403, null]);
        assert.match(text, /--http-cors/);
      }
    assert.deepEqual(asked, []);
    for (const origin of ['https://page.example', `http://127.0.0.1:${port}`])
      assert.equal((await ask(url, echo, { origin })).status, 200);
    assert.equal(
      (await ask(url, echo, { origin: 'https://page.example' })).headers.get('access-control-allow-origin'),
      'https://page.example',
    );
    assert.equal((await ask(url, echo)).headers.get('access-control-allow-origin'), null);
  });

  test(`${name}: pages of this machine are served where that is set, by whatever port they came`, async (t) => {
    const { url, port } = await listen(t, open, { corsOrigins: ['localhost'] });
    for (const origin of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:5173']) {
      const { text, headers } = await ask(url, echo, { origin });
      assert.deepEqual(
        [text, headers.get('access-control-allow-origin'), headers.get('vary')],
        [echoed, origin, 'Origin'],
      );
      assert.equal((await ask(url, '', { origin }, 'OPTIONS')).headers.get('access-control-allow-origin'), origin);
      assert.equal(await (await Client.open(t, port, { origin })).ask(echo), echoed);
    }
    for (const origin of [
      'http://localhost.evil.example',
      'http://evil.example/localhost',
      'http://10.0.0.1:3000',
      'ftp://localhost',
    ])
      assert.equal((await ask(url, echo, { origin })).status, 403, origin);
  });
}
