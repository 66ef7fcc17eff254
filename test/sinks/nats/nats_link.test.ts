import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { connectToNats } from '../../../src/sinks/nats/nats_link.ts';
import { RefusedConnection } from '../../../src/sinks/sink.ts';

/** A server that greets as NATS does, and resets each connection that begins TLS: no alert arrives. */
async function resettingServer(t: TestContext, greeting: string): Promise<string> {
  const server = createServer((socket) => {
    socket.write(`INFO ${greeting} \r\n`);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.resetAndDestroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address() as AddressInfo;
  return `127.0.0.1:${address.port}`;
}

test('a server that wants a certificate is told to want one, although its alert is lost with the connection', async (t) => {
  const server = await resettingServer(t, '{"tls_required":true,"tls_verify":true}');
  await assert.rejects(connectToNats({ servers: [server], tls: {} }, 'test'), (error: unknown) => {
    assert.ok(error instanceof RefusedConnection, String(error));
    assert.match(error.message, /wants a certificate of this client .*sink-nats-tls-cert/);
    return true;
  });
});

test('a broken connection to a server that wants no certificate is told as it is', async (t) => {
  const server = await resettingServer(t, '{"tls_required":true}');
  await assert.rejects(connectToNats({ servers: [server], tls: {} }, 'test'), /ECONNRESET|disconnected/);
});
