import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CheckedProgram, Compiler } from '../../../scripts/rules/checked_program.js';

const project = new URL('../../../../', import.meta.url);
const compiler = new Compiler(fileURLToPath(project));

after(() => compiler.close());

/** Types of libraries that have none of their own. */
const declarations = ['src/crypto/webassembly.d.ts', 'src/storage/rocksdb_binding.d.ts'];

/** The names of the files that do not compile once each text is replaced in its file. */
function filesWithErrors(changes: readonly (readonly [path: string, before: string, after: string])[]): string[] {
  const texts = new Map(declarations.map((path) => [path, readFileSync(new URL(path, project), 'utf8')]));
  for (const [path, before, changed] of changes) {
    const text = texts.get(path) ?? readFileSync(new URL(path, project), 'utf8');
    assert.ok(text.includes(before), `${path} has no ${before}`);
    texts.set(path, text.replace(before, changed));
  }
  const program = new CheckedProgram(texts, fileURLToPath(project), compiler);
  try {
    return [...texts.keys()].filter((path) => program.fileErrors(path).length > 0);
  } finally {
    program.close();
  }
}

const threads = 'src/node/threads';
const network = 'src/node/network';

/** Each: a wrong type where one thread answers, asks, or starts another. */
const mistakes = {
  'the writer answers with the wrong type': [
    `${threads}/writer/writer.ts`,
    'figures: () => this.#figures()',
    "figures: () => 'none'",
  ],
  'the writer answers a question as if it were another': [
    `${threads}/writer/writer.ts`,
    'judge: ({ block }) => judgePeerBlock(this.#chain, this.#seen(block))',
    'judge: ({ block }) => this.#chain.judge(this.#seen(block))',
  ],
  'the writer leaves a kind out': [`${threads}/writer/writer.ts`, '    figures: () => this.#figures(),\n', ''],
  'the front takes an answer of the writer for something else': [
    'src/node/front.ts',
    "restartChain: async () => await writer.ask({ kind: 'restart_chain' })",
    "restartChain: async () => await writer.ask({ kind: 'production' })",
  ],
  'the front answers the network with the wrong type': [
    `${network}/network_client.ts`,
    'takeAlive(alive).catch(() => false)',
    'takeAlive(alive).then(() => [])',
  ],
  'the network takes an answer of the front for something else': [
    `${network}/front_intake.ts`,
    "this.#ask({ kind: 'alive', alive }, done)",
    "this.#ask({ kind: 'alive', alive }, (outcomes) => done(outcomes.length > 0))",
  ],
  'the network answers an order with the wrong type': [
    `${network}/network_host.ts`,
    'value: this.#carryOut(message.question.order)',
    'value: this.#obey(message.question.order)',
  ],
  'a verifier answers with the wrong type': [
    'src/verifiers/verifier_thread.ts',
    'recover: recoverSignatures',
    'recover: () => undefined',
  ],
  'a verifier does another task': [
    'src/verifiers/verifier_thread.ts',
    'signersOf: (packed) => signersOfPacked(parameters.chainId, packed)',
    'signersOf: recoverSignatures',
  ],
  'the pool takes the bytes of a task for those of another': [
    'src/verifiers/verifier_pool.ts',
    "decodeVerifierReport(await this.#run('verify', batch))",
    "decodeVerifierReport(await this.#run('verifyPacked', batch))",
  ],
  'a thread is started with the wrong settings': [
    `${threads}/writer/start_writer.ts`,
    'threadData(writerThread, settings)',
    'threadData(writerThread, { folder: settings.folder })',
  ],
  'a thread reads settings of another': [
    'src/node/sinks/sink_thread.ts',
    "import { type FromSink, type SinkThreadSettings, type ToSink, sinkThread } from './sink_messages.ts'",
    "import type { FromSink, SinkThreadSettings, ToSink } from './sink_messages.ts';\nimport { snapshotThread as sinkThread } from '../threads/node_threads.ts'",
  ],
} as const;

test('the protocol between threads compiles, and does not with a wrong answer or settings object on either side', () => {
  const paths = new Set(Object.values(mistakes).map(([path]) => path));
  assert.deepEqual(filesWithErrors([...paths].map((path) => [path, '', ''])), []);
  for (const [name, mistake] of Object.entries(mistakes))
    assert.deepEqual(filesWithErrors([mistake]), [mistake[0]], name);
});
