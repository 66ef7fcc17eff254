import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { waitUntil } from '../outside/wait_until.ts';
import { project, run, start, temporaryFolder, type Running } from './commands.ts';
import { generatorPackages } from './sdk/packages.ts';

// Programs of other people make clients from /openrpc.json, which then call the node that served it.

interface Described {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly required: boolean; readonly schema: object }[];
  readonly result: { readonly schema: object };
}

interface OpenRpc {
  readonly methods: readonly Described[];
  readonly components: { readonly schemas: object };
}

const folder = temporaryFolder();
const installed = dirname(generatorPackages());
let node: Running;
let url = '';
let document: OpenRpc;

before(async () => {
  const args = [
    join(project, 'scripts/pharos.js'),
    'dev',
    '--data-dir',
    temporaryFolder(),
    '--port',
    '0',
    '--block-interval-ms',
    '100',
  ];
  node = start(process.execPath, args, { folder });
  url = await waitUntil('a development chain', () =>
    node.said.stdout.includes('Ctrl-C stops') ? /http:\/\/127\.0\.0\.1:\d+/.exec(node.said.stdout)?.[0] : undefined,
  );
  const text = await (await fetch(`${url}/openrpc.json`)).text();
  writeFileSync(join(folder, 'openrpc.json'), text);
  document = JSON.parse(text);
});

after(async () => {
  node.interrupt();
  await node.finished;
});

/** Types of the params and the result of each method, as JSON Schema that says it in one place. */
function schemaOfMethods({ methods, components }: OpenRpc, wanted: readonly string[]): object {
  const members = methods
    .filter(({ name }) => wanted.includes(name))
    .map(({ name, params, result }) => {
      const properties = Object.fromEntries(params.map((param) => [param.name, param.schema]));
      const required = params.filter((param) => param.required).map((param) => param.name);
      const given = { type: 'object', properties, required, additionalProperties: false };
      return [
        name,
        { type: 'object', properties: { params: given, result: result.schema }, required: ['params', 'result'] },
      ] as const;
    });
  const schema = {
    type: 'object',
    properties: Object.fromEntries(members),
    required: wanted,
    additionalProperties: false,
  };
  const text = JSON.stringify({ ...schema, definitions: components.schemas });
  return Object(JSON.parse(text.replaceAll('#/components/schemas/', '#/definitions/')));
}

/** A program that is written with the types, calls the node, and prints what came. */
const typedProgram = (at: string): string => `
import type { Methods } from './methods.ts';
async function call<M extends keyof Methods>(method: M, params: Methods[M]['params']): Promise<Methods[M]['result']> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, method, params });
  const answer = await (await fetch('${at}', { method: 'POST', body, headers: { 'content-type': 'application/json' } })).json();
  if (answer.error) throw new Error(method + ': ' + answer.error.message);
  return answer.result;
}
const { account } = await call('alexandria_api.get_account', { account_name: 'alice' });
const { accounts } = await call('database_api.list_accounts', { start: null, limit: '2', order: 'by_name' });
const { accounts: pairs } = await call('database_api.list_accounts', { start: ['', 'alice'], limit: 1, order: 'by_proxy' });
const body = { from: 'alice', to: 'bob', amount: { amount: '1', symbol: 'COIN' }, memo: '' };
const { tx } = await call('alexandria_api.create_transaction', { op_vec: [{ type: 'transfer', value: body }] });
const { tx_digest } = await call('alexandria_api.get_transaction_digest', { tx: { ...tx, operations: [['transfer_operation', body]] } });
const { hex } = await call('database_api.get_transaction_hex', { trx: { ...tx, operations: [{ type: 'transfer_operation', value: body }] } });
const { received_documents } = await call('alexandria_api.get_received_documents', { app_id: 1, account_name: 'bob', search_type: 'by_sender', start: -1 });
// @ts-expect-error a list has no order of another one
const wrong: Methods['database_api.list_accounts']['params'] = { limit: 1, order: 'by_price' };
console.log(JSON.stringify([account.length, accounts.length, pairs.length, typeof tx_digest, typeof hex, received_documents.length, wrong.limit]));
`;

test('types that json-schema-to-typescript makes let a program be written that the node answers', async () => {
  const wanted = [
    'alexandria_api.get_account',
    'database_api.list_accounts',
    'alexandria_api.create_transaction',
  ].concat(
    'alexandria_api.get_transaction_digest',
    'database_api.get_transaction_hex',
    'alexandria_api.get_received_documents',
  );
  writeFileSync(join(folder, 'methods.json'), JSON.stringify(schemaOfMethods(document, wanted)));
  const tool = join(installed, 'node_modules/json-schema-to-typescript/dist/src/cli.js');
  const made = await run(process.execPath, [tool, 'methods.json', 'methods.ts', '--unreachableDefinitions=false'], {
    folder,
  });
  assert.equal(made.code, 0, made.stderr);
  writeFileSync(
    join(folder, 'methods.ts'),
    readFileSync(join(folder, 'methods.ts'), 'utf8').replace(/export interface Methods\w*/, 'export interface Methods'),
  );
  writeFileSync(join(folder, 'typed.ts'), typedProgram(url));
  const compiler = join(project, 'node_modules/typescript/bin/tsc');
  const flags = [
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    '',
    '--lib',
    'es2023,dom',
    '--skipLibCheck',
  ];
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const checked = await run(process.execPath, [compiler, ...flags, '--rewriteRelativeImportExtensions', 'typed.ts'], {
    folder,
  });
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  const { code, stdout, stderr } = await run(process.execPath, ['typed.js'], { folder });
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), [1, 2, 1, 'string', 'string', 0, 1]);
});

test('the client that the generator of OpenRPC makes calls the node', async () => {
  const components = [{ type: 'client', language: 'typescript', name: 'made', openRPCPath: null }];
  const config = { openrpcDocument: join(folder, 'openrpc.json'), outDir: join(folder, 'made'), components };
  writeFileSync(join(folder, 'generator.json'), JSON.stringify(config));
  const tool = join(installed, 'node_modules/@open-rpc/generator/build/cli.js');
  const made = await run(process.execPath, [tool, 'generate', '-c', 'generator.json'], { folder });
  assert.equal(made.code, 0, made.stderr);
  const source = join(folder, 'made/client/typescript/src/index.ts');
  // It writes the names of methods as members of a class without quotes, whatever stands in them.
  writeFileSync(source, readFileSync(source, 'utf8').replaceAll(/^( *public )([a-z_]+\.[a-z0-9_]+):/gm, '$1"$2":'));
  const client = join(folder, 'client.cjs');
  const entry = join(installed, 'entry.ts');
  writeFileSync(entry, `export { default } from ${JSON.stringify(source)};`);
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: client,
    nodePaths: [join(installed, 'node_modules')],
    alias: { '@open-rpc/schema-utils-js': 'schema-utils-of-client' },
    logLevel: 'silent',
  });
  const { hostname: host, port } = new URL(url);
  const program = `
    const { default: Client } = require(${JSON.stringify(client)});
    const made = new Client({ transport: { type: 'http', host: '${host}', port: ${port}, path: '/' } });
    // It looks for the names of params in the list of its arguments, so that no method with params by name would pass.
    made.validator = { validate: () => [] };
    (async () => {
      const { account } = await made['alexandria_api.get_account']('alice');
      const { accounts } = await made['database_api.list_accounts'](null, 2);
      const { history } = await made['account_history_api.get_account_history']('alice');
      const typed = { type: 'transfer', value: { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' } };
      const { tx } = await made['alexandria_api.create_transaction']([typed]);
      const { hex } = await made['database_api.get_transaction_hex']({ ...tx, operations: [typed] });
      console.log(JSON.stringify([account.length, accounts.length, Array.isArray(history), typeof hex]));
      process.exit(0);
    })().catch((error) => { console.error(error); process.exit(1); });`;
  const { code, stdout, stderr } = await run(process.execPath, ['-e', program], { folder });
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), [1, 2, true, 'string'], pathToFileURL(client).href);
});
