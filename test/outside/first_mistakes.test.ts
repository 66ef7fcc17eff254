import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setFormat } from '../builders/other_format.ts';
import { ownEnvironment } from '../builders/own_environment.ts';
import { commonChain } from './common_chain.ts';
import { at, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { signed, makeTransaction } from './signer.ts';
import { Site } from './site.ts';

// The twenty likeliest mistakes of the first five minutes: each is made, and the answer says in one sentence what to
// do.

const project = fileURLToPath(new URL('../../../', import.meta.url));
/** Nobody answers there. */
const NO_REGISTRY = 'http://127.0.0.1:1';
const ALICE = 'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv';

const site = new Site();
let program: Program;

before(async () => {
  program = await commonChain();
});

after(() => site.clear());

interface Mistake {
  /** Makes it; what is answered. */
  readonly make: () => Promise<string>;
  readonly says: RegExp;
}

const twenty: Readonly<Record<string, Mistake>> = {
  'the port is in use': {
    make: async () => await failing('dev', '--data-dir', site.path('second'), '--port', String(program.port)),
    says: /^pharos: cannot listen on 127\.0\.0\.1 port \d+, another program does; use --port NUMBER, or --port 0 for one that is free$/,
  },
  'Node is too old': {
    make: async () =>
      await script("process.stdout.write((await import('./scripts/oldest_node.js')).whyTooOld('18.20.8'))"),
    says: /^this is Node 18\.20\.8; Pharos needs 20\.12 or newer: install Node 24 \(supported: 24, 22 and 26\)$/,
  },
  'no network at set-up': {
    make: async () => await setUpWithoutNetwork(),
    says: /^pharos: no network: .*can't be reached \(.*ECONNREFUSED.*\), and npm's cache lacks packages: connect to the network, and run the same command again$/m,
  },
  'no compiler where machine code has to be built': {
    make: async () => await buildWithoutCompiler(),
    says: /^nowhere does not load here, and building it needs python3, make, g\+\+, which this machine does not have: install them, and run the same command again$/,
  },
  'a data folder of another version': {
    make: async () => {
      const other = site.start(['dev', '--data-dir', site.path('other'), '--port', '0', '--silent']);
      await other.ready();
      assert.equal(await other.stop(), 0);
      setFormat(site.path('other', 'chain'), 1);
      return await failing('dev', '--data-dir', site.path('other'), '--port', '0');
    },
    says: /that of a newer program.*: nothing was changed; start the version that wrote it, or begin in another folder/,
  },
  'the key of somebody else': {
    make: async () => await sending({}, 'bob'),
    says: new RegExp(
      `^the active authority of alice is missing: it asks for a signature by ${ALICE}, and the transaction is signed by PHR`,
    ),
  },
  'another symbol': {
    make: async () => await sending({ amount: '1.000000 COYN' }),
    says: /^an amount in COIN expected, got 1\.000000 COYN$/,
  },
  'more than six decimals': {
    make: async () => await sending({ amount: '1.0000001 COIN' }),
    says: /an amount of at most six decimals such as "1\.000000 COIN" expected, got "1\.0000001 COIN"$/,
  },
  'a name with a dot': {
    make: async () => await sending({ to: 'bob.smith' }),
    says: /"bob\.smith" is no account name: character 4 is "\.", and names have A-Z a-z 0-9 - _ only$/,
  },
  'an expired transaction': {
    make: async () => await sending({}, 'alice', -60),
    says: /^the transaction expired at \S+, and it is \S+ on the chain; sign it again with a later expiration$/,
  },
  'a fee that is too low': {
    make: async () => await sending({ fee: '0.000001 COIN' }),
    says: /^fee of at least 0\.010000 COIN expected, got 0\.000001 COIN$/,
  },
  'no funds': {
    make: async () => await sending({ amount: '99999999.000000 COIN' }),
    says: /^alice has \d+\.\d{6} COIN, less than the 99999999\.000000 COIN that it sends: send less, or fund alice first$/,
  },
  'a call by GET': {
    make: async () => await (await fetch(programUrl(program))).text(),
    says: /^calls are sent by POST: send the JSON-RPC request as the body$/,
  },
  'a page of another origin': {
    make: async () => await posted('alexandria_api.info', {}, { origin: 'https://page.example' }),
    says: /^cross-origin requests are refused unless --http-cors lists the origin$/,
  },
  'params as a list': {
    make: async () => await refused('alexandria_api.get_account', ['alice']),
    says: /^Invalid params: params are an object with named members \(account_name, pending\), got an array$/,
  },
  'an id as text, where a number is meant': {
    make: async () => await refused('alexandria_api.get_applications_by_ids', { ids: ['first'] }),
    says: /^Invalid params: ids\[0\]: .*expected, got "first"$/,
  },
  'a wrong group': {
    make: async () => await refused('database_api.get_account', { account_name: 'alice' }),
    says: /^there is no method database_api\.get_account; did you mean alexandria_api\.get_account\?$/,
  },
  'the wallet without a key file': {
    make: async () =>
      await failing('wallet', '--server', programUrl(program), 'transfer', 'alice', 'bob', '1 COIN', '', 'true'),
    says: /^pharos wallet: there are no keys in wallet\.json yet: set_password comes first, and makes a wallet there; --wallet-file names another one$/,
  },
  '`npx pharos` in a clone that is not set up': {
    make: async () => await npxBeforeSetUp(),
    says: /^pharos: not set up yet\. Run `npm start` \(a development chain\) or `node scripts\/setup\.js` once, in the folder of package\.json\.$/m,
  },
  'a private key through a proxy': {
    make: async () => {
      const params = { op: payment({}), pk: '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK' };
      const answer: Json = JSON.parse(
        await posted('alexandria_api.send_and_sign_operation', params, { 'x-forwarded-for': '192.0.2.1' }),
      );
      return textMember(at(answer, 'error'), 'message');
    },
    says: /; sign where the key is, or start the node with --private-key-methods always$/,
  },
};

for (const [name, { make, says }] of Object.entries(twenty)) {
  test(`${name}: the answer says what to do`, async () => {
    const answer = await make();
    assert.match(answer.trim(), says);
  });
}

test('an id of a call may be a text: the answer has the same', async () => {
  const { body } = await program.raw('{"jsonrpc":"2.0","id":"first","method":"alexandria_api.info"}');
  assert.match(body, /"id":"first"/);
});

test('a call by GET to the name of a method is told where calls go', async () => {
  const answer = await fetch(`${programUrl(program)}/alexandria_api/info`);
  assert.equal(await answer.text(), 'no such page; calls are sent by POST to the address of the node');
});

test('the table has twenty', () => {
  assert.equal(Object.keys(twenty).length, 20);
});

function programUrl({ port }: Program): string {
  return `http://127.0.0.1:${port}`;
}

function payment(changes: { readonly [member: string]: Json }): Json {
  return [
    'transfer',
    { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '', ...changes },
  ];
}

/**
 * The answer to a payment with something wrong in it. What can't be written as bytes can't be signed, and is refused
 * before.
 */
async function sending(
  changes: { readonly [member: string]: Json },
  signer = 'alice',
  secondsToLive?: number,
): Promise<string> {
  const right = await makeTransaction(program, [payment({})], secondsToLive);
  const trx = { ...right, operations: [payment(changes)], signatures: [] };
  const isReadable = changes['amount'] !== '1.0000001 COIN' && changes['to'] === undefined;
  return await refused('network_broadcast_api.broadcast_transaction', {
    trx: isReadable ? await signed(program, trx, signer) : trx,
  });
}

async function refused(method: string, params: Json): Promise<string> {
  return (await program.refusal(method, params)).message;
}

async function posted(method: string, params: Json, headers: Readonly<Record<string, string>>): Promise<string> {
  return (await program.raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers)).body;
}

/** Returns the output of a command that must fail. */
async function failing(...args: readonly string[]): Promise<string> {
  const { code, stderr } = await site.run(args);
  assert.notEqual(code, 0);
  return stderr;
}

async function script(text: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  return await said(process.execPath, ['--input-type=module', '-e', text], project, environment);
}

async function setUpWithoutNetwork(): Promise<string> {
  const folder = site.path('clone');
  for (const path of ['scripts', 'native', 'package.json', 'package-lock.json'])
    cpSync(join(project, path), join(folder, path), { recursive: true });
  const nothingKept = {
    npm_config_registry: NO_REGISTRY,
    npm_config_cache: site.path('npm-cache'),
    XDG_CACHE_HOME: site.path('cache'),
  };
  return await said(process.execPath, ['scripts/setup.js'], folder, nothingKept);
}

async function buildWithoutCompiler(): Promise<string> {
  const text = `const { ensureLoads } = await import('./scripts/setup/packages.js');
    await ensureLoads({ name: 'nowhere', load: 'nowhere' }, () => undefined).catch(({ message }) => process.stdout.write(message));`;
  return await script(text, { PATH: site.path('no-tools') });
}

/** npm finds the command in the project itself, and asks no registry. */
async function npxBeforeSetUp(): Promise<string> {
  const folder = site.path('not-set-up');
  mkdirSync(join(folder, 'scripts'), { recursive: true });
  for (const path of ['package.json', 'scripts/pharos.js', 'scripts/oldest_node.js'])
    copyFileSync(join(project, path), join(folder, path));
  return await said('npx', ['--no', 'pharos'], folder, { npm_config_registry: NO_REGISTRY });
}

/** Returns the output of a program until it ends. */
async function said(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...ownEnvironment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const pieces: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
    child.once('error', reject);
    child.once('close', () => resolve(pieces.join('')));
  });
}
