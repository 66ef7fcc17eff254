import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeOfMethods } from './node_of_methods.ts';

const node = new NodeOfMethods();
const ask = async (
  method: string,
  params: { [member: string]: string | string[] | number },
): Promise<Record<string, unknown>> => Object(await node.result(`alexandria_api.${method}`, params));

const digest = '27f9d273190f5f11b3ea85032eb3346911fed476a787e7a51300acdd6d80b0b6';

test('a generated pair of keys belongs together and signs', async () => {
  const { key_pair } = await ask('generate_key_pair', {});
  const { pub_key, wif_priv_key } = Object(key_pair);
  assert.deepEqual(await ask('get_public_key', { private_key: wif_priv_key }), { public_key: pub_key });
  const { signed_digest: signature } = Object(await ask('sign_digest', { digest, pk: wif_priv_key }));
  assert.deepEqual(await ask('verify_signature', { digest, pub_key, signature }), { signature_valid: true });
  const { key_pair: other } = Object(await ask('generate_key_pair_from_brain_key', { brain_key: 'WORD ONE TWO' }));
  assert.equal(other.wif_priv_key, '5J6SQSqzzUtQsjcJb3KhjXUCyScEfj83D8sdpfFAjAejGjDqhuu');
  assert.deepEqual(await ask('verify_signature', { digest, pub_key: other.pub_key, signature }), {
    signature_valid: false,
  });
  for (const broken of ['', 'zz', signature.slice(2), `00${signature.slice(2)}`]) {
    assert.deepEqual(await ask('verify_signature', { digest, pub_key, signature: broken }), { signature_valid: false });
  }
});

test('what is encrypted for somebody can be read by both sides and nobody else', async () => {
  const { key_pair: mine } = Object(await ask('generate_key_pair_from_brain_key', { brain_key: 'mine' }));
  const { key_pair: yours } = Object(await ask('generate_key_pair_from_brain_key', { brain_key: 'yours' }));
  const { encrypted_data: data } = Object(
    await ask('encrypt_data', { data: 'žluťoučký kůň', public_key: yours.pub_key, private_key: mine.wif_priv_key }),
  );
  const plain = { decrypted_data: 'žluťoučký kůň' };
  assert.deepEqual(
    await ask('decrypt_data', { data, public_key: mine.pub_key, private_key: yours.wif_priv_key }),
    plain,
  );
  assert.deepEqual(
    await ask('decrypt_data', { data, public_key: yours.pub_key, private_key: mine.wif_priv_key }),
    plain,
  );
  const wrong = await node.call('alexandria_api.decrypt_data', {
    data,
    public_key: mine.pub_key,
    private_key: mine.wif_priv_key,
  });
  assert.match(
    wrong.error?.message ?? '',
    /^the data was not encrypted between the private key and PHR\w+; give the keys of its two sides$/,
  );
  assert.equal(wrong.error?.data?.['lineage'], 'Assert Exception:check == m->check: Checksum does not match!');
  const none = await node.call('alexandria_api.decrypt_data', {
    data: 'short',
    public_key: mine.pub_key,
    private_key: mine.wif_priv_key,
  });
  assert.equal(none.error?.data?.['name'], 'not_a_record');
});

test('a private key that is none is refused, and not repeated', async () => {
  const secret = '5KsecretThatIsNone';
  for (const method of ['get_public_key', 'sign_digest']) {
    const { error } = await node.call(
      `alexandria_api.${method}`,
      method === 'sign_digest' ? { digest, pk: secret } : { private_key: secret },
    );
    assert.equal(
      error?.message,
      'the private key is not in wallet import format, which has 51 characters and begins with 5',
    );
    assert.equal(error.data?.['lineage'], 'Assert Exception:priv_key.has_value(): Malformed private key');
    assert.ok(!JSON.stringify(error).includes(secret));
  }
});

test('base64 goes both ways', async () => {
  const { base64_str } = Object(await ask('to_base64', { data: 'kůň+?>' }));
  assert.equal(base64_str, Buffer.from('kůň+?>').toString('base64'));
  assert.deepEqual(await ask('from_base64', { data: base64_str }), { str: 'kůň+?>' });
  assert.deepEqual(await ask('from_base64', { data: ' aGVs\nbG8= ' }), { str: 'hello' });
  const { op } = Object(
    await ask('make_custom_binary_operation', { app_id: 1, from: 'alice', to: ['carol', 'bob', 'bob'], data: 'aGk=' }),
  );
  assert.deepEqual(op[1], {
    fee: '0.000000 COIN',
    sender: 'alice',
    recipients: ['bob', 'carol'],
    app_id: 1,
    data: '6869',
  });
});

test('data that are no base64 to their end are refused with member and position', async () => {
  const binary = { app_id: 1, from: 'alice', to: ['bob'] };
  for (const [method, params] of [
    ['from_base64', {}],
    ['make_custom_binary_operation', binary],
  ] as const) {
    const { error } = await node.call(`alexandria_api.${method}`, { ...params, data: 'aGVs.bG8=' });
    assert.match(error?.message ?? '', /base64 expected, got "\." as character 5$/, method);
    assert.equal(error?.data?.['member'], 'data', method);
  }
  const { error } = await node.call('alexandria_api.from_base64', { data: '//8=' });
  assert.match(error?.message ?? '', /^the data are 2 bytes that are no valid UTF-8; a text can hold no others$/);
});
