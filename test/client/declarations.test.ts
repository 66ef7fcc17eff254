import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { project } from './packed.ts';

// The short form of what packages.long.test.ts does with the package itself.

const folder = mkdtempSync(join(project, 'build/declarations-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const writer = pathToFileURL(join(project, 'scripts/pack/client_types.js')).href;
const write = `const { writeNodeTypes } = await import('${writer}'); await writeNodeTypes('${relative(project, folder)}')`;
runNode(['--input-type=module', '-e', write]);

function runNode(args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: project });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

/** Compiles a strict program beside the declarations. */
function compile(program: string): void {
  const options = {
    strict: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023'],
    skipLibCheck: false,
    types: [],
  };
  const entries = ['client/index', 'client/keys', 'client/verified', 'dev_chain/dev_chain'];
  const files = [...entries.map((entry) => `${entry}.d.ts`), 'program.ts'];
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, noEmit: true, allowImportingTsExtensions: true }, files }),
  );
  writeFileSync(join(folder, 'program.ts'), program);
  runNode([join(project, 'node_modules/typescript/bin/tsc'), '-p', folder]);
}

/** The errors of a program that does not compile. */
function compilerErrors(program: string): string {
  writeFileSync(join(folder, 'program.ts'), program);
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(project, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'],
    { encoding: 'utf8', cwd: project },
  );
  assert.notEqual(status, 0, 'it compiles');
  return stdout;
}

test('the declarations of the client compile in a strict program without types of Node or browsers', () => {
  compile(
    `import { connect, custom, fallback, http, webSocket, withMiddleware, type Middleware } from './client/index.js';
    const around: Middleware = async (request, next) => await next({ ...request, timeoutMs: 10 });
    const node = await connect({ transport: withMiddleware(fallback([http('x', { batch: { waitMs: 0 } }), webSocket('y')]), around) });
    await connect({ transport: custom(async ({ method }) => method) });
    const balance: string | undefined = (await node.getAccount('alice', { retries: 2 })).account[0]?.balance;
    void node.getBlock(7).then(({ block }) => block?.block_id);
    // @ts-expect-error: no such function
    void node.getAcount;
    // @ts-expect-error: a name is no number
    void node.getAccount(7);
    // @ts-expect-error: several params are required
    void node.getAccountHistory('alice');
    // @ts-expect-error: a promise is no transaction
    void node.broadcast(node.build([]));
    void balance;`,
  );
});

test('the name of a refusal narrows its data and its remedy, and a misspelt name does not compile', () => {
  compile(
    `import { connect, NodeRefusal, type RefusalName } from './client/index.js';
    const node = await connect('x');
    try {
      await node.call('alexandria_api.info', {});
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error;
      const text: string = error.name + error.message + error.remedy;
      const name: RefusalName = error.name;
      // @ts-expect-error: not every refusal tells a balance
      void error.data.balance;
      if (error.name === 'insufficient_funds') {
        const { from, balance, amount }: { from: string; balance: string; amount: string } = error.data;
        const remedy: 'change the call: the same one fails again' = error.remedy;
        // @ts-expect-error: this refusal tells nothing of the kind
        void error.data.seconds;
        void [from, balance, amount, remedy];
      } else if (error.code === 'rate_exceeded') {
        const remedy: 'wait, then make the same call' = error.remedy;
        const limit: number = error.data.limit;
        void [limit, remedy];
      }
      switch (error.name) {
        case 'duplicate_signature': {
          const keys: readonly string[] = error.data.duplicate;
          void keys;
          break;
        }
        // @ts-expect-error: no such refusal
        case 'insufficient_fund':
          break;
        default:
      }
      // @ts-expect-error: no such refusal
      void (error.name === 'insufficient_founds');
      void [text, name, new NodeRefusal('own_name', 'a sentence', { data: { any: 1 } })];
    }`,
  );
});

test('the client of a development chain has the same types, and its refusals narrow as well', () => {
  compile(
    `import { devChain, type Client as DevClient } from './dev_chain/dev_chain.js';
    import { connect, Client, NodeRefusal } from './client/index.js';
    const chain = await devChain();
    const own: Client = chain.client;
    const other: DevClient = await connect(chain.url);
    const error: unknown = await own.send([['transfer', { from: 'a', to: 'b', amount: '1 COIN', memo: '' }]], []).catch((e: unknown) => e);
    if (error instanceof NodeRefusal && error.name === 'insufficient_funds') void error.data.balance.length;
    void [own, other];`,
  );
});

test('loops over items and using compile, and items that may be undone ask for a function that hears of it', () => {
  compile(
    `import { connect, type Iteration, type IteratedBalance } from './client/index.js';
    using node = await connect('x');
    for await (const { operation, position } of node.operations({ account: 'alice', kinds: ['transfer'], from: 7 })) {
      const [kind, body] = operation.op;
      if (kind === 'transfer') void (body.memo.length + position.length);
    }
    for await (const { block } of node.blocks({ level: 'head', undone: async ({ number }) => void number })) void block.number;
    const balances: Iteration<IteratedBalance> = node.balances({ account: 'alice' });
    await using closing = balances;
    using following = await node.followBlocks({}, { block() {}, undone() {} });
    void [closing, following.position];
    // @ts-expect-error: nobody hears of what is undone
    void node.blocks({ level: 'head' });
    // @ts-expect-error: whose balance
    void node.balances({});`,
  );
});

test('each function has the doc of its method', () => {
  const text = readFileSync(join(folder, 'client/method_functions.d.ts'), 'utf8');
  const members = text.match(/^ {2}readonly \w+:/gm) ?? [];
  assert.ok(members.length > 50);
  assert.equal(text.match(/^ {2}\/\*\* .+ `\w+\.\w+` \*\/\n {2}readonly \w+:/gm)?.length, members.length);
});

test('a wrong member or name of an operation is one short error, which names the near one', () => {
  const withOperation = (operation: string): string => `import { connect } from './client/index.js';
    const node = await connect('x');
    await node.send([${operation}, ['transfer', { from: 'a', to: 'b', amount: '1 COIN', memo: '' }]], []);`;
  const given = `from: 'a', to: 'b', amount: '1 COIN'`;
  compile(withOperation(`['transfer', { ${given}, memo: '' }]`));
  for (const [operation, said] of [
    [`['transfer', { ${given}, memoo: '' }]`, /'memoo' does not exist .*Did you mean to write 'memo'\?/],
    [`['transfer', { ${given} }]`, /Property 'memo' is missing/],
    [`['transfr', { ${given}, memo: '' }]`, /Did you mean '"transfer"'\?/],
  ] as const) {
    const errors = compilerErrors(withOperation(operation)).trim();
    assert.match(errors, said);
    assert.equal(errors.split('\n').length, 1, errors);
    assert.ok(errors.length < 600, errors);
  }
});

test('a wrong member of one operation on its own names the near one, wherever any operation may stand', () => {
  const wrong = `['transfer', { from: 'a', to: 'b', amount: '1 COIN', memoo: '' }]`;
  const right = wrong.replace('memoo', 'memo');
  for (const program of [
    `export const one: GivenOperation = ${wrong};`,
    `export const list: readonly GivenOperation[] = [${right}, ${wrong}];`,
    `export const one = ${wrong} satisfies GivenOperation;`,
    `export const make = (): GivenOperation => ${wrong};`,
    `export const held: Pick<GivenTransaction, 'operations'> = { operations: [${wrong}] };`,
  ]) {
    const errors = compilerErrors(
      `import type { GivenOperation, GivenTransaction } from './client/index.js';\n${program}`,
    ).trim();
    assert.match(errors, /'memoo' does not exist .*Did you mean to write 'memo'\?$/, errors);
    assert.doesNotMatch(errors, /more \.\.\./);
    assert.equal(errors.match(/error TS/g)?.length, 1, errors);
  }
  compile(
    `import type { Client, GivenOperation, GivenTransaction, OperationName } from './client/index.js';
    declare const node: Client;
    declare const [any, all, two, held]: [GivenOperation, readonly GivenOperation[], GivenOperation<'transfer' | 'account_delete'>, GivenTransaction];
    const one: GivenOperation = ${right};
    void node.send([one, two, any, ${right}], []);
    void node.send([...all, ...held.operations], []);
    void node.simulate(all);
    const [name, body] = any;
    if (name === 'transfer') void body.memo.length;
    const [fee, kind]: [string | undefined, OperationName] = [body.fee, any[0]];
    void [fee, kind];`,
  );
});

test('a wrong kind of what is followed, and a wrong function or param, name the near one', () => {
  for (const [call, said] of [
    [`node.operations({ kinds: ['transfr'] })`, /Did you mean '"transfer"'\?/],
    [
      `node.followOperations({ kinds: ['producer_rewards'] }, { operation() {}, undone() {} })`,
      /'"producer_reward"'\?/,
    ],
    [`node.getAcount('alice')`, /Did you mean 'getAccount'\?/],
    [`node.call('alexandria_api.get_account', { account_nam: 'alice' })`, /Did you mean to write 'account_name'\?/],
  ] as const) {
    const errors = compilerErrors(`import { connect } from './client/index.js';
      const node = await connect('x');
      void ${call};`).trim();
    assert.match(errors, said);
    assert.equal(errors.split('\n').length, 1, errors);
  }
});
