import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HandshakeGate } from '../../../src/p2p/peers/handshake_gate.ts';

const known = '203.0.113.7';
const seed = '198.51.100.8';
const gate = (): HandshakeGate =>
  new HandshakeGate({ isKnown: (host) => host === known || host === seed, isChosen: (host) => host === seed }, 0);
const nobody = (): void => undefined;

test('an address has two unfinished handshakes and a group four; loopback as many as there are places', () => {
  const handshakes = gate();
  assert(handshakes.admit('1.2.3.4', 0, nobody) && handshakes.admit('1.2.3.4', 0, nobody));
  assert.equal(handshakes.admit('1.2.3.4', 0, nobody), undefined);
  assert(handshakes.admit('1.2.3.5', 0, nobody) && handshakes.admit('1.2.3.6', 0, nobody));
  assert.equal(handshakes.admit('1.2.3.7', 0, nobody), undefined);
  for (let count = 0; count < 20; count++) assert(handshakes.admit('127.0.0.1', 0, nobody));
  assert.equal(handshakes.refused, 2);
});

test('where the operator has named a seed there may be many of them, as behind one router', () => {
  const handshakes = gate();
  for (let count = 0; count < 20; count++) assert(handshakes.admit(seed, 0, nobody), `the ${count + 1}th`);
  assert(handshakes.admit(known, 0, nobody) && handshakes.admit(known, 0, nobody));
  assert.equal(handshakes.admit(known, 0, nobody), undefined, 'who was merely reached once is one address');
});

test('an address begins ten handshakes a second, all strangers together half of what there is', () => {
  const handshakes = gate();
  let [own, all] = [0, 0];
  for (let count = 0; count < 100; count++) {
    const place = handshakes.admit('1.2.3.4', 0, nobody);
    if (place === undefined) continue;
    own++;
    handshakes.end(place);
  }
  assert.equal(own, 10);
  for (let count = 0; count < 100; count++) {
    const place = handshakes.admit(`9.${count}.1.1`, 0, nobody);
    if (place === undefined) continue;
    all++;
    handshakes.end(place);
  }
  assert.equal(own + all, 25);
  // Whom we know has credit of his own.
  assert(handshakes.admit(known, 0, nobody));
  // A second later there is as much again.
  assert(handshakes.admit('1.2.3.4', 1000, nobody));
});

test('when the places of strangers are full the oldest of the largest group goes, and never one whom we know', () => {
  const handshakes = gate();
  const dropped: string[] = [];
  let nowMs = 0;
  const admit = (host: string): boolean =>
    handshakes.admit(host, (nowMs += 100), () => dropped.push(host)) !== undefined;
  assert(admit(known));
  for (let third = 1; third <= 3; third++) assert(admit(`5.5.5.${third}`));
  for (let count = 0; count < 29; count++) assert(admit(`7.${count}.1.1`));
  assert.equal(dropped.length, 0);
  assert(admit('8.8.8.8'));
  assert.deepEqual(dropped, ['5.5.5.1']);
  for (let count = 0; count < 10_000; count++) admit(`${10 + (count % 80)}.${count % 250}.${count % 3}.1`);
  assert(handshakes.unfinished <= 64);
  assert(!dropped.includes(known));
});

test('ten thousand connections a second take a bounded number of handshakes, and somebody known gets in', () => {
  const handshakes = gate();
  let admitted = 0;
  for (let count = 0; count < 10_000; count++) {
    const nowMs = count / 10;
    if (
      handshakes.admit(`${1 + (count % 200)}.${count % 256}.${(count * 7) % 256}.${count % 256}`, nowMs, nobody) !==
      undefined
    )
      admitted++;
    if (count % 1000 === 999) assert(handshakes.admit(known, nowMs, nobody) !== undefined || handshakes.unfinished > 0);
  }
  assert(admitted <= 50, `${admitted} handshakes`);
});
