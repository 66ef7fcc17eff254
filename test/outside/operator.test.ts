import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testWif, witnessChain, type WitnessChain } from '../builders/witness_chain.ts';
import { inLongForm } from '../builders/forms.ts';
import { sealedKeys } from '../builders/sealed_keys.ts';
import { textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();
let chain: WitnessChain;
let node: Program;

const ELSEWHERE = '0.0.0.0';

/** A node of a chain with one witness, whose signing key lies in a file. */
async function begin(keyFile: string): Promise<Program> {
  const program = site.start([
    ...[
      'run',
      '--genesis-json',
      chain.genesisFile,
      '--data-dir',
      chain.dataFolder,
      '--webserver-http-endpoint',
      '127.0.0.1:0',
    ],
    ...[
      '--witness',
      'initminer',
      '--private-key-file',
      keyFile,
      '--enable-stale-production',
      '--required-participation',
      '0',
    ],
    // As a machine elsewhere would name it: the commands take it for none of this machine.
    ...['--allowed-host', ELSEWHERE],
  ]);
  await program.ready();
  return program;
}

before(async () => {
  chain = await witnessChain(site.path('origin'), 1, 0, {
    places: 3,
    requiredVesting: 250_000_000_000,
    poor: ['poor'],
    intervalSeconds: 1,
  });
  writeFileSync(site.path('first.key'), testWif('initminer'), { mode: 0o600 });
  node = await begin(site.path('first.key'));
  // Before its first slot there is nothing to show.
  const { number } = await node.health();
  await waitUntil('a block', async () => ((await node.health()).number > number ? true : undefined));
});

after(() => site.clear());

function programUrl({ port }: Program): string {
  return `http://127.0.0.1:${port}`;
}

/** Words of a line of the page, for files and the node of this test. */
function splitWords(line: string): string[] {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);
  assert.equal(words[0], 'pharos', line);
  const here = words.slice(1).map((word) => (/\.(?:key|json|sock)$/.test(word) ? site.path(word) : word));
  if (here[1] === 'journal') return [...here, '--signing-journal', `${chain.dataFolder}.signed`];
  return [...here, '--url', programUrl(node)];
}

function textOfGuide(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../src/pages/guides/${name}.md`, import.meta.url)), 'utf8');
}

/** The commands that the page shows for operators, of a witness that produces here. */
function shownLines(): string[] {
  const page = textOfGuide('operate_witness');
  const block = /```sh\n([^]*?)```/.exec(page)?.[1] ?? assert.fail('the page shows no commands');
  return block.trim().split('\n');
}

test('the commands of the page do what it says, on a chain whose witness produces', async () => {
  const [, ...others] = shownLines();
  assert.equal(others.length, 7);
  writeFileSync(site.path('wallet.json'), testWif('initminer'), { mode: 0o600 });
  const said = new Map<string, string>();
  for (const line of others) {
    const { code, stdout, stderr } = await site.run(splitWords(line.replaceAll('alice', 'initminer')));
    // A busy machine may be late for a slot, or not have one between pause and resume.
    const isLate = code === 7 && /^(?:[^\n]*paused[^\n]*\n)?\d+ slots were missed[^\n]*\n$/.test(stdout);
    assert.ok(code === 0 || isLate, `${line}\n${stdout}${stderr}`);
    said.set(line.split(' ')[2] ?? '', stdout);
  }
  assert.match(said.get('status') ?? '', /votes[^]*this node +makes its blocks\nnext slot +20[^]*slots +[|x]*\|/);
  assert.match(said.get('feed') ?? '', /"feed_publish".*0\.120000 USD[^]*in block/);
  assert.match(said.get('watch') ?? '', /does well|slots were missed/);
  assert.match(said.get('journal') ?? '', /signed here/);
  assert.match(said.get('rotate-key') ?? '', /from the next block on initminer signs with PHR/);

  // The old key fits no longer; with the new one it goes on.
  await waitUntil('the obstacle', async () => (await production()).includes('"obstacle":"key_replaced"') || undefined);
  const watched = await site.run(splitWords('pharos witness watch initminer'));
  assert.deepEqual([watched.code, watched.stdout.includes('its signing key was replaced')], [7, true], watched.stdout);
  const shown = await slotsShown();
  assert.equal(await node.stop(), 0);
  node = await begin(site.path('new.key'));
  assert.ok((await slotsShown()) >= shown, 'slots from before the start are shown');
  const { number } = await node.health();
  await waitUntil('a block with the new key', async () => ((await node.health()).number > number ? true : undefined));
});

/** Returns the node's report of its witnesses, as text. */
async function production(): Promise<string> {
  const told: Json = await node.result('witness_node_api.get_production');
  return JSON.stringify(told);
}

async function slotsShown(): Promise<number> {
  const { stdout } = await site.run(splitWords('pharos witness status initminer'));
  return Number(/\((\d+) of the last day/.exec(stdout)?.[1] ?? assert.fail(stdout));
}

test('a paused witness makes no blocks until it is resumed, says so, and watch ends with 7', async () => {
  assert.equal((await site.run(splitWords('pharos witness pause'))).code, 0);
  await waitUntil('a missed slot', async () => (await production()).includes('"reason":"paused"') || undefined);
  // A slot for which a busy machine woke too late has that as its reason, until the next one.
  await waitUntil('that status says so', async () => {
    const { stdout } = await site.run(splitWords('pharos witness status initminer'));
    return /the operator has paused it[^]*missed +20\S+ paused/.test(stdout) || undefined;
  });
  const watched = await site.run(splitWords('pharos witness watch initminer'));
  assert.deepEqual([watched.code, watched.stdout.includes('slots were missed')], [7, true], watched.stdout);
  assert.equal((await production()).includes('"is_paused":true'), true);
  const { number } = await node.health();
  assert.equal((await site.run(splitWords('pharos witness resume'))).code, 0);
  await waitUntil(
    'that nothing holds it back',
    async () => (await production()).includes('"obstacle":""') || undefined,
  );
  await waitUntil('a block', async () => ((await node.health()).number > number ? true : undefined));
});

test(
  'a price outside its limits, or from a source without a number, is not published; nothing is sent that nobody agreed to',
  inLongForm,
  async (context) => {
    writeFileSync(site.path('wallet.json'), testWif('initminer'), { mode: 0o600 });
    const feed = (...flags: readonly string[]): Promise<{ code: number | null; stderr: string; stdout: string }> =>
      site.run([
        'witness',
        'feed',
        'initminer',
        '--url',
        programUrl(node),
        '--wallet-file',
        site.path('wallet.json'),
        ...flags,
      ]);
    const limits = ['--least', '0.01', '--most', '1', '--yes'];
    const file = site.path('price');
    writeFileSync(file, 'COIN/USD: 0.13\n');
    const cases: readonly [readonly string[], number, RegExp][] = [
      [['--command', 'echo 0.001', ...limits], 1, /below --least/],
      [['--command', 'echo 5', ...limits], 1, /above --most/],
      [['--command', 'echo 0.9', ...limits], 1, /differs by 650 % from the last one/],
      [
        ['--command', 'echo 0.13', '--change-percent', 'much', ...limits],
        2,
        /--change-percent: a number expected, got much/,
      ],
      [['--command', 'echo 0.13', '--least', 'x', '--most', '1', '--yes'], 2, /--least: a number expected/],
      [['--command', 'echo 0.13; exit 3', ...limits], 1, /ended with code 3, nothing was published$/m],
      [['--command', 'echo -0.13', ...limits], 1, /-0\.13 is no plain number/],
      [['--command', 'echo 0,13', ...limits], 1, /0,13 is no plain number/],
      [['--command', 'echo 24h', ...limits], 1, /no number in it/],
      [['--command', 'echo 0.0000001', '--least', '0', '--most', '1', '--yes'], 1, /differs by 100 %/],
      [['--file', site.path('nowhere'), ...limits], 1, /cannot read .*nowhere, nothing was published/],
      [['--from', 'http://127.0.0.1:9/', ...limits], 1, /nothing was published$/m],
      [['--command', 'echo nothing', ...limits], 1, /no number in it/],
      [['--from', await endlessAnswer('no price', context), ...limits], 1, /no number in it/],
      [['--from', `${programUrl(node)}/nowhere`, ...limits], 1, /answer 404/],
      [['--command', 'echo 0.12', '--file', file, ...limits], 2, /one of --file/],
      [['--file', file, '--least', '0.01', '--most', '1'], 2, /nothing was sent/],
    ];
    assert.equal((await feed('--command', 'echo 0.12', ...limits)).code, 0);
    for (const [flags, code, text] of cases) {
      const answer = await feed(...flags);
      assert.deepEqual([answer.code, text.test(answer.stderr)], [code, true], `${flags.join(' ')}: ${answer.stderr}`);
    }
    assert.equal((await feed('--from', await endlessAnswer('COIN/USD: 0.13', context), ...limits)).code, 0);
    assert.equal((await feed('--file', file, ...limits)).code, 0);
    const small = ['--least', '0', '--most', '1', '--change-percent', '100', '--yes'];
    const tiny = await feed('--command', 'echo 24h price: 0.00001234, seen', ...small);
    assert.match(tiny.stdout, /"base":"1000000\.000000 COIN","quote":"12\.340000 USD"/);
    assert.equal(tiny.code, 0, tiny.stderr);
  },
);

/** The address of a server whose answer begins with a text and never ends. */
async function endlessAnswer(text: string, context: TestContext): Promise<string> {
  const server = createServer((_, answer) => {
    const more = (): boolean => answer.writable && answer.write(' '.repeat(4096)) && more();
    answer.on('drain', more);
    answer.write(text);
    more();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return `http://127.0.0.1:${address.port}`;
}

test('what there is not is said: a witness, a key for the account; and what would do harm or can’t be read is refused', async () => {
  writeFileSync(site.path('used.key'), readFileSync(site.path('new.key')), { mode: 0o600 });
  writeFileSync(site.path('poor.json'), testWif('poor'), { mode: 0o600 });
  writeFileSync(site.path('secret'), 'correct horse\n', { mode: 0o600 });
  await site.run(['keys', '--key-file', site.path('sealed.json'), '--password-file', site.path('secret')]);
  for (const [words, text] of [
    ['watch initminer --minutes soon', /--minutes: a number expected/],
    ['watch initminer --feed-minutes 1h', /--feed-minutes: a number expected/],
    ['journal --last some', /--last: a number expected/],
    ['rotate-key initminer --key-file used.key --yes', /signs with the key in .* already/],
    ['rotate-key nobody --key-file unused.key --yes', /knows no witness nobody/],
    ['create initminer --key-file another.key --yes', /is a witness already.*rotate-key/],
    ['create bob --key-file bob.key --wallet-file sealed.json --yes', /by --password-file/],
    ['create nobody --key-file unused.key --yes', /knows no account nobody/],
    ['create bob --key-file unused.key --yes', /has no active key of bob/],
    [
      'create poor --key-file unused.key --wallet-file poor.json --yes',
      /at least 250000\.000000 VESTS; poor has 0\.000000 VESTS and could vest/,
    ],
    ['switch initminer --key-file unused.key', /nothing was sent/],
  ] as const) {
    const answer = await site.run(splitWords(`pharos witness ${words}`));
    assert.deepEqual([answer.code, text.test(answer.stderr)], [2, true], `${words}: ${answer.stderr}`);
  }
  assert.ok(!existsSync(site.path('unused.key')), 'no key for nobody');
  assert.equal((await site.run(splitWords('pharos witness status bob'))).code, 2);
  writeFileSync(site.path('other.json'), testWif('bob'), { mode: 0o600 });
  const flags = [
    '--url',
    programUrl(node),
    '--wallet-file',
    site.path('other.json'),
    '--key-file',
    site.path('unsent.key'),
    '--yes',
  ];
  const refused = await site.run(['witness', 'rotate-key', 'initminer', ...flags]);
  assert.deepEqual([refused.code, /has no active key of initminer/.test(refused.stderr)], [2, true], refused.stderr);
  assert.equal(
    textMember(await node.result('alexandria_api.get_witness', { owner_account: 'initminer' }), 'witness.owner'),
    'initminer',
  );
});

test('a wallet opens with the password of the environment, as for the wallet itself, and a file that is named comes first', async () => {
  const password = { PHAROS_WALLET_PASSWORD: 'correct horse' };
  const wallet = ['--wallet-file', site.path('opened.json')];
  assert.equal((await site.run(['wallet', '--offline', ...wallet, 'set_password'], password)).code, 0);
  writeFileSync(site.path('opened.json'), await sealedKeys('correct horse', []), { mode: 0o600 });
  writeFileSync(site.path('another'), 'wrong\n', { mode: 0o600 });
  const create = [
    'witness',
    'create',
    'bob',
    '--key-file',
    site.path('opened.key'),
    '--url',
    programUrl(node),
    '--yes',
    ...wallet,
  ];
  for (const [words, environment, text] of [
    [create, password, /opened\.json has no active key of bob/],
    [create, { PHAROS_WALLET_PASSWORD: 'wrong' }, /opened\.json: wrong password/],
    [create, {}, /by --password-file, or set PHAROS_WALLET_PASSWORD/],
    [[...create, '--password-file', site.path('another')], password, /opened\.json: wrong password/],
  ] as const) {
    const answer = await site.run(words, environment);
    assert.deepEqual([answer.code, text.test(answer.stderr)], [2, true], answer.stderr);
  }
  const sentence = /^The password comes from .*$/m.exec((await site.run(['wallet', '--help'])).stdout)?.[0] ?? '';
  assert.match(sentence, /PHAROS_WALLET_PASSWORD/);
  assert.ok((await site.run(['witness', 'create', '--help'])).stdout.includes(sentence));
});

test('a chain is restarted by who agrees to it, and is shown where it stands', inLongForm, async () => {
  const [restart = ''] = stoppedChainLines();
  const alone = await site.run(splitWords(restart));
  assert.deepEqual([alone.code, /nothing was done/.test(alone.stderr)], [2, true], alone.stderr);
  const { code, stdout } = await site.run(splitWords(`${restart} --yes`));
  assert.match(
    stdout,
    /^this node: head \d+ [0-9a-f]{40} of 20.*, irreversible up to \d+ [0-9a-f]{40}\n[^]*no network[^]*participation is required again from block \d+ on/,
  );
  assert.equal(code, 0);

  // Whoever has votes gives them to those that are left.
  const [, vote = ''] = stoppedChainLines();
  assert.equal(vote, 'pharos wallet vote_for_witness alice bob true true');
  writeFileSync(site.path('password'), 'correct horse\n', { mode: 0o600 });
  assert.equal((await site.run([...votersWallet(), 'set_password'])).code, 0);
  assert.equal((await site.runWith(`${testWif('alice')}\n`, [...votersWallet(), 'import_key'])).code, 0);
  const voted = await typedInWallet(vote.replace('bob', 'initminer'));
  assert.deepEqual([voted.code, /in block \d+/.test(voted.stderr)], [0, true], voted.stderr);
  const record = JSON.stringify(
    await node.result('database_api.list_witness_votes', { start: null, limit: 10, order: 'by_account_witness' }),
  );
  assert.match(record, /"account":"alice"/);
});

/** A wallet with the key of an account that has votes. */
function votersWallet(): string[] {
  return [
    'wallet',
    '--wallet-file',
    site.path('votes.json'),
    '--password-file',
    site.path('password'),
    '--server',
    programUrl(node),
  ];
}

async function typedInWallet(line: string): ReturnType<Site['run']> {
  assert.match(line, /^pharos wallet /);
  return await site.run([...votersWallet(), '--yes', ...line.split(' ').slice(2)]);
}

/** The commands of the guide for a stopped chain. */
function stoppedChainLines(): string[] {
  const page = textOfGuide('stopped_chain');
  return [...page.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map((line) => line.trim()),
  );
}

test('an account becomes a witness with the first command of the page, which shows each step', inLongForm, async () => {
  writeFileSync(site.path('wallet.json'), testWif('alice'), { mode: 0o600 });
  const [create = ''] = shownLines();
  const made = await site.run(splitWords(create));
  assert.equal(made.code, 0, made.stderr);
  const sent = String.raw`to be sent as alice: .*\nin block \d+: transaction [0-9a-f]{40}\n`;
  const steps = [
    String.raw`1\. the signing key, in .*\nPHR\w+\n2\. the stake.*\n${sent}`,
    String.raw`3\. the witness.*\n${sent}`,
    String.raw`4\. the node.*\nwitness = alice\nprivate-key-file = .*\n`,
    String.raw`5\. votes.*\n(?<vote>pharos wallet .*)\n`,
  ];
  const { vote = '' } = new RegExp(`^${steps.join('')}`).exec(made.stdout)?.groups ?? assert.fail(made.stdout);
  assert.ok(existsSync(site.path('signing.key')));
  const again = await site.run(splitWords(create));
  assert.doesNotMatch(again.stdout, /to be sent/, 'what is done is not sent again');
  assert.deepEqual([again.code, /signs with it already/.test(again.stdout)], [0, true], again.stdout);
  const status = await site.run(splitWords('pharos witness status alice'));
  assert.match(status.stdout, /^witness +alice\n[^]*round +(?:not in it|one of)[^]*this node +makes no blocks for it/);
  const voted = await typedInWallet(vote);
  assert.deepEqual([voted.code, /in block \d+/.test(voted.stderr)], [0, true], voted.stderr);
});

test('a machine elsewhere watches a witness by what the chain shows', inLongForm, async () => {
  const watched = async (): ReturnType<Site['run']> =>
    await site.run(['witness', 'watch', 'alice', '--url', `http://${ELSEWHERE}:${node.port}`]);
  const silent = await waitUntil('alice is missed', async () => {
    const answer = await watched();
    if (answer.code === 7) return answer;
    assert.match(
      answer.stdout,
      /^witness alice does well, as far as the chain shows; it is in (?:the round|no round, and so has no slots)\n$/,
    );
    return undefined;
  });
  assert.equal(silent.stdout, 'it is in the round, and has made no block yet\n');
});
