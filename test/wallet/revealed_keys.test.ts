import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { quietPort, startChain, startDaemon, temporaryFolder, writeWallet, type Daemon, type Started } from './programs.ts';

// The real program: a wallet that has bob's key only, and a development chain, where alice has hers.

const WIF = {
  alice: '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK',
  bob: '5JoQtsKQuH8hC9MyvfJAqo6qmKLm8ePYNucs7tPu2YxG12trzBt',
};

const folder = temporaryFolder();
let chain: Started;
let daemon: Daemon;

before(async () => {
  chain = await startChain(join(folder, 'chain'), await quietPort(), '--fresh');
  const file = join(folder, 'wallet.json');
  await writeWallet(file, WIF.bob);
  daemon = await startDaemon('--wallet-file', file, '--server', `http://127.0.0.1:${chain.port}`, '--trust-time', '--yes');
  await ask('unlock', 'pw');
});

after(async () => {
  await daemon.stop();
  await chain.stop();
});

/** The result of a command, or the message of its error. */
async function ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${daemon.port}/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Connection: 'close', ...daemon.headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = JSON.parse(await response.text()) as { result?: unknown; error?: { message: string } };
  return error?.message ?? result;
}

/** Each command that sends text of the person's choice, with that text. */
const commandsWith = (text: string): readonly (readonly [string, ...unknown[]])[] => [
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

const documentWith = (json: string): readonly unknown[] => [
  ['custom_json', { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: 1, json }],
];

test('no command signs a text with a key of its sender or of the wallet', async () => {
  for (const [wif, message] of [
    [WIF.alice, 'Detected private owner key in memo field. Cancelling transaction.'],
    [WIF.bob, 'Detected imported private key in memo field. Cancelling transaction.'],
  ] as const) {
    for (const [method, ...params] of commandsWith(`my key is ${wif}, keep it`)) {
      assert.ok(String(await ask(method, ...params)).endsWith(message), `${method} ${JSON.stringify(params)}`);
    }
    assert.ok(String(await ask('build_transaction', documentWith(wif))).endsWith(message));
  }
});

test('no command signs or sends such a text in a transaction that was made elsewhere', async () => {
  const built = await ask('build_transaction', documentWith('{}'));
  assert.ok(typeof built === 'object' && built !== null, String(built));
  const leaky = (wif: string): object => ({ ...built, operations: documentWith(JSON.stringify({ wif })), signatures: [] });
  assert.match(String(await ask('sign_transaction', leaky(WIF.alice), false)), /Detected private owner key/);
  assert.match(String(await ask('broadcast_transaction', leaky(WIF.alice))), /Detected private owner key/);
  assert.match(
    String(await ask('sign_transaction_offline', leaky(WIF.bob), [])),
    /Detected imported private key|has not signed for any chain/,
  );
});
