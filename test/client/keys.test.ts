import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect, Refusal, type Client } from '../../src/client/index.ts';
import {
  decryptBytes,
  decryptMemo,
  encryptBytes,
  encryptMemo,
  generateKey,
  isPrivateKey,
  isPublicKey,
  keyOfBrainKey,
  keyOfSeed,
  derivePublicKey,
} from '../../src/client/keys.ts';
import { startChain, temporaryFolder, type Started } from '../wallet/programs.ts';

// Keys and what they encrypt are those of the node's own methods.

let node: Started;
let client: Client;
before(async () => {
  node = await startChain(join(temporaryFolder(), 'dev'));
  client = await connect(`http://127.0.0.1:${node.port}`);
});
after(async () => {
  client.close();
  await node.stop();
});

const refusedAs = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;

test('a new key is another one each time, and has the public key that the node computes', async () => {
  const [one, other] = [generateKey(), generateKey()];
  assert.notEqual(one, other);
  const { public_key } = await client.call('alexandria_api.get_public_key', { private_key: one });
  assert.equal(derivePublicKey(one), public_key);
  assert.equal(derivePublicKey(one, 'SPH'), public_key.replace('PHR', 'SPH'));
  assert.deepEqual([one, public_key, 'x', ''].map(isPrivateKey), [true, false, false, false]);
  assert.deepEqual(
    [one, public_key, `${public_key}x`].map((text) => isPublicKey(text)),
    [false, true, false],
  );
  assert.throws(() => derivePublicKey('no key'), refusedAs('not_a_private_key'));
  assert.throws(() => derivePublicKey(keyOfSeed('x').replace(/.$/, 'z')), refusedAs('not_a_private_key'));
});

test('a phrase gives the key that the node makes of it, whatever its case and blanks', async () => {
  const { key_pair } = await client.call('alexandria_api.generate_key_pair_from_brain_key', {
    brain_key: 'SOME WORDS THAT NOBODY KNOWS',
  });
  assert.equal(keyOfBrainKey(' some  words that\tnobody knows '), key_pair.wif_priv_key);
  assert.notEqual(keyOfBrainKey('some words that nobody knows', 1), key_pair.wif_priv_key);
  assert.equal(derivePublicKey(keyOfSeed('init_key')).slice(0, 3), 'PHR');
});

test('a memo is read by its sender and its recipient, and by nobody else', () => {
  const [mine, theirs, strange] = [generateKey(), generateKey(), generateKey()];
  const memo = encryptMemo('between us: ä €', mine, derivePublicKey(theirs));
  assert.match(memo, /^#[1-9A-Za-z]+$/);
  assert.deepEqual(
    [mine, theirs].map((key) => decryptMemo(memo, key)),
    ['between us: ä €', 'between us: ä €'],
  );
  assert.notEqual(encryptMemo('between us: ä €', mine, derivePublicKey(theirs)), memo);
  assert.throws(() => decryptMemo(memo, strange), refusedAs('not_for_this_key'));
  assert.throws(() => decryptMemo('in plain sight', mine), refusedAs('not_a_memo'));
  assert.throws(() => encryptMemo('', mine, 'PHR1'), refusedAs('not_a_public_key'));
});

test('bytes are encrypted as the node does it, both ways', async () => {
  const [mine, theirs] = [generateKey(), generateKey()];
  const bytes = new TextEncoder().encode('a document');
  const text = encryptBytes(bytes, mine, derivePublicKey(theirs));
  assert.deepEqual([...decryptBytes(text, theirs, derivePublicKey(mine))], [...bytes]);
  const params = { private_key: theirs, public_key: derivePublicKey(mine), data: text };
  const { decrypted_data } = await client.call('alexandria_api.decrypt_data', params);
  assert.equal(decrypted_data, 'a document');
  assert.throws(() => decryptBytes(text, generateKey(), derivePublicKey(mine)), refusedAs('not_for_this_key'));
});
