import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bareTrail,
  Clients,
  isNetwork,
  isOfProxy,
  PostingClient,
  type ProxyTrail,
} from '../../../src/jsonrpc/http/clients.ts';

class ProxiedClient extends PostingClient {
  peer(): string {
    return '10.0.0.1';
  }
}

const proxies = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8'];
const clients = new Clients('0.0.0.0', proxies);
const forwardedTrail = (list: string): ProxyTrail => ({ ...bareTrail, forwardedFor: list });
const forwarded = (list: string): ProxyTrail => ({ ...bareTrail, forwarded: list });

test('the client is the last hop that is no trusted proxy, and what stands before it is not believed', () => {
  const table: readonly (readonly [peer: string, trail: ProxyTrail | undefined, address: string])[] = [
    ['198.51.100.1', undefined, '198.51.100.1'],
    // A stranger who says that he is a proxy.
    ['198.51.100.1', forwardedTrail('203.0.113.9'), '198.51.100.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', bareTrail, '10.0.0.1'],
    ['10.0.0.1', forwardedTrail('203.0.113.9'), '203.0.113.9'],
    ['10.0.0.1', forwardedTrail('127.0.0.1, 203.0.113.9'), '203.0.113.9'],
    ['10.0.0.1', forwardedTrail('1.1.1.1, 203.0.113.9, 192.0.2.7'), '203.0.113.9'],
    ['10.0.0.1', forwardedTrail('10.9.9.9, 192.0.2.7'), '10.9.9.9'],
    ['10.0.0.1', forwardedTrail('203.0.113.9:4711'), '203.0.113.9'],
    ['10.0.0.1', forwardedTrail('203.0.113.9, unknown'), '10.0.0.1'],
    ['10.0.0.1', forwardedTrail('203.0.113.9, _hidden, 192.0.2.7'), '192.0.2.7'],
    ['10.0.0.1', forwardedTrail(''), '10.0.0.1'],
    ['fd00::1', forwardedTrail('2001:db8::5'), '2001:db8::5'],
    ['10.0.0.1', forwardedTrail('[2001:db8::5]:443'), '2001:db8::5'],
    ['192.0.2.7', forwarded('for=203.0.113.9;proto=https'), '203.0.113.9'],
    ['192.0.2.7', forwarded('for=1.1.1.1, proto=https;For="[2001:db8::5]:4711"'), '2001:db8::5'],
    ['192.0.2.7', forwarded('for=1.1.1.1, for="10.0.0.4:80"'), '1.1.1.1'],
    ['192.0.2.7', forwarded('proto=https'), '192.0.2.7'],
    ['192.0.2.8', forwarded('for=203.0.113.9'), '192.0.2.8'],
    // Which of the two the client wrote can't be told.
    ['10.0.0.1', { forwardedFor: '203.0.113.9', forwarded: 'for=1.1.1.1' }, '10.0.0.1'],
    ['10.0.0.1', { forwardedFor: '1.1.1.1', forwarded: 'for=203.0.113.9;proto=https' }, '10.0.0.1'],
    ['10.0.0.1', { forwardedFor: '1.1.1.1, 203.0.113.9', forwarded: 'for=203.0.113.9' }, '203.0.113.9'],
  ];
  for (const [peer, trail, address] of table)
    assert.equal(clients.addressOf(peer, trail), address, `${peer} ${JSON.stringify(trail)}`);
});

test('only a program of this machine that comes through no proxy is local', () => {
  const local = (trail: ProxyTrail | undefined, peer: string, of = clients): boolean =>
    of.isLocal({ trail, address: peer });
  for (const peer of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
    assert.equal(local(undefined, peer), true, peer);
  for (const peer of ['10.0.0.1', '203.0.113.9', '::ffff:203.0.113.9', ''])
    assert.equal(local(undefined, peer), false, peer);
  assert.equal(local(bareTrail, '127.0.0.1'), false);
  assert.equal(local(forwardedTrail('127.0.0.1'), '127.0.0.1'), false);
  assert.equal(
    local(undefined, '127.0.0.1', new Clients('127.0.0.1', ['127.0.0.0/8'])),
    false,
    'a proxy on this machine',
  );
  const readsNoAddress = {
    trail: undefined,
    get address(): string {
      return assert.fail('the address costs time');
    },
  };
  assert.equal(new Clients('127.0.0.1', []).isLocal(readsNoAddress), true);
});

test('headers that show a proxy', () => {
  for (const name of ['via', 'forwarded', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'])
    assert.equal(isOfProxy(name), true, name);
  for (const name of ['host', 'user-agent', 'x-requested-with', 'origin']) assert.equal(isOfProxy(name), false, name);
});

test('clients behind one proxy are accountable for themselves', () => {
  const sender = (address: string): number => new ProxiedClient(clients, forwardedTrail(address)).senderIdOf();
  assert.equal(sender('203.0.113.9'), sender('203.0.113.9'));
  assert.notEqual(sender('203.0.113.9'), sender('203.0.113.10'));
});

test('addresses and networks are told from what is neither', () => {
  for (const text of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '0.0.0.0/0'])
    assert.equal(isNetwork(text), true, text);
  for (const text of ['', 'proxy', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', '10.0.0.1/', '10.0.0.1/8/8', '1.2.3.4:80'])
    assert.equal(isNetwork(text), false, text);
});

test('who is a proxy is the same at each look, however many addresses are looked at between', () => {
  const looks = ['10.0.0.1', '192.0.2.7', '198.51.100.1', 'fd00::1', '2001:db8::1', 'nowhere'];
  const said = (): readonly boolean[] => looks.map((address) => clients.isProxy(address));
  const first = said();
  assert.deepEqual(first, [true, true, false, true, false, false]);
  assert.deepEqual(said(), first);
  for (let k = 0; k < 3000; k++) assert.equal(clients.isProxy(`203.0.${k >> 8}.${k & 255}`), false);
  assert.deepEqual(said(), first);
});
