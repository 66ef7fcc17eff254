import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inLongForm } from '../builders/forms.ts';
import { chainFlags, MEMBERS, WIF, type Transaction } from './chain_and_daemon.ts';
import { atTerminal, runWallet, startChain, temporaryFolder, writeWallet, type Started } from './programs.ts';

// Commands that a person types, or a script runs, on a development chain.

const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);
let chain: Started;

const node = (): string[] => chainFlags(chain);
const wallet = (name: string): string[] => ['--wallet-file', file(name)];

/** The result of a command. */
function ask(method: string, ...params: readonly (string | number | boolean)[]): ReturnType<typeof JSON.parse> {
  const args = [...wallet('keys.json'), ...node(), '--expiration-seconds', '3600', '--json', method];
  const { code, out, err } = runWallet([...args, ...params.map(String)], { password: 'pw' });
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

before(async () => {
  chain = await startChain(file('chain'), 0, '--fresh');
  await writeWallet(file('keys.json'), ...Object.values(WIF));
  // The first signature of a wallet names the chain that it signs for from now on.
  ask('transfer', 'alice', 'bob', '1 COIN', '', false);
});

after(() => chain.stop());

test('whoever types a transfer is told whether it was sent, and programs read nothing but the result', () => {
  const said = (...args: string[]): { code: number | null; out: string; err: string } =>
    runWallet([...wallet('keys.json'), ...node(), '--expiration-seconds', '3600', ...args], { password: 'pw' });
  const transfer = ['transfer', 'alice', 'bob', '1 COIN', 'told'];
  for (const flag of [[], ['false']]) {
    const signed = said(...transfer, ...flag);
    assert.equal(signed.code, 0);
    assert.match(
      signed.err,
      /^pharos wallet: sent now: alice -1\.010000 COIN \(then .*\npharos wallet: not sent: add true to send it\n$/,
    );
    assert.deepEqual(Object.keys(JSON.parse(signed.out) as object), MEMBERS);
    assert.equal(said('--json', ...transfer, ...flag).err, '');
  }
  const sent = said(...transfer, 'true');
  const { block_num } = JSON.parse(sent.out) as Transaction;
  assert.deepEqual([sent.code, sent.err], [0, `pharos wallet: sent, in block ${block_num}\n`]);
  assert.equal(said('--json', ...transfer, 'true').err, '');
  assert.equal(said('get_account', 'alice').err, '');
});

test('three wallets sign a 2-of-3 transfer from files', inLongForm, async () => {
  await writeWallet(file('one.json'), WIF.alice);
  await writeWallet(file('two.json'), WIF.bob);
  await writeWallet(file('three.json'), WIF.carol);
  const fetchKey = (name: string): string => ask('get_account', name)[0].memo_key;
  ask('create_account', 'alice', 'shared', '{}', true);
  const shared: string = ask('get_account_name_from_seed', 'shared');
  ask('transfer', 'alice', shared, '10 COIN', '', true);
  for (const name of ['alice', 'bob', 'carol'])
    ask('update_account_auth_key', shared, 'active', fetchKey(name), 1, true);
  const [fresh]: { active: { key_auths: [string, number][] } }[] = ask('get_account', shared);
  const known = new Set(['alice', 'bob', 'carol'].map(fetchKey));
  const own = fresh?.active.key_auths.find(([key]) => !known.has(key))?.[0] ?? '';
  ask('update_account_auth_threshold', shared, 'active', 2, true);
  ask('update_account_auth_key', shared, 'active', own, 0, true);

  const run = (name: string, ...args: string[]): ReturnType<typeof runWallet> =>
    runWallet([...wallet(name), ...node(), ...args], { password: 'pw' });
  const transfer = ['transfer', shared, 'bob', '1 COIN', 'together'];
  assert.equal(run('one.json', '--expiration-seconds', '3600', '--out', file('one.tx'), ...transfer, 'false').code, 0);
  const one = JSON.parse(readFileSync(file('one.tx'), 'utf8')) as Transaction;
  assert.equal(one.signatures.length, 1);
  const alone = run('one.json', 'broadcast_transaction', `@${file('one.tx')}`);
  assert.deepEqual(
    [
      alone.code,
      /the active authority of \S+ is missing: it asks for a weight of 2, of which 1 is there, by PHR/.test(alone.err),
    ],
    [5, true],
  );
  // Two others sign copies of their own; whoever has both puts them together.
  for (const name of ['two', 'three']) {
    writeFileSync(file(`${name}.tx`), JSON.stringify({ ...one, signatures: [] }));
    assert.equal(
      run(`${name}.json`, '--out', file(`${name}.tx`), 'sign_transaction', `@${file(`${name}.tx`)}`, 'false').code,
      0,
    );
  }
  assert.equal(
    run('three.json', '--out', file('all.tx'), 'combine_transactions', `@${file('two.tx')}`, `@${file('three.tx')}`)
      .code,
    0,
  );
  const sent = run('one.json', '--json', 'broadcast_transaction', `@${file('all.tx')}`);
  assert.equal(sent.code, 0, sent.err);
  assert.ok((JSON.parse(sent.out) as Transaction).block_num > 0);
  // The second signer of a transaction that one has signed completes it and sends it.
  assert.equal(run('one.json', '--expiration-seconds', '3600', '--out', file('next.tx'), ...transfer, 'false').code, 0);
  const completed = run('two.json', '--json', 'sign_transaction', `@${file('next.tx')}`, 'true');
  assert.equal(completed.code, 0, completed.err);
  assert.equal((JSON.parse(completed.out) as Transaction).signatures.length, 2);
  // A third signature would be refused by the chain, so nobody adds one.
  const third = run('three.json', '--json', 'sign_transaction', `@${file('all.tx')}`, 'false');
  assert.equal((JSON.parse(third.out) as Transaction).signatures.length, 2);
});

test('a transaction is signed on a machine without a node', async () => {
  const operations = '[["transfer",{"from":"alice","to":"bob","amount":"1 COIN","memo":"offline"}]]';
  const built = runWallet([
    '--wallet-file',
    file('watching.json'),
    ...node(),
    '--expiration-seconds',
    '3600',
    '--out',
    file('built.tx'),
    'build_transaction',
    operations,
  ]);
  assert.equal(built.code, 0, built.err);
  const { chain_id }: { chain_id: string } = ask('about');
  await writeWallet(file('cold.json'), WIF.alice);
  const sign = [
    '--offline',
    '--trust-time',
    '--out',
    file('signed.tx'),
    'sign_transaction_offline',
    `@${file('built.tx')}`,
    '[PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv]',
  ];
  const unknown = runWallet([...wallet('cold.json'), ...sign], { password: 'pw' });
  assert.deepEqual([unknown.code, /--chain-id/.test(unknown.err)], [2, true]);
  assert.equal(runWallet([...wallet('cold.json'), '--chain-id', chain_id, ...sign], { password: 'pw' }).code, 0);
  const sent = runWallet([
    '--wallet-file',
    file('watching.json'),
    ...node(),
    '--json',
    'broadcast_transaction',
    `@${file('signed.tx')}`,
  ]);
  assert.equal(sent.code, 0, sent.err);
  assert.ok((JSON.parse(sent.out) as Transaction).block_num > 0);
});

test('one command answers with a table or JSON, and with an exit code', () => {
  const shown = runWallet([...wallet('keys.json'), ...node(), 'get_account', 'alice']);
  assert.match(shown.out, /^ACCOUNT +BALANCE +VESTING SHARES/);
  const json = runWallet([...wallet('keys.json'), ...node(), '--json', 'get_account', 'alice']);
  assert.equal((JSON.parse(json.out) as { name: string }[])[0]?.name, 'alice');
  const history = runWallet([...wallet('keys.json'), ...node(), 'get_account_history', 'alice', '-1', '3']);
  assert.match(history.out, /^ *# +BLOCK +TIME +TRANSACTION +OPERATION +DETAILS\n/);
  const codes = (...args: string[]): number | null =>
    runWallet([...wallet('keys.json'), ...node(), ...args], { password: 'pw' }).code;
  assert.deepEqual(
    [
      codes('nope'),
      codes('transfer', 'alice'),
      codes('transfer', 'alice', 'bob', 'much', ''),
      codes('get_account', 'nobody'),
      codes('get_account', 'a', 'b'),
      codes('list_keys', '--password-file', file('missing')),
    ],
    [2, 2, 2, 5, 2, 2],
  );
  assert.equal(runWallet([...wallet('keys.json'), ...node(), 'list_keys'], { password: 'wrong' }).code, 2);
  assert.equal(runWallet(['--server', 'ws://127.0.0.1:1', 'info']).code, 1);
  writeFileSync(file('rotten.json'), '{"format":"pharos-wallet","version":1}');
  assert.equal(runWallet([...wallet('rotten.json'), 'is_new']).code, 3);
});

test('at a terminal: passwords hidden, commands completed, lines kept without secrets', () => {
  const args = [...wallet('terminal.json'), ...node()];
  const shown = atTerminal(args, [
    ['new >>> ', 'set_pass'],
    ['set_pass', '\t'],
    ['word ', '\r'],
    ['new_password: ', 'secret words\r'],
    ['new_password again: ', 'secret words\r'],
    ['locked >>> ', 'transfer alice bob "1 COIN" "" true\r'],
    ['is locked; unlock', 'unlock\r'],
    ['password: ', 'wrong\r'],
    ['wrong password', 'unlock "secret words"\r'],
    ['unlocked >>> ', `import_key ${WIF.alice}\r`],
    ['unlocked >>> ', 'transfer alice bob "1 COIN" "from the prompt" true\r'],
    ['unlocked >>> ', 'get_account bo'],
    ['get_account bo', '\t'],
    ['b ', '\r'],
    ['unlocked >>> ', 'gethelp transfer\r'],
    ['Example:', 'transfer alice\r'],
    ['too few arguments', `transfer alice bob "1 COIN" "" false > ${file('prompt.tx')}\r`],
    ['not sent: add true to send it', '\u0004'],
  ]);
  assert.match(shown, /sent, in block \d+/);
  assert.match(shown, /on chain [0-9a-f]{64}/);
  assert.match(shown, /"memo": "from the prompt"/);
  assert.match(shown, /bob +\d+\.\d{6} COIN/);
  assert.ok(!shown.includes('    at '), 'no stack traces');
  assert.ok(!/password: secret/.test(shown), 'typed passwords are not shown');
  const history = readFileSync(`${file('terminal.json')}.history`, 'utf8');
  assert.ok(!/secret|wrong|5J9b/.test(history), history);
  assert.ok(history.includes('transfer alice bob "1 COIN" "from the prompt" true\n'));
  assert.equal((JSON.parse(readFileSync(file('prompt.tx'), 'utf8')) as Transaction).signatures.length, 1);
});

test('a script behind a pipe gets results, and the exit code of what failed', () => {
  const input = '# a comment\n\nunlock\npw\nget_account alice\nnope\n';
  const ended = runWallet([...wallet('keys.json'), ...node(), '--json'], { input });
  assert.match(ended.out, /^password: null\n\[\n {2}\{\n {4}"id": /);
  assert.match(ended.out, /there is no command nope; help lists all\n$/);
  assert.equal(ended.code, 2);
});
