import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readTransaction, signedTransaction, signingDigest } from '../../src/blocks/transaction.ts';
import { ByteReader } from '../../src/codec/bytes.ts';
import { neutralEncoding } from '../../src/codec/encoding_options.ts';

const page = readFileSync(new URL('../../../src/pages/reference/wire_format.md', import.meta.url), 'utf8');
const example = page.slice(page.indexOf('### Worked example'), page.indexOf('## Signatures'));
const stated = (what: RegExp): string => what.exec(example)?.[1] ?? '';

test('the worked example of the wire format has the bytes, id, digest and leaf of its transfer', () => {
  const hex = Array.from(example.matchAll(/^\| `([0-9a-f ]+)`/gm), ([, digits = '']) => digits.replaceAll(' ', ''));
  const packed = readTransaction(new ByteReader(Buffer.from(`${hex.join('')}00`, 'hex')));
  const encoding = { ...neutralEncoding, operationForm: 'pair', dialect: 'legacy' } as const;
  assert.deepEqual(signedTransaction.toJson(packed.transaction, encoding), {
    ref_block_num: 42,
    ref_block_prefix: 1_144_201_745,
    expiration: '2020-06-26T12:00:00',
    operations: [['transfer', { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: 'hi' }]],
    extensions: [],
    signatures: [],
  });
  assert.equal(Buffer.from(packed.packed).toString('hex'), `${hex.join('')}00`);
  assert.equal(packed.id, stated(/Transaction id: `(\w+)`/));
  const digest = Buffer.from(signingDigest('00'.repeat(32), packed)).toString('hex');
  assert.equal(digest, stated(/Signing digest[^`]*:\s+`(\w+)`/));
  assert.equal(packed.leaf, stated(/Leaf of [^:]*:\s+`(\w+)`/));
});
