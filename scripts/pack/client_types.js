import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { inProject, root } from '../place.js';
import { Compiler } from '../rules/checked_program.js';
import { refusalTypes, refusingFiles } from './refusal_types.js';
import { TypePrinter } from './type_printer.js';

/** Entry points of programs that use the client. */
const clientEntries = ['client/index', 'client/keys', 'client/verified'];

/** A file beside the sources that asks for every type by its name. It is on no disk. */
const asking = 'src/rpc/all_types.ts';
const config = 'tsconfig.all_types.json';
const question = `
  import type { signedTransaction } from '../blocks/transaction.ts';
  import type { Given, PlainOf } from '../codec/codec.ts';
  import type { Json } from '../codec/json.ts';
  import type { PaidOperationName, PlainOperation } from '../operations/index.ts';
  import type { accountRecord } from '../queries/records/account.ts';
  import type { documentRecord } from '../queries/records/document.ts';
  import type { historyEntry } from '../queries/history_entry.ts';
  import type { witnessRecord } from '../queries/records/witness.ts';
  import type { authority } from '../values/authority.ts';
  import type { MethodName, Params, Result } from './method_types.ts';
  export type AllParams = { [N in MethodName]: Params<N> };
  export type AllResults = { [N in MethodName]: Result<N> };
  export type Bodies = { [N in PlainOperation[0]]: Extract<PlainOperation, readonly [N, unknown]>[1] };
  export type GivenBodies = { [N in PaidOperationName]: Given<Extract<PlainOperation, readonly [N, unknown]>>[1] };
  export type Named = {
    Account: PlainOf<typeof accountRecord>;
    Authority: PlainOf<typeof authority>;
    Document: PlainOf<typeof documentRecord>;
    GivenAuthority: Given<PlainOf<typeof authority>>;
    GivenOperation: Given<PlainOperation>;
    HistoryEntry: PlainOf<typeof historyEntry>;
    Json: Json;
    Operation: PlainOperation;
    Transaction: PlainOf<typeof signedTransaction>;
    Witness: PlainOf<typeof witnessRecord>;
  };
`;

const head = '// Written by npm run pack from the declarations of operations and methods.\n';

/**
 * Writes the declarations of all that programs import from the node's own package. They are one set: the client of a
 * development chain has the types of the others.
 */
export async function writeNodeTypes(folder = 'build/types') {
  const written = await writeClientTypes(folder, [...clientEntries, 'dev_chain/dev_chain']);
  // Deleted behind the writing: another command may pack meanwhile.
  for (const path of readdirSync(inProject(folder), { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.d.ts') && !written.has(path)) rmSync(inProject(folder, path));
}

/**
 * Writes declarations that name no type of another package, from those that the compiler has made. Those that an entry
 * point imports come along.
 * @param {string} folder
 * @returns the paths that were written
 */
export async function writeClientTypes(folder, entries = clientEntries) {
  const { remedySentence } = await import('../../build/src/base/recovery.js');
  const generated = generatedFiles(await functionTypes(), remedySentence);
  const seen = new Set();
  const waiting = entries.map((entry) => `${entry}.d.ts`);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const source = `build/src/${path}`;
    if (!generated.has(path) && !existsSync(inProject(source))) throw new Error(`${source} is missing`);
    const text = generated.get(path) ?? readFileSync(inProject(source), 'utf8');
    writeIfChanged(inProject(folder, path), text);
    waiting.push(
      ...listImports(text).map((target) => posix.join(posix.dirname(path), target).replace(/\.[jt]s$/, '.d.ts')),
    );
  }
  return seen;
}

function writeIfChanged(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function listImports(text) {
  return [...text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)].map(([, target]) => target);
}

/** The declarations that are written anew. */
function generatedFiles(functions, remedySentence) {
  const compiler = new Compiler(root);
  try {
    const project = compiler.open(
      inProject(config),
      new Map([
        [
          inProject(config),
          JSON.stringify({ extends: './tsconfig.json', include: [], files: [asking, ...refusingFiles()] }),
        ],
        [inProject(asking), question],
      ]),
    );
    const printer = new TypePrinter(project, inProject(asking));
    return new Map([
      ['client/transaction.d.ts', transactionTypes(printer)],
      ['rpc/method_types.d.ts', methodTypes(printer)],
      ['client/method_functions.d.ts', functions],
      ['client/node_refusal.d.ts', `${head}${refusalTypes(project, remedySentence)}`],
    ]);
  } finally {
    compiler.close();
  }
}

function transactionTypes(printer) {
  return `${head}import type { Json } from '../codec/json.ts';

/** The bodies of operations, by the names of their kinds. */
export interface OperationBodies ${printer.printMembers('Bodies')}

/** An operation as it stands in the chain: its name, and the body that belongs to this name. */
export type Operation = { [N in keyof OperationBodies]: readonly [name: N, body: OperationBodies[N]] }[keyof OperationBodies];

/** The bodies of operations as they are given: the fee may be left out. */
export interface GivenBodies ${printer.printMembers('GivenBodies')}

/** The names of the operations that a transaction can hold. */
export type OperationName = keyof GivenBodies;

/**
 * An operation to be sent, as \`[name, body]\`. Without a \`fee\`, the one that the node names is offered.
 */
export type GivenOperation<N extends OperationName = OperationName> =
  | { [K in N]: readonly [name: K, body: GivenBodies[K]] }[N]
  | (OperationName extends N ? NoOperation : never);

/**
 * No operation has this form. It takes any body, so the compiler compares a body with that of its own name alone, and
 * its error names the near member.
 */
type NoOperation = readonly [name: never, body: { readonly fee?: string | undefined; readonly [member: string]: unknown }];

/** Operations, each of which is checked by its own name. */
export type GivenOperations<N extends readonly OperationName[]> = { readonly [I in keyof N]: EachOperation<N[I]> };

type EachOperation<N extends OperationName> = OperationName extends N ? GivenOperation : readonly [name: N, body: GivenBodies[N]];

/** A transaction, signed or not. It can be kept as JSON. */
export interface GivenTransaction {
  readonly ref_block_num: number;
  readonly ref_block_prefix: number;
  /** Behind this time of the chain it is void. */
  readonly expiration: string;
  readonly operations: readonly GivenOperation[];
  readonly extensions: readonly [];
  readonly signatures: readonly string[];
}
${printer.named(['Authority', 'GivenAuthority'])}`;
}

function methodTypes(printer) {
  return `${head}import type { Json } from '../codec/json.ts';
import type { Authority, GivenAuthority, GivenOperation, Operation } from '../client/transaction.ts';

interface AllParams ${printer.printMembers('AllParams')}

interface AllResults ${printer.printMembers('AllResults')}

/** The names of the methods that a client can call with types. */
export type MethodName = keyof AllParams;

/** The params of a method as plain values; members with a default may be left out. */
export type Params<N extends MethodName> = AllParams[N];

/**
 * The result of a method as plain values: names, keys, times and amounts are texts, integers of 64 bits and more are
 * bigint.
 */
export type Result<N extends MethodName> = AllResults[N];
${printer.named(['Account', 'Document', 'HistoryEntry', 'Transaction', 'Witness'])}`;
}

/** The reading methods as functions, each with the doc of its declaration. */
async function functionTypes() {
  const { functionMethods, methodFunctions } = await import('../../build/src/client/method_functions.js');
  const { listMethods } = await import('../../build/src/rpc/methods.js');
  const methods = listMethods({ fiatConversion: { method: 'fiat_to_coin', result: 'coin' } });
  const members = [...methodFunctions(functionMethods)].map(([name, [method, only]]) => {
    const value = only === '' ? 'undefined' : `'${only}'`;
    const doc = [methods.get(method).doc, `\`${method}\``].join(' ').replaceAll('*/', '* /');
    return `  /** ${doc} */
  readonly ${name}: (...given: GivenParams<Params<'${method}'>, ${value}>) => Promise<Result<'${method}'>>;
`;
  });
  return `${head}import type { Params, Result } from '../rpc/method_types.ts';
import type { GivenParams } from './given_params.ts';

/**
 * Reading methods as functions of their params. The value alone may stand for the params where one is required.
 */
export interface MethodFunctions {
${members.join('')}}
`;
}
