import assert from 'node:assert/strict';
import { parseMemo } from '../../src/crypto/wallet_memo.ts';
import type { Session } from '../../src/wallet/session.ts';
import { signingDigest, testSecret, verifies } from '../outside/signer.ts';
import { at, listMember, optionalMember, textMember, type Json } from '../outside/json.ts';
import { testKey, testKeyText } from '../builders/chain.ts';
import type { LyingProxy } from './lying_proxy.ts';
import type { Meant } from './meant.ts';

const SIGNERS = ['alice', 'bob', 'carol'];
/** Between reading the clock and the end of a command. */
export const PATIENCE_SECONDS = 20;

/** The signatures of a transaction; none of anything else. */
export function listSignatures(tx: Json): readonly string[] {
  const list = tx === null ? undefined : optionalMember(tx, 'signatures');
  return Array.isArray(list) ? list.map(String) : [];
}

/** Fails unless a transaction is what the person meant, and signed for the right chain by keys of the wallet alone. */
export async function requireMeant(
  tx: Json,
  { operations, expiration }: Meant,
  session: Session,
  proxy: LyingProxy,
  atMs: number,
): Promise<void> {
  const fees = listMember(tx, 'operations').map((operation) => textMember(operation, '1.fee'));
  for (const fee of fees) assert.match(fee, /^(?:0\.\d{6}|1\.000000) COIN$/);
  const total = fees.reduce((sum, fee) => sum + Number(fee.replace(' COIN', '')), 0);
  assert.ok(total <= 1, `${total} COIN of fees`);
  const expires = Date.parse(`${textMember(tx, 'expiration')}Z`) / 1000;
  if (expiration === undefined)
    assert.ok(expires <= atMs / 1000 + 60 + PATIENCE_SECONDS, `expires at ${textMember(tx, 'expiration')}`);
  else assert.equal(textMember(tx, 'expiration'), expiration);
  assert.deepEqual(listMember(tx, 'extensions'), []);
  const withoutFees = listMember(tx, 'operations').map((operation) => [
    at(operation, '0'),
    { ...Object(at(operation, '1')), fee: '' },
  ]);
  const keys = session.wallet.keys.keys().map(([key]) => key);
  assert.deepEqual(
    withoutFees.map(([kind, body]) => [kind, withoutChance(body, keys)]),
    operations.map(([kind, body]) => [kind, { ...body, fee: '' }]),
  );
  const unsigned = textMember(
    await proxy.real('database_api.get_transaction_hex', { trx: { ...Object(tx), signatures: [] } }),
    'result.hex',
  ).slice(0, -2);
  const digest = signingDigest(await proxy.trueChainId(), Buffer.from(unsigned, 'hex'));
  for (const signature of listSignatures(tx))
    assert.ok(
      SIGNERS.some((name) => verifies(signature, digest, testSecret(name))),
      'a signature of something else',
    );
}

/**
 * Replaces what is random in a body by its meaning: new keys of the wallet, and the recipients of an encrypted memo.
 */
function withoutChance(body: Json, keys: readonly string[]): Json {
  const text = JSON.stringify(body).replaceAll(/"(#[1-9A-Za-z]{100,})"/g, (_, memo: string) => {
    const parsed = parseMemo(memo);
    const sides = [parsed?.from, parsed?.to].map((side) => Buffer.from(side ?? []).toString('hex'));
    return JSON.stringify(
      `# from ${sides[0] === testKey('alice') ? 'alice' : 'somebody'} to ${sides[1] === testKey('bob') ? 'bob' : 'somebody'}`,
    );
  });
  const known = new Set(['alice', 'bob', 'carol'].map(testKeyText));
  assert.ok(keys.length >= SIGNERS.length);
  return JSON.parse(
    text.replaceAll(/PHR[1-9A-HJ-NP-Za-km-z]{50,}/g, (key) =>
      known.has(key) || key === testKeyText('new') || /^PHR1{20}/.test(key) ? key : 'fresh',
    ),
  );
}
