import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ownEnvironment } from '../builders/own_environment.ts';
import { CLI } from './program.ts';
import { Site, type Finished } from './site.ts';

const site = new Site();
after(() => site.clear());

async function create(...words: readonly string[]): Promise<Finished> {
  return await site.run(['genesis', 'create', ...words]);
}

/** Returns the main thread's notices in the log; other threads log meanwhile. */
function logged(stderr: string): string {
  return stderr
    .split('\n')
    .flatMap((line) =>
      line.startsWith('{"level":35') && line.includes('"thread":"front"') ? [String(Object(JSON.parse(line)).msg)] : [],
    )
    .join('\n');
}

test('a genesis is made with a key file a witness, explained the same by create, check and the first start of a node', async () => {
  writeFileSync(site.path('accounts.csv'), 'name,key,balance,witness\nanna,,1000000\nben,,50000,witness\n');
  const words = ['--name', 'my-chain', '--witnesses', '3', '--accounts', 'accounts.csv', '--out', 'own/genesis.json'];
  const made = await create(...words, '--keys', 'keys', '--set', 'block_interval=1 second');
  assert.equal(made.code, 0, made.stderr);
  const files = ['anna.key', 'ben.key', 'initminer.key', 'initminer.signing.key', 'witness2.key'];
  assert.deepEqual(readdirSync(site.path('keys')).toSorted(), files);
  for (const file of files) assert.equal(statSync(site.path('keys', file)).mode & 0o777, 0o600, file);
  const checked = await site.run(['genesis', 'check', 'own/genesis.json']);
  assert.equal(checked.code, 0, checked.stderr);
  assert.match(
    checked.stdout,
    /^Chain\n {2}Its name is "my-chain"[^]*Supply 1072000\.000000 COIN[^]*anna 1000000\.000000 COIN, 93\.28 %/,
  );
  assert.ok(made.stdout.startsWith(checked.stdout), made.stdout);

  const flags = [
    '--genesis-json',
    'own/genesis.json',
    '--data-dir',
    'node',
    '--webserver-http-endpoint',
    '127.0.0.1:0',
  ];
  const production = [
    '--witness',
    'initminer',
    '--private-key-file',
    'keys/initminer.signing.key',
    '--enable-stale-production',
  ];
  const node = site.start(['run', ...flags, ...production]);
  await node.ready();
  const facts = checked.stdout.split('\n').flatMap((line) => /^ {2,}(\S.*)$/.exec(line)?.[1] ?? []);
  assert.ok(facts.length > 10);
  const told = logged(node.stderr).split('\n');
  assert.deepEqual(
    facts.filter((fact) => !told.includes(fact)),
    [],
  );
  assert.equal(await node.stop(), 0);
  const again = site.start(['run', ...flags]);
  await again.ready();
  const { number } = await again.health();
  assert.equal(
    logged(again.stderr).includes('Its name is'),
    number === 0,
    'a later start does not explain the chain anew',
  );
  assert.equal(await again.stop(), 0);
});

test('what is missing or wrong is named, and nothing is written then', async () => {
  writeFileSync(site.path('bad.csv'), 'anna,,1\nben,,much\n');
  const named = ['--name', 'x', '--out', 'none.json'];
  const cases: readonly (readonly [words: readonly string[], text: RegExp])[] = [
    [[], /missing: --name, --out/],
    [named, /--keys is missing: the keys of initminer, witness2, .* name a folder/],
    [[...named, '--preset', 'big'], /Allowed choices are private, public, development/],
    [[...named, '--witnesses', '0'], /a positive whole number expected/],
    [[...named, '--keys', 'none', '--witnesses', '256'], /max_witnesses: 1 to 255 expected, got 256/],
    [[...named, '--keys', 'none', '--accounts', 'bad.csv'], /bad\.csv, line 2: a balance such as/],
    [[...named, '--keys', 'none', '--accounts', 'nowhere.csv'], /cannot read nowhere\.csv/],
    [[...named, '--keys', 'none', '--set', 'max_witneses=3'], /the nearest member is max_witnesses/],
    [
      [...named, '--keys', 'none', '--set', 'block_interval=soon'],
      /block_interval: a time, such as .* expected, got soon/,
    ],
    [[...named, '--keys', 'none', '--set', 'impersonator=x'], /impersonator: it is for chains without value/],
    [[...named, '--keys', 'none', '--set', 'initial_accounts=x'], /initial_accounts: --accounts gives them/],
    [[...named, '--keys', 'none', '--set', 'hardfork_req_witnesses=4'], /5 to 7 of 7 expected, .* got 4/],
    [[...named, '--keys', 'none', '--signing-key', 'PHRx'], /signing-key: a public key/],
  ];
  for (const [words, text] of cases) {
    const { code, stderr, stdout } = await create(...words);
    assert.ok(
      [1, 2].includes(Number(code)) && text.test(stderr) && stdout === '',
      `${words.join(' ')}: ${code} ${stderr}`,
    );
  }
  for (const path of ['none.json', 'none']) assert.equal(existsSync(site.path(path)), false, path);
});

test('no key is left where the genesis can’t be written', async () => {
  writeFileSync(site.path('in_the_way'), '');
  for (const out of ['in_the_way/genesis.json', 'no_such_folder/']) {
    const { code, stderr } = await create('--name', 'n', '--witnesses', '1', '--out', out, '--keys', 'unused', '--yes');
    assert.deepEqual([code, stderr.includes(`cannot write ${out}: `)], [1, true], stderr);
    assert.ok(!existsSync(site.path('unused')));
  }
});

test('neither a genesis nor a key is ever overwritten', async () => {
  const words = ['--name', 'x', '--witnesses', '1'];
  assert.equal((await create(...words, '--out', 'one.json', '--keys', 'one')).code, 0);
  const [genesis, key] = ['one.json', 'one/initminer.key'].map((path) => readFileSync(site.path(path), 'utf8'));
  const same = await create(...words, '--out', 'one.json', '--keys', 'two');
  assert.deepEqual([same.code, /one\.json is there already/.test(same.stderr)], [2, true], same.stderr);
  const keys = await create(...words, '--out', 'two.json', '--keys', 'one');
  assert.deepEqual([keys.code, /initminer\.key is there already/.test(keys.stderr)], [2, true], keys.stderr);
  assert.deepEqual(
    ['one.json', 'one/initminer.key'].map((path) => readFileSync(site.path(path), 'utf8')),
    [genesis, key],
  );
  assert.equal(existsSync(site.path('two.json')), false);
});

test('a damaged genesis file is refused with its line by check and by the node, in the same words', async () => {
  await create('--name', 'x', '--witnesses', '1', '--out', 'whole.json', '--keys', 'whole');
  const text = readFileSync(site.path('whole.json'), 'utf8');
  const line = text.split('\n').findIndex((each) => each.includes('"max_witnesses"')) + 1;
  writeFileSync(site.path('damaged.json'), text.replace('"max_witnesses": 1', '"max_witnesses": 1000'));
  const checked = await site.run(['genesis', 'check', 'damaged.json']);
  const expected = `damaged.json is no genesis of this program: line ${line}, max_witnesses: 1 to 255 expected, got 1000`;
  assert.deepEqual([checked.code, checked.stderr.includes(expected)], [2, true], checked.stderr);
  const node = await site.run(['run', '--genesis-json', 'damaged.json', '--data-dir', 'damaged']);
  assert.deepEqual([node.code, node.stderr.includes(expected)], [2, true], node.stderr);
});

test('at a terminal each rule is explained in a line with its default, and an answer that can’t be read is asked for again', () => {
  const steps: readonly (readonly [awaited: string, typed: string])[] = [
    ['Name of the chain: ', 'asked\r'],
    ['Preset [private]: ', 'large\r'],
    ['Preset [private]: ', '\r'],
    ['initminer included [7]: ', '4\r'],
    ['empty for none: ', '\r'],
    ['[genesis.json]: ', 'asked.json\r'],
    ['[keys]: ', 'asked\r'],
    ['initial_witness_req_vesting_balance [10000.000000 VESTS]: ', '5000\r'],
    ['minimum_vesting_seconds [0 seconds]: ', 'soon\r'],
    ['minimum_vesting_seconds [0 seconds]: ', '30 days\r'],
    ['vesting_withdraw_intervals [1]: ', '\r'],
    ['vesting_withdraw_interval_seconds [1 day]: ', '\r'],
    ['dilution_protection_percent [0]: ', '\r'],
    ['block_interval [3 seconds]: ', '1\r'],
    ['max_block_size [2048]: ', '\r'],
    ['max_witnesses [4]: ', '7\r'],
    ['max_voted_witnesses [7]: ', '\r'],
    ['hardfork_req_witnesses [5]: ', '\r'],
    ['finality [yes]: ', '\r'],
  ];
  const driver = fileURLToPath(new URL('../../../test/wallet/terminal.py', import.meta.url));
  const { status, stderr, stdout } = spawnSync(
    'python3',
    [driver, JSON.stringify(steps), process.execPath, CLI, 'genesis', 'create'],
    { cwd: site.folder, env: ownEnvironment, encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr + stdout);
  for (const words of [
    'private, public, development expected, got large',
    'Vesting lock: how long what was vested can’t be withdrawn.',
    'minimum_vesting_seconds: a time, such as 365 days, 12 hours or 3 seconds expected, got soon',
    'Irreversibility: whether votes',
    'Written: asked.json, and 5 keys below asked',
  ])
    assert.ok(stdout.includes(words), `${words}\n${stdout}`);
  const made: Record<string, unknown> = JSON.parse(readFileSync(site.path('asked.json'), 'utf8'));
  const { name, minimum_vesting_seconds, block_interval, max_witnesses, hardfork_req_witnesses, finality } = made;
  const said = [name, minimum_vesting_seconds, block_interval, max_witnesses, hardfork_req_witnesses, finality];
  assert.deepEqual(said, ['asked', 30 * 86_400, 1, 7, 5, true]);
  const stakes = [made['initial_witness_req_vesting_balance'], made['final_witness_req_vesting_balance']];
  assert.deepEqual(stakes, [5_000_000_000, 5_000_000_000]);
  assert.equal(readdirSync(site.path('asked')).length, 5);
});
