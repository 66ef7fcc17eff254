import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { at, listMember, optionalMember, textMember, type Json } from '../outside/json.ts';
import { requireObject } from '../outside/signer.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { project, run, start, temporaryFolder, type Running } from './commands.ts';
import { clientNodes, installedNode, nodeVersions, type NodeVersion } from './nodes.ts';
import { sdkPackages } from './sdk/packages.ts';
import { unsignedBytes } from './sdk/serializer.ts';

// The SDKs of the lineage as their users have them, on the Nodes that these have by now, against the program on the
// lineage's chain.

/** The server that answers depends on the Node it runs on: node:http on 26, uWebSockets.js on the others. */
const servers = nodeVersions;
const TRANSPORTS = 15;
const script = join(project, 'build/test/services/sdk/script.js');

const running = new Map<string, Running>();

before(async () => {
  for (const version of servers) {
    const flags = [
      '--data-dir',
      temporaryFolder(),
      '--port',
      '0',
      '--profile',
      'lineage',
      '--block-interval-ms',
      '100',
    ];
    const args = [join(project, 'scripts/pharos.js'), 'dev', ...flags];
    running.set(version, start(nodeProgramPath(version), args, { folder: temporaryFolder() }));
  }
  await Promise.all(servers.map((version) => startAndGetUrl(version)));
});

after(async () => {
  for (const node of running.values()) node.interrupt();
  await Promise.all([...running.values()].map((node) => node.finished));
});

function nodeProgramPath(version: (typeof clientNodes)[number]): string {
  return process.versions.node === version ? process.execPath : installedNode(version);
}

async function startAndGetUrl(version: NodeVersion): Promise<string> {
  return await waitUntil('a development chain', () => {
    const stdout = running.get(version)?.said.stdout ?? '';
    return stdout.includes('Ctrl-C stops') ? /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] : undefined;
  });
}

test('the bytes that are signed here are those that the SDK itself made', () => {
  const vectors: Json = JSON.parse(readFileSync(join(project, 'test/lineage/vectors-sdk.json'), 'utf8'));
  const packedAs = (transaction: Json): string | undefined => {
    try {
      return unsignedBytes(transaction).toString('hex');
    } catch {
      return undefined; // a kind that no function of the SDK writes
    }
  };
  const agreeing = listMember(vectors, 'sdk.transactions_agreeing_with_node').flatMap((vector) => {
    const packed = packedAs(optionalMember(vector, 'unsigned_tx') ?? null);
    return packed === undefined ? [] : [[textMember(vector, 'label'), packed, textMember(vector, 'unsigned_tx_hex')]];
  });
  assert.ok(agreeing.length >= 13, `${agreeing.length} vectors`);
  for (const [label, packed, expected] of agreeing) assert.equal(packed, expected, label);
  const wrong = listMember(vectors, 'sdk.operations_the_sdk_gets_wrong');
  for (const vector of wrong.filter((each) =>
    ['witness_update', 'application_create'].includes(textMember(each, 'label')),
  ))
    assert.ok(
      packedAs(optionalMember(vector, 'unsigned_tx') ?? null)?.includes(textMember(vector, 'sdk_wrong_op_hex')),
      textMember(vector, 'label'),
    );
});

for (const version of clientNodes)
  test(`on Node ${version} every call of the JavaScript and C# SDKs is answered, whatever it is sent with`, async () => {
    const packages = sdkPackages();
    await Promise.all(
      servers.map(async (server) => {
        const args = [script, packages, await startAndGetUrl(server)];
        const { code, stdout, stderr } = await run(nodeProgramPath(version), args, { folder: project });
        assert.equal(code, 0, `against Node ${server}: ${stderr}\n${running.get(server)?.said.stderr ?? ''}`);
        assert.equal(stdout.trim().split('\n').length, TRANSPORTS, stdout);
      }),
    );
  });

test('what the SDK packs in another way than the chain is what the guide lists', async () => {
  const vectors: Json = JSON.parse(readFileSync(join(project, 'test/lineage/vectors-sdk.json'), 'utf8'));
  const guide = readFileSync(join(project, 'src/pages/guides/old_sdks.md'), 'utf8');
  const [, row = ''] = /^\|(.*)\| the SDK packs other bytes/m.exec(guide) ?? [];
  const wrong = listMember(vectors, 'sdk.operations_the_sdk_gets_wrong').filter(
    (vector) => textMember(vector, 'label') !== 'witness_update',
  );
  assert.equal(wrong.length, 6);
  for (const vector of wrong) {
    const kind = textMember(vector, 'label');
    assert.ok(row.includes(`\`${kind}\``), `the guide: ${kind}`);
    const params = { trx: { ...requireObject(at(vector, 'unsigned_tx')), signatures: [] } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'database_api.get_transaction_hex', params });
    const answer: Json = JSON.parse(
      await (await fetch(await startAndGetUrl(servers[0]), { method: 'POST', body })).text(),
    );
    const hex = textMember(answer, 'result.hex');
    assert.equal(hex, `${textMember(vector, 'correct_unsigned_tx_hex')}00`, kind);
    assert.ok(!hex.endsWith(`${textMember(vector, 'sdk_wrong_op_hex')}0000`), kind);
  }
});
