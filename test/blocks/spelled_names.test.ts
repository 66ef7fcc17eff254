import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBlock } from '../../src/blocks/block.ts';
import { readTransaction } from '../../src/blocks/transaction.ts';
import { ByteReader } from '../../src/codec/bytes.ts';
import { operationCodec } from '../../src/operations/index.ts';
import { encoding, openChain, produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';

// Whoever sends bytes may spell a name as the lineage reads it. It is read into its only form before anything is
// hashed, so that no signature and no id covers what is lost.

const parameters = testParameters();
const chain = openChain(parameters);
const sent = makeTransaction(chain, parameters, [transferJson('dave', 'bob', 1)], ['dave']);
chain.accept(sent);
const block = produce(chain);

/** The same bytes with another spelling of a name; its length stands before it. */
function spelled(bytes: Uint8Array, name: string, spelling: string): Buffer {
  const [was, is] = [name, spelling].map((text) =>
    Buffer.concat([Buffer.of(text.length), Buffer.from(text, 'latin1')]),
  );
  assert.ok(was !== undefined && is !== undefined);
  const at = Buffer.from(bytes).indexOf(was);
  assert.ok(at >= 0, name);
  return Buffer.concat([bytes.subarray(0, at), is, bytes.subarray(at + was.length)]);
}

test('a transaction that spells a name otherwise is the transaction of that name: its id and its bytes are', () => {
  for (const spelling of ['dave.anything', 'daveA', 'daveAAAA', 'dave\0', 'dave=x']) {
    const read = readTransaction(new ByteReader(spelled(sent.packed, 'dave', spelling)));
    assert.equal(read.id, sent.id, spelling);
    assert.deepEqual(Buffer.from(read.packed), Buffer.from(sent.packed));
  }
});

test('a block whose header spells its witness otherwise is the block of that witness', () => {
  for (const spelling of ['initminerA', 'initminerAAA']) {
    const read = readBlock(spelled(block.packed, 'initminer', spelling));
    assert.equal(read.id, block.id, spelling);
    assert.equal(read.header.witness, 'initminer');
    assert.deepEqual(Buffer.from(read.packed), Buffer.from(block.packed));
  }
});

test('in JSON such a name is refused with its first wrong character, where the lineage is not followed', () => {
  const given = transferJson('dave.anything', 'bob', 1);
  assert.throws(() => operationCodec.fromJson(given, encoding), /character 5 is "\."/);
  const read = operationCodec.fromJson(given, { ...encoding, readsLineage: true });
  assert.deepEqual(operationCodec.toJson(read, encoding), transferJson('dave', 'bob', 1));
});
