import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  endpointText,
  addressGroup,
  isLoopback,
  isPublic,
  parseEndpoint,
  wideAddressGroup,
} from '../../src/wire/addresses.ts';

test('numeric addresses are read and written, names and nonsense are not read', () => {
  for (const text of ['1.2.3.4:9290', '255.255.255.255:65535', '[2001:db8::1]:9290', '[::1]:1'])
    assert.equal(endpointText(parseEndpoint(text) ?? { host: '', port: 0 }), text);
  for (const text of [
    '',
    'seed.example:9290',
    '1.2.3:1',
    '1.2.3.256:1',
    '1.2.3.4',
    '1.2.3.4:0',
    '1.2.3.4:65536',
    '2001:db8::1:9290',
    '[1::2::3]:1',
    '[1:2:3:4:5:6:7:8:9]:1',
    '[::fffff]:1',
  ])
    assert.equal(parseEndpoint(text), undefined, text);
});

test('what one hand can easily have many of is one group', () => {
  assert.equal(addressGroup('1.2.3.4'), addressGroup('1.2.3.200'));
  assert.notEqual(addressGroup('1.2.3.4'), addressGroup('1.2.4.4'));
  assert.equal(wideAddressGroup('1.2.3.4'), wideAddressGroup('1.2.200.4'));
  assert.equal(addressGroup('2001:db8:1::1'), addressGroup('2001:0db8:0001:ffff::1'));
  assert.notEqual(addressGroup('2001:db8:1::1'), addressGroup('2001:db8:2::1'));
});

test('only addresses that can be reached from everywhere are public', () => {
  for (const host of ['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2001:db8::1', '223.255.255.1'])
    assert(isPublic(host), host);
  for (const host of [
    '10.1.2.3',
    '127.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '172.31.9.9',
    '169.254.1.1',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '0.0.0.0',
    '::1',
    'fe80::1',
    'fc00::1',
    'example.org',
  ])
    assert(!isPublic(host), host);
  assert(isLoopback('127.0.0.1') && isLoopback('::1') && !isLoopback('128.0.0.1'));
});
