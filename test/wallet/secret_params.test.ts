import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neutralEncoding } from '../../src/codec/encoding_options.ts';
import { commands } from '../../src/wallet/commands/index.ts';

/** A command that is about one of these may take it as a param. */
const ABOUT_SECRETS = /brain|phrase|password|private|secret|wif/i;

/** Params of such commands that anybody may know, each with what it is. */
const HARMLESS: Readonly<Record<string, string>> = {
  'get_private_key.pubkey': 'a public key',
  'get_private_key_from_password.account': 'the name of an account',
};

/** Params that could hold a private key, a password or a brain key, by the words around them. */
const suspects = commands.flatMap(({ name, doc, params }) =>
  params
    .filter(({ codec }) => codec.describe(neutralEncoding)['type'] === 'string')
    .filter((param) => ABOUT_SECRETS.test(`${name} ${doc} ${param.name}`))
    .map((param) => ({ path: `${name}.${param.name}`, secret: param.secret })),
);

test('each param that is a brain key, a password or a private key is declared as secret', () => {
  const open = suspects.filter(({ secret, path }) => !secret && HARMLESS[path] === undefined);
  assert.deepEqual(open, []);
  const secrets = new Set(suspects.filter(({ secret }) => secret).map(({ path }) => path));
  for (const path of ['unlock.password', 'import_key.wif_key', 'normalize_brain_key.s'])
    assert.ok(secrets.has(path), path);
});

test('what is excepted exists, and no example shows a secret', () => {
  const paths = new Set(suspects.map(({ path }) => path));
  assert.deepEqual(
    Object.keys(HARMLESS).filter((path) => !paths.has(path)),
    [],
  );
  for (const { example, name, params } of commands) {
    const open = params.filter(({ secret }) => !secret).length;
    if (params.length > open) assert.ok(example.split(' ').length <= 1 + open, `${name}: ${example}`);
  }
});
