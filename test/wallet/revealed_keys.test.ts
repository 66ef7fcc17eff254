import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ChainAndDaemon, WIF } from './chain_and_daemon.ts';

// The real program: a wallet that has bob's key only, and a development chain, where alice has hers.

let programs: ChainAndDaemon;

before(async () => {
  programs = await ChainAndDaemon.start([WIF.bob]);
  await ask('unlock', 'pw');
});

after(() => programs.stop());

/** The result of a command, or the message of its error. */
async function ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
  return await programs
    .ask<unknown>(method, ...params)
    .catch((error: unknown) => (error instanceof Error ? error.message : error));
}

/** Each command that sends text of the person's choice, with that text. */
const makeCommands = (text: string): readonly (readonly [string, ...unknown[]])[] => [
  ['transfer', 'alice', 'bob', '1 COIN', text, false],
  ['transfer', 'alice', 'bob', '1 COIN', `#${text}`, false],
  ['get_encrypted_memo', 'alice', 'bob', `#${text}`],
  ['send_custom_json_document', 1, 'alice', ['bob'], JSON.stringify({ note: text }), false],
  ['send_custom_binary_document', 1, 'alice', ['bob'], Buffer.from(text).toString('base64'), false],
  ['update_account_meta', 'alice', JSON.stringify({ note: text }), false],
  ['create_account', 'alice', 'seed of nobody', JSON.stringify({ note: text }), false],
  ['create_application', 'alice', 'leaky', `https://example.org/?note=${text}`, '{}', 0, false],
  ['create_application', 'alice', 'leaky', 'https://example.org', JSON.stringify({ note: text }), 0, false],
];

const makeDocument = (json: string): readonly unknown[] => [
  ['custom_json', { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: 1, json }],
];

test('no command signs a text with a key of its sender or of the wallet', async () => {
  for (const [wif, message] of [
    [WIF.alice, 'Detected private owner key in memo field. Cancelling transaction.'],
    [WIF.bob, 'Detected imported private key in memo field. Cancelling transaction.'],
  ] as const) {
    for (const [method, ...params] of makeCommands(`my key is ${wif}, keep it`)) {
      assert.ok(String(await ask(method, ...params)).endsWith(message), `${method} ${JSON.stringify(params)}`);
    }
    assert.ok(String(await ask('build_transaction', makeDocument(wif))).endsWith(message));
  }
});

test('no command signs or sends such a text in a transaction that was made elsewhere', async () => {
  const built = await ask('build_transaction', makeDocument('{}'));
  assert.ok(typeof built === 'object' && built !== null, String(built));
  const leaky = (wif: string): object => ({
    ...built,
    operations: makeDocument(JSON.stringify({ wif })),
    signatures: [],
  });
  assert.match(String(await ask('sign_transaction', leaky(WIF.alice), false)), /Detected private owner key/);
  assert.match(String(await ask('broadcast_transaction', leaky(WIF.alice))), /Detected private owner key/);
  assert.match(
    String(await ask('sign_transaction_offline', leaky(WIF.bob), [])),
    /Detected imported private key|has not signed for any chain/,
  );
});
