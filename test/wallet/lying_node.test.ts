import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openWallet } from '../../src/wallet/open_wallet.ts';
import type { Person } from '../../src/wallet/person.ts';
import type { Session } from '../../src/wallet/session.ts';
import { at, listMember, optionalMember, textMember, type Json } from '../outside/json.ts';
import { testKeyText } from '../builders/chain.ts';
import { inLongForm, isLong } from '../builders/forms.ts';
import {
  atTerminal,
  quietPort,
  runWallet,
  startChain,
  temporaryFolder,
  writeWallet,
  type Started,
} from './programs.ts';
import { MALLORY, lies, truth, type Lie } from './lies.ts';
import { LyingProxy } from './lying_proxy.ts';
import { PROPS, meant, type Meant } from './meant.ts';
import { PATIENCE_SECONDS, requireMeant, listSignatures } from './signed_as_meant.ts';

// A real node behind a proxy that alters what it answers, and wallets that ask it for everything that they sign.

const WIFS = [
  '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK',
  '5JoQtsKQuH8hC9MyvfJAqo6qmKLm8ePYNucs7tPu2YxG12trzBt',
  '5JPpmwpYMw1KcLrTVayeQgSLWGpZKBvvpyzgJkeRJBiC6P38PKS',
];
/** Longer runs: `PHAROS_TEST_LIES=all` tells each lie to every command that hears it. */
const EACH = process.env['PHAROS_TEST_LIES'] === 'all' ? 1 : isLong ? 4 : 40;
const folder = temporaryFolder();
let chain: Started;
let proxy: LyingProxy;
/** The real node's answers to each command, when the proxy is honest. */
const heardHonestly = new Map<Meant, LyingProxy['heard']>();

before(async () => {
  chain = await startChain(join(folder, 'chain'), await quietPort(), '--fresh', '--block-interval-ms', '3000');
  proxy = new LyingProxy(chain.port);
  await proxy.listen();
  await makeWitness();
});

after(async () => {
  proxy.close();
  await chain.stop();
});

/** Alice has an url to lie about. */
async function makeWitness(): Promise<void> {
  const session = await openSession();
  for (const [name, ...args] of [
    ['transfer_to_vesting', 'alice', 'alice', '250000 COIN'],
    ['update_witness', 'alice', 'https://alice.example', testKeyText('alice'), PROPS],
  ] as const) {
    const { made, refusal } = await signTransaction(session, name, [...args, false]);
    assert.equal(refusal, '');
    const answer = await proxy.real('alexandria_api.broadcast_transaction', { tx: made[0] ?? null });
    assert.notEqual(optionalMember(answer, 'result'), undefined, JSON.stringify(answer));
  }
  session.close();
}

let wallets = 0;

async function openSession(options: { readonly chainId?: string; readonly yes?: boolean } = {}): Promise<Session> {
  const walletFile = join(folder, `wallet ${++wallets}.json`);
  await writeWallet(walletFile, ...WIFS);
  const { chainId = await proxy.trueChainId(), yes = false } = options;
  const limits = { maxFee: '1', feeSymbol: '', trustTime: false, expirationSeconds: 0, lockAfterMinutes: 0 };
  const session = openWallet({
    ...limits,
    walletFile,
    server: proxy.url,
    offline: false,
    chainId,
    profile: 'default',
    yes,
    clock: systemClock,
    onIdleLock: () => undefined,
  });
  await session.wallet.keys.unlock('pw');
  return session;
}

/** Runs a command; the transactions with signatures that it has made, shown or sent, and what it was refused for. */
async function signTransaction(
  session: Session,
  name: string,
  args: readonly Json[],
  person?: Person,
): Promise<{ readonly made: readonly Json[]; readonly refusal: string }> {
  proxy.passed = [];
  proxy.heard = [];
  const { result, refusal } = await session.run(session.named(name), JSON.parse(JSON.stringify(args)), person).then(
    (given) => ({ result: JSON.parse(JSON.stringify(given)) as Json, refusal: '' }),
    (error: unknown) => ({ result: null, refusal: error instanceof Error ? error.message : String(error) }),
  );
  const made = [result, ...proxy.passed].filter((tx) => listSignatures(tx).length > 0);
  return { made, refusal };
}

/** A person who reads the question and knows what it should say. */
const careful: Person = {
  tell: () => undefined,
  confirm: (question) => Promise.resolve(isTrue(question)),
};

function isTrue(question: string): boolean {
  if (question.includes(MALLORY) || /mallory|evil/.test(question)) return false;
  if (question.includes('whose coin is'))
    return question.includes('whose coin is "COIN" and whose keys begin with "PHR"');
  // Only carol's authorities are changed here, and each has her key alone.
  return (
    !question.includes('authority of carol') ||
    (question.includes(testKeyText('carol')) && !question.includes(testKeyText('bob')))
  );
}

test('everything that signs is in the list of what is meant by it', async () => {
  const session = await openSession();
  const signing = session.commands.filter(
    ({ needsKeys, sends, name }) => needsKeys && (sends([]) !== undefined || name.startsWith('sign_')),
  );
  session.close();
  assert.deepEqual(new Set(meant.map(({ name }) => name)), new Set(signing.map(({ name }) => name)));
});

async function honestly(one: Meant): Promise<void> {
  proxy.lie = truth;
  const session = await openSession();
  const atMs = Date.now();
  const { made, refusal } = await signTransaction(session, one.name, one.args(atMs), careful);
  heardHonestly.set(one, proxy.heard);
  assert.equal(refusal, '');
  assert.equal(made.length, 1);
  for (const tx of made) await requireMeant(tx, { ...one, ...one.over?.(atMs) }, session, proxy, atMs);
  assert.equal(listSignatures(made[0] ?? null).length, one.signatures ?? 1);
  session.close();
}

test('an honest node gets the signatures that the person means', async (t) => {
  for (const one of meant) await t.test(one.what ?? one.name, async () => await honestly(one));
});

/**
 * The commands that hear this lie; to the others the node is honest. Of those, a lie of a small run is told to each
 * fourth.
 */
function hearing(told: Lie): readonly Meant[] {
  const isAltered = ({ method, result }: { method: string; result: Json }): boolean =>
    JSON.stringify(told.alter(method, result)) !== JSON.stringify(result);
  const all = meant.filter((one) => heardHonestly.get(one)?.some(isAltered) !== false);
  return all.filter((_, index) => (index + lies.indexOf(told)) % Math.min(EACH, all.length) === 0);
}

/** Tries commands, with nobody to ask and with somebody; how many were refused. */
async function countRefused(told: Lie, commands: readonly Meant[]): Promise<number> {
  let refused = 0;
  for (const person of [undefined, careful]) {
    const session = await openSession();
    for (const one of commands) {
      proxy.lie = told;
      const atMs = Date.now();
      const { made, refusal } = await signTransaction(session, one.name, one.args(atMs), person);
      if (refusal !== '') refused++;
      for (const tx of made) await requireMeant(tx, { ...one, ...one.over?.(atMs) }, session, proxy, atMs);
    }
    session.close();
  }
  return refused;
}

test('without a person the wallet refuses what needs consent, though the node is honest', async () => {
  assert.ok((await countRefused(truth, meant)) >= 4);
});

test('a lying node gets no signature that the person does not mean', async (t) => {
  for (const told of lies)
    await t.test(told.what, async () => {
      const commands = hearing(told);
      assert.ok(commands.length > 0, 'somebody hears it');
      await countRefused(told, commands);
    });
});

test('a node that lies gets nothing by sending either', async () => {
  const sent = new Set(['transfer', 'update_account_auth_key', 'update_account_meta']);
  for (const told of lies) {
    for (const one of hearing(told).filter(({ name }) => sent.has(name))) {
      proxy.lie = told;
      const session = await openSession();
      const atMs = Date.now();
      const args = [...one.args(atMs).slice(0, -1), true];
      const { made } = await signTransaction(session, one.name, args, careful);
      for (const tx of made) await requireMeant(tx, one, session, proxy, atMs);
      session.close();
    }
  }
});

test('what is not sent is shown to the node without its signatures', async () => {
  proxy.lie = truth;
  const session = await openSession();
  const told: string[] = [];
  const { made } = await signTransaction(session, 'transfer', ['alice', 'bob', '1 COIN', '', false], {
    tell: (text) => void told.push(text),
  });
  assert.equal(made.length, 1);
  assert.ok(proxy.passed.length > 0 && proxy.passed.every((tx) => listSignatures(tx).length === 0));
  const then = String.raw`\(then \d+\.\d{6} COIN\)`;
  assert.equal(told.length, 1);
  assert.match(
    told[0] ?? '',
    new RegExp(`^sent now: alice -1.010000 COIN ${then}, bob 1.000000 COIN ${then}; fee 0.010000 COIN from alice$`),
  );
  await signTransaction(session, 'transfer', ['alice', 'bob', '999999999 COIN', '', false], {
    tell: (text) => void told.push(text),
  });
  assert.match(told[1] ?? '', /^sent now, it would be refused: alice has \d+/);
  session.close();
});

test('the first signature binds a wallet to a chain that the person has seen, or named', async () => {
  const transfer = ['alice', 'bob', '1 COIN', '', false];
  for (const told of [truth, ...lies.filter(({ what }) => what.includes('chain id'))]) {
    proxy.lie = told;
    const session = await openSession({ chainId: '' });
    assert.match(
      (await signTransaction(session, 'transfer', transfer)).refusal,
      /^nothing was signed, because .*the wallet will sign for chain [0-9a-f]{64}/,
    );
    const questions: string[] = [];
    const confirm = (question: string): Promise<boolean> => Promise.resolve(questions.push(question) < 0);
    const { refusal, made } = await signTransaction(session, 'transfer', transfer, { tell: () => undefined, confirm });
    assert.deepEqual([refusal, made], ['nothing was signed', []]);
    assert.match(questions[0] ?? '', /whose coin is "COIN" and whose keys begin with "PHR"/);
    assert.equal(session.wallet.keys.chainId, undefined);
    session.close();
  }
  proxy.lie = truth;
  const agreeing = await openSession({ chainId: '', yes: true });
  assert.equal((await signTransaction(agreeing, 'transfer', transfer)).made.length, 1);
  assert.equal(agreeing.wallet.keys.chainId, await proxy.trueChainId());
  agreeing.close();
});

test('--yes agrees to the authority that is shown, and shows it', async () => {
  proxy.lie = truth;
  const session = await openSession({ yes: true });
  const told: string[] = [];
  const args = ['carol', 'active', testKeyText('new'), 1, false];
  const { made } = await signTransaction(session, 'update_account_auth_key', args, {
    tell: (text) => void told.push(text),
  });
  assert.equal(made.length, 1);
  const [first = ''] = told;
  assert.match(first, /^the active authority of carol becomes a weight of 1 of PHR/);
  for (const key of [testKeyText('carol'), testKeyText('new')]) assert.ok(first.includes(`${key} (1)`), first);
  session.close();
});

test('the expiration is bounded by the clock of this machine, whatever was chosen', async () => {
  const session = await openSession();
  const lasts = async (): Promise<number> => {
    const atMs = Date.now();
    const { made } = await signTransaction(session, 'transfer', ['alice', 'bob', '1 COIN', '', false]);
    return Math.round(Date.parse(`${textMember(made[0] ?? null, 'expiration')}Z`) / 1000 - atMs / 1000);
  };
  proxy.lie = truth;
  assert.ok((await lasts()) <= 60 + PATIENCE_SECONDS);
  await signTransaction(session, 'set_transaction_expiration', [600]);
  assert.ok((await lasts()) > 300);
  const late = lies.find(({ what }) => what.includes('head time')) ?? truth;
  proxy.lie = late;
  const { refusal } = await signTransaction(session, 'transfer', ['alice', 'bob', '1 COIN', '', false]);
  assert.match(
    refusal,
    /^the node says that it is 2\d{3}-\S+ on the chain, \d+ seconds ahead of this machine; nothing was signed/,
  );
  session.close();
});

test('a transaction that somebody else made is held to the same limits, and shown where somebody can look', async () => {
  proxy.lie = truth;
  const session = await openSession();
  const one = meant.find(({ name }) => name === 'sign_transaction');
  const [tx = null] = one?.args(Date.now()) ?? [];
  const withFee = (fee: string): Json => {
    const [[kind, body] = []] = listMember(tx, 'operations').map(
      (each) => [at(each, '0'), Object(at(each, '1'))] as const,
    );
    return { ...Object(tx), operations: [[kind ?? '', { ...body, fee }]] };
  };
  const callRefusal = async (given: Json, person?: Person): Promise<string> =>
    (await signTransaction(session, 'sign_transaction', [given, false], person)).refusal;
  assert.match(
    await callRefusal(withFee('1.000001 COIN')),
    /^the fees come to 1\.000001 COIN, more than the limit of 1\.000000 COIN/,
  );
  assert.match(await callRefusal(withFee('0.010000 USD')), /^a fee of 0\.010000 USD is in another symbol than COIN/);
  assert.match(await callRefusal(withFee('-0.010000 COIN')), /an amount of 0 or more/);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19);
  assert.match(
    await callRefusal({ ...Object(tx), expiration: tomorrow }),
    /more than an hour from now; nothing was signed/,
  );
  const seen: string[] = [];
  const confirm = (question: string): Promise<boolean> => Promise.resolve(seen.push(question) < 0);
  assert.equal(await callRefusal(tx, { tell: () => undefined, confirm }), 'nothing was signed');
  assert.match(seen[0] ?? '', /"to": "bob"[^]*sign that\?$/);
  session.close();
});

test('a wallet signs for its own chain only', async () => {
  const [walletFile, node] = [join(folder, 'strict.json'), ['--server', `http://127.0.0.1:${chain.port}`]];
  await writeWallet(walletFile, WIFS[0] ?? '');
  const run = (...args: string[]): ReturnType<typeof runWallet> =>
    runWallet(['--wallet-file', walletFile, ...args, 'transfer', 'alice', 'bob', '1 COIN', '', 'false'], {
      password: 'pw',
    });
  const other = run(...node, '--chain-id', '0'.repeat(64));
  assert.deepEqual([other.code, other.out], [5, '']);
  assert.match(other.err, /nothing was signed/);
  const unnamed = run(...node);
  assert.deepEqual([unnamed.code, unnamed.out, /--yes agrees/.test(unnamed.err)], [5, '', true]);
  assert.equal(run(...node, '--chain-id', await proxy.trueChainId()).code, 0);
  assert.equal(run(...node).code, 0);
  const elsewhere = await startChain(join(folder, 'other chain'), 0, '--fresh', '--block-interval-ms', '3000');
  const moved = run('--server', `http://127.0.0.1:${elsewhere.port}`);
  await elsewhere.stop();
  assert.match(moved.err, /signs for chain [0-9a-f]{64} and the node is on chain [0-9a-f]{64}/);
  assert.equal(moved.code, 5);
});

test('at a terminal the whole authority is shown and asked, at the prompt and for one command', async () => {
  const walletFile = join(folder, 'terminal.json');
  await writeWallet(walletFile, ...WIFS);
  const args = [
    '--wallet-file',
    walletFile,
    '--server',
    `http://127.0.0.1:${chain.port}`,
    '--chain-id',
    await proxy.trueChainId(),
  ];
  const change = ['update_account_auth_key', 'carol', 'active', testKeyText('new'), '1', 'false'];
  const question = 'sign that? [y/N] ';
  const shown = atTerminal(args, [
    ['locked >>> ', 'unlock pw\r'],
    ['unlocked >>> ', `${change.join(' ')}\r`],
    [question, 'n\r'],
    ['nothing was signed', `${change.join(' ')}\r`],
    [question, 'yes\r'],
    ['"signatures": [', '\u0004'],
  ]);
  assert.match(shown, /the active authority of carol becomes a weight of 1 of PHR\w+ \(1\), PHR\w+ \(1\)/);
  assert.match(shown, /sent now: no balance changes/);
  const once = atTerminal(
    [...args, ...change],
    [
      ['password: ', 'pw\r'],
      [question, 'y\r'],
      ['not sent', ''],
    ],
  );
  assert.match(once, /the active authority of carol becomes[^]*"signatures": \[/);
  assert.ok(!once.includes('pw'), 'the password is not shown');
});

test('what was typed before a question is not its answer, whole lines and half of one', inLongForm, async () => {
  const walletFile = join(folder, 'early.json');
  const passwordFile = join(folder, 'early.password');
  await writeWallet(walletFile, ...WIFS);
  writeFileSync(passwordFile, 'pw\n');
  const args = [
    '--wallet-file',
    walletFile,
    '--password-file',
    passwordFile,
    '--server',
    `http://127.0.0.1:${chain.port}`,
  ];
  const change = [
    '--chain-id',
    await proxy.trueChainId(),
    'update_account_auth_key',
    'carol',
    'active',
    testKeyText('new'),
    '1',
    'false',
  ];
  const question = 'sign that? [y/N] ';
  const early = (typed: string, below: string): string =>
    atTerminal(
      [...args, ...change],
      [
        ['', typed],
        [question, below],
      ],
    );
  assert.match(early('n\r', 'y\r'), /what was typed before this question is dropped[^]*"signatures": \[/);
  for (const [typed, below] of [
    ['yes\r', 'n\r'],
    ['y\ry\ryes\r', '\r'],
    ['ye', 's\r'],
    ['y', '\r'],
  ] as const)
    assert.throws(
      () => early(typed, below),
      /what was typed before this question is dropped[^]*nothing was signed/,
      JSON.stringify(typed),
    );
});

test(
  'an authority that nothing can satisfy, or that goes in a circle, is warned of before it is signed',
  inLongForm,
  async () => {
    const walletFile = join(folder, 'warned.json');
    const passwordFile = join(folder, 'warned.password');
    await writeWallet(walletFile, ...WIFS);
    writeFileSync(passwordFile, 'pw\n');
    const args = [
      '--wallet-file',
      walletFile,
      '--password-file',
      passwordFile,
      '--server',
      `http://127.0.0.1:${chain.port}`,
    ];
    const bound = ['--chain-id', await proxy.trueChainId(), '--yes'];
    const circle = runWallet([
      ...args,
      ...bound,
      'update_account_auth_account',
      'carol',
      'active',
      'carol',
      '1',
      'false',
    ]);
    assert.equal(circle.code, 0, circle.err);
    assert.match(
      circle.err,
      /warning: the new active authority of "carol" goes in a circle: "carol" → "carol" leads back/,
    );
    const threshold = runWallet([...args, ...bound, 'update_account_auth_threshold', 'carol', 'active', '7', 'false']);
    assert.match(
      threshold.err,
      /warning: nothing can satisfy the new active authority of "carol": its weights add up to 1, and its threshold is 7/,
    );
    const active = '{"weight_threshold":2,"account_auths":[],"key_auths":[]}';
    const update = `["account_update",{"account":"carol","active":${active},"memo_key":"PHR1111111111111111111111111111111114T1Anm","json_metadata":""}]`;
    const built = runWallet([...args, 'build_transaction', `[${update}]`]);
    assert.match(built.err, /warning: nothing can satisfy the new active authority of "carol": it names nobody/);
    const shown = atTerminal(
      [
        ...args,
        '--chain-id',
        await proxy.trueChainId(),
        'update_account_auth_account',
        'carol',
        'active',
        'carol',
        '1',
        'false',
      ],
      [
        ['sign that? [y/N] ', 'y\r'],
        ['sign that? [y/N] ', 'y\r'],
      ],
    );
    assert.match(shown, /becomes[^]*goes in a circle[^]*"signatures": \[/);
  },
);
