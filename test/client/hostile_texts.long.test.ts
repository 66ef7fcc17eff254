import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { connect, type FollowedOperation, type Operation } from '../../src/client/index.ts';
import type { Json } from '../../src/codec/json.ts';
import { readJsonText } from '../../src/codec/json_reader.ts';
import { operationCodec } from '../../src/operations/index.ts';
import { encoding } from '../builders/chain.ts';
import { operationHex, hostileFolder, type HostileFolder } from '../builders/hostile_texts.ts';
import type { Program } from '../outside/program.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';

const site = new Site();

after(() => site.clear());

/** Runs a command that must succeed. */
async function done(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await site.run(args);
  assert.equal(code, 0, `${args.join(' ')}\n${stderr}`);
  return stdout;
}

async function startHostileNode(genesisFile: string, dataFolder: string): Promise<Program> {
  const program = site.start([
    'run',
    '--genesis-json',
    genesisFile,
    '--data-dir',
    dataFolder,
    '--webserver-http-endpoint',
    '127.0.0.1:0',
  ]);
  await program.ready();
  return program;
}

/** The client has integers of 64 bits as bigint. */
function operationJson(op: Operation): Json {
  return readJsonText(
    JSON.stringify(op, (_member, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  );
}

/** The bytes of operations as a program of the client has them; those of the chain itself are left out. */
function bytesAsSeen(operations: readonly Operation[]): string[] {
  const read = operations.map((op) => operationCodec.fromJson(operationJson(op), { ...encoding, readsAnswers: true }));
  return read.filter(({ kind }) => !kind.isVirtual).map(operationHex);
}

async function follows(url: string, { operations, blocks }: HostileFolder): Promise<void> {
  const client = await connect(url);
  try {
    const heard: FollowedOperation[] = [];
    const failures: unknown[] = [];
    const following = await client.followOperations(
      { startBlock: 1 },
      {
        operation: (operation) => void heard.push(operation),
        undone: () => assert.fail('nothing is undone'),
        failed: (error) => void failures.push(error),
      },
    );
    await waitUntil('all blocks', () => failures.length > 0 || heard.at(-1)?.block === blocks || undefined);
    following.stop();
    assert.deepEqual(failures, []);
    assert.deepEqual(bytesAsSeen(heard.map(({ op }) => op)), operations);
    const called: Operation[] = [];
    for (let block_num = 1; block_num <= blocks; block_num++)
      called.push(
        ...(await client.call('account_history_api.get_ops_in_block', { block_num, only_virtual: false })).ops.map(
          ({ op }) => op,
        ),
      );
    assert.deepEqual(bytesAsSeen(called), operations);
  } finally {
    client.close();
  }
}

for (const rules of ['interface', 'lineage'] as const)
  test(`under rule set ${rules} blocks with hostile texts come out equal: exported from folder and node, imported, in a snapshot, followed by a client`, async () => {
    const hostile = await hostileFolder(site.path(rules), rules);
    const { genesisFile, dataFolder, operations } = hostile;
    assert.ok(operations.length > 100);
    const logs = ['folder', 'node', 'imported'].map((name) => site.path(`${rules}_${name}`));
    const [ofFolder = '', ofNode = '', ofImported = ''] = logs;
    await done('export', '--data-dir', dataFolder, '--block-log', ofFolder);
    const imported = site.path(`${rules}_import`);
    await done('import', '--genesis', genesisFile, '--block-log', ofFolder, '--data-dir', imported);
    await done('export', '--data-dir', imported, '--block-log', ofImported);

    const node = await startHostileNode(genesisFile, dataFolder);
    await done('export', '--url', `http://127.0.0.1:${node.port}`, '--block-log', ofNode);
    const [log, ...others] = logs.map((path) => readFileSync(path));
    for (const [index, other] of others.entries()) assert.ok(log?.equals(other), logs[index + 1]);
    await follows(`ws://127.0.0.1:${node.port}`, hostile);
    assert.equal(await node.stop(), 0);
    assert.equal(node.complaints.includes('error'), false, node.complaints);

    const [file, again, loaded] = [
      site.path(`${rules}.avro`),
      site.path(`${rules}_again.avro`),
      site.path(`${rules}_loaded`),
    ];
    await done('snapshot', 'create', '--data-dir', dataFolder, '--out', file);
    await done('snapshot', 'load', file, '--data-dir', loaded, '--own');
    await done('snapshot', 'create', '--data-dir', loaded, '--out', again);
    assert.ok(readFileSync(file).equals(readFileSync(again)));
    assert.match(await done('verify', '--data-dir', loaded), /: intact\n$/);
  });
