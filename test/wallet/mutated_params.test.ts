import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { Type } from '../../src/jsonrpc/envelope/typebox.ts';

import { present } from '../../src/base/assert.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Json } from '../../src/codec/json.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { neutralEncoding } from '../../src/codec/encoding_options.ts';
import type { Answer } from '../../src/jsonrpc/answer_writer.ts';
import { listen } from '../../src/jsonrpc/http/listen.ts';
import type { HttpServer } from '../../src/jsonrpc/http/http_server.ts';
import { defaultLimits } from '../../src/jsonrpc/limits/limits.ts';
import { registerMethods, type Method } from '../../src/rpc/method.ts';
import { coded } from '../../src/jsonrpc/envelope/params.ts';
import { samplePrivateKey, sampleTransaction } from '../../src/rpc/sample_transaction.ts';
import { typedArguments, withSecrets } from '../../src/wallet/arguments.ts';
import type { Command } from '../../src/wallet/command.ts';
import { commands } from '../../src/wallet/commands/index.ts';
import { makeAnswers } from '../../src/wallet/daemon.ts';
import { newLock } from '../../src/wallet/key_file/sealed_file.ts';
import { KeyStore } from '../../src/wallet/key_store.ts';
import { Node } from '../../src/wallet/node.ts';
import { readLine } from '../../src/wallet/read_line.ts';
import { Session } from '../../src/wallet/session.ts';
import type { Wallet } from '../../src/wallet/wallet.ts';
import { testKey, testKeyText, people, testSecret, testParameters } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { MutatedCalls, type MutatedCall } from '../builders/mutated_calls/index.ts';
import { sourceText, type Source } from '../builders/mutated_calls/source.ts';
import { RandomOperations } from '../builders/random_operations/index.ts';
import { formSize } from '../builders/forms.ts';
import { NodeOfMethods, type Answer as Read } from '../rpc/methods/node_of_methods.ts';
import { temporaryFolder } from './programs.ts';

/**
 * A longer run: `PHAROS_TEST_SEEDS=20 PHAROS_TEST_CALLS=5000 npm test -- wallet/mutated_params`.
 * `PHAROS_TEST_FIRST_SEED=n` begins at a seed that failed.
 */
const SEEDS = Number(process.env['PHAROS_TEST_SEEDS'] ?? 1);
const CALLS = formSize('PHAROS_TEST_CALLS', { short: 150, long: 1000 });
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);

/** Of all kinds, some of them several times. */
const OPERATIONS = 150;

const PASSWORD = 'pw';
/** Quick, because it is not secrets that are tested here. */
const COST = { n: 1024, r: 8, p: 1 };

/** Commands that write or read any file that they are told to. */
const OF_FILES: ReadonlySet<string> = new Set(['save_wallet_file', 'load_wallet_file']);

interface Opened {
  readonly server: HttpServer;
  readonly wallet: Wallet;
  readonly answer: ReturnType<typeof makeAnswers>;
}

/** A wallet with the keys of all people, over a node in the same process. */
class WalletOfPeople {
  readonly node = freshNode();
  readonly folder = temporaryFolder();
  readonly reports: string[] = [];
  #opened: Opened | undefined;

  async open(): Promise<void> {
    const clock = systemClock;
    const server = await listen({
      host: '127.0.0.1',
      port: 0,
      limits: defaultLimits,
      clock,
      allowedHosts: [],
      corsOrigins: [],
      trustedProxies: [],
      compresses: undefined,
      page: () => undefined,
      answer: (body, requestSource) => this.node.dispatcher.dispatch(body, requestSource),
    });
    const keys = new KeyStore({ path: this.#file, clock, lockAfterMs: 0, cost: COST });
    const settings = {
      expirationSeconds: undefined,
      waitFor: 'block' as const,
      maxFee: 10n ** 8n,
      feeSymbol: '',
      trustsTime: true,
      agrees: true,
      chainId: undefined,
      fallbackSymbols: neutralEncoding,
    };
    const wallet = { keys, node: new Node(`http://127.0.0.1:${server.port}`, clock), clock, settings, commands };
    const inFolder = commands.map((command) => (OF_FILES.has(command.name) ? this.#inFolder(command) : command));
    const answer = makeAnswers(new Session(wallet, inFolder), (text) => void this.reports.push(text));
    this.#opened = { server, wallet, answer };
  }

  get #parts(): Opened {
    return present(this.#opened, 'an open wallet');
  }

  answer(body: Buffer): Answer | Promise<Answer> {
    return this.#parts.answer(body);
  }

  async close(): Promise<void> {
    const { wallet, server } = this.#parts;
    wallet.keys.close();
    wallet.node.close();
    await server.close();
    this.node.stop();
  }

  get #file(): string {
    return join(this.folder, 'wallet.json');
  }

  /** The same command, which finds nothing outside the folder of the test. */
  #inFolder(command: Command): Command {
    const moved = (arg: Json): Json => (typeof arg === 'string' && arg !== '' ? `${this.folder}/${arg}` : arg);
    return { ...command, run: async (wallet, args) => await command.run(wallet, args.map(moved)) };
  }

  /** Gives the wallet its keys again, whatever was done to it. */
  async restore(): Promise<void> {
    const { keys, settings } = this.#parts.wallet;
    settings.expirationSeconds = undefined;
    if (keys.state === 'unlocked' && keys.path === this.#file) return;
    const lock = await newLock(PASSWORD, COST);
    writeFileSync(this.#file, lock.close({ chain: undefined, server: '' }, people.map(testSecret)));
    keys.load(this.#file);
    await keys.unlock(PASSWORD);
  }
}

function freshNode(): NodeOfMethods {
  const limits = { max_allowed_ops: 1_000_000, max_allowed_bandwidth: 1_000_000_000 };
  return new NodeOfMethods({ parameters: testParameters({ genesis_time: '2026-01-01T00:00:00', ...limits }) });
}

/** Returns the params of a command's example, in which `@file` is a file and a shortened key a whole one. */
async function makeExample(command: Command, folder: string): Promise<Json> {
  const line = command.example.replaceAll('@', `@${folder}/`).replaceAll(/PHR[6-8]…/g, testKeyText('carol'));
  const [, ...words] = readLine(line);
  const args = await withSecrets(command, typedArguments(command, words), (name) =>
    Promise.resolve(name === 'wif_key' ? samplePrivateKey : PASSWORD),
  );
  return Object.fromEntries(command.params.map(({ name }, k) => [name, args[k] ?? null]));
}

/** A command as the calls are made from: its params by name. */
async function makeMethod(command: Command, folder: string): Promise<Method> {
  const { name, doc, params } = command;
  return {
    name,
    group: '',
    doc,
    params: Type.Object(Object.fromEntries(params.map((param) => [param.name, coded(param.codec)]))),
    paramNames: params.map((param) => param.name),
    result: Type.Unknown(),
    example: { params: await makeExample(command, folder) },
    stability: 'stable',
    refuses: {},
    refusesForOperations: false,
    needsPrivateKey: false,
    weight: {},
    run: { kind: 'read', answer: () => null },
  };
}

async function makeCalls({ node, folder }: WalletOfPeople, seed: number): Promise<MutatedCalls> {
  for (const name of ['transaction', 'mine', 'yours'])
    writeFileSync(join(folder, `${name}.json`), writeJson(sampleTransaction));
  const methods = await Promise.all(commands.map((command) => makeMethod(command, folder)));
  const randomSource = new RandomSource(seed);
  const maker = new RandomOperations(node.chain, randomSource, new Map(people.map((name) => [testKey(name), name])));
  const operations = Array.from({ length: OPERATIONS }, (): Json => maker.make(maker.kind()).operation);
  return new MutatedCalls({
    methods: registerMethods(methods),
    profile: node.parameters.profile,
    randomSource,
    operations,
    sign: () => undefined,
  });
}

/** The form with `call` and the number of the only API. */
function inOtherForm({ parts: [part], space }: MutatedCall): Buffer {
  const { method, params } = present(part, 'a call');
  const items =
    typeof params === 'string' || 'items' in params ? params : { items: params.members.map(([, value]) => value) };
  const members: [string, Source][] = [
    ['"id"', '1'],
    ['"method"', '"call"'],
    ['"params"', { items: ['0', JSON.stringify(method.name), items] }],
  ];
  return Buffer.from(sourceText({ members }, space));
}

/** Returns the fault of an answer; undefined for none. */
function findFault(text: string | undefined): string | undefined {
  if (text === undefined) return 'no answer';
  const answers: unknown = JSON.parse(text);
  for (const answer of Array.isArray(answers) ? answers : [answers]) {
    const { error, result }: { error?: Read['error']; result?: unknown } = Object(answer);
    if ((error === undefined) === (result === undefined)) return 'neither or both of result and error';
    if (error?.data?.['name'] === 'internal_error' || error?.code === -32603) return 'an internal error';
  }
  return undefined;
}

async function callAll(seed: number): Promise<void> {
  const wallet = new WalletOfPeople();
  await wallet.open();
  try {
    const calls = await makeCalls(wallet, seed);
    for (let number = 1; number <= CALLS && wallet.node.ownSlot !== undefined; number++) {
      const call = calls.next();
      const body = number % 10 === 0 ? inOtherForm(call) : call.body;
      await wallet.restore();
      const fault = findFault((await wallet.answer(body))?.toString());
      const reports = [...wallet.reports, ...wallet.node.reports.map(String)].join('\n');
      assert.ok(
        fault === undefined && reports === '',
        `seed ${seed}, call ${number}: ${fault} to ${body.toString()}\n${reports}`,
      );
    }
    await wallet.restore();
    assert.match(
      (await wallet.answer(Buffer.from('{"id":1,"method":"get_account","params":["alice"]}')))?.toString() ?? '',
      /"name":"alice"/,
    );
  } finally {
    await wallet.close();
  }
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
  test(`whatever the wallet is given over RPC, it answers or refuses (seed ${seed})`, () => callAll(seed));
}
