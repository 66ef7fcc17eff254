import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeWif } from '../../src/crypto/wif.ts';
import { withoutKeys } from '../../src/system/hidden_keys.ts';

test('private keys are left out of texts wherever they stand, and nothing else', () => {
  for (const last of [1, 7, 200]) {
    const wif = encodeWif(new Uint8Array(32).fill(last));
    assert.equal(
      withoutKeys(`unknown key "private-key: ${wif}" in node.ini`),
      'unknown key "private-key: (a private key)" in node.ini',
    );
    assert.equal(withoutKeys(`--${wif}=${wif}.`), '--(a private key)=(a private key).');
  }
  const others =
    'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv, 5 blocks, 59f2a0c5b8f5c6a3d0d5d2a3d7a1f1f7e6f2b9c8';
  assert.equal(withoutKeys(others), others);
});
