import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { makeCatalogue } from '../../../src/pages/docs/catalogue.ts';
import { operationPage } from '../../../src/pages/docs/operation_page.ts';
import { listMethods } from '../../../src/rpc/methods.ts';
import { openRpc } from '../../../src/rpc/openrpc.ts';
import { profiles } from '../../../src/values/profile.ts';
import { versionText } from '../../../src/values/version.ts';
import { commands } from '../../../src/wallet/commands/index.ts';
import { commandHelp } from '../../../src/wallet/help_text.ts';
import { GENESIS_TIME, encoding, testParameters, makeTransaction } from '../../builders/chain.ts';
import { appliedHardforks, nextHardfork, plantHardfork } from '../../builders/planted_hardfork.ts';
import { NodeOfMethods } from './node_of_methods.ts';

const planted = nextHardfork(GENESIS_TIME + 86_400 * 365);
const version = versionText(planted.version);
const operation = [
  'custom_json',
  { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: 0, json: '{}' },
];

/** The page of that operation, in a catalogue made now. */
function pageOfOperation(): string {
  const methods = listMethods(profiles['default'] ?? assert.fail());
  const files = { style: 'docs.css', script: 'docs.js', icon: 'icon.svg' };
  const catalogue = makeCatalogue(
    openRpc(methods, encoding, 'Pharos', '1'),
    { methods, commands: [], settings: {}, metrics: [] },
    files,
  );
  const entry = catalogue.operations.find(({ name }) => name === 'custom_json') ?? assert.fail();
  return operationPage(entry, undefined, catalogue).text.replaceAll(/\s+/g, ' ');
}

const helpOfCommand = (): string =>
  commandHelp(commands.find(({ name }) => name === 'send_custom_json_document') ?? assert.fail());

test('page, OpenRPC and wallet name the hardfork of an operation, and say nothing of one for the others', async () => {
  const onPage = `From hardfork ${planted.id} (version ${version}) on`;
  const inHelp = `The chain takes it from hardfork ${planted.id} (version ${version}) on.`;
  const document = (): string =>
    writeJson(openRpc(listMethods(profiles['default'] ?? assert.fail()), encoding, 'Pharos', '1'));
  // Kinds of the register may be behind hardforks, too.
  const countMarks = (text: string): number => text.split('"x-since"').length - 1;
  const before = countMarks(document());
  await plantHardfork('custom_json', planted, () => {
    const page = pageOfOperation();
    assert.ok(page.includes(onPage) && page.includes('hardfork_not_applied'));
    assert.ok(helpOfCommand().includes(inHelp));
    assert.ok(document().includes(JSON.stringify({ hardfork: planted.id, version })));
    assert.equal(countMarks(document()), before + 1);
  });
  assert.ok(!pageOfOperation().includes('From hardfork') && !helpOfCommand().includes('hardfork'));
  assert.equal(countMarks(document()), before);
});

test('a node refuses to build, check and send the operation by the name of the error', async () => {
  await plantHardfork('custom_json', planted, async () => {
    const usual = testParameters();
    // A title of its own: what methods declare is kept by the symbols of the chain.
    const profile = { ...usual.profile, title: 'Planted' };
    const node = new NodeOfMethods({
      parameters: { ...usual, profile, hardforks: [...appliedHardforks, planted] },
      isEmpty: true,
    });
    const { transaction } = makeTransaction(node.chain, node.parameters, [operation], ['alice']);
    const tx = {
      ...transaction,
      expiration: new Date(transaction.expiration * 1000).toISOString().slice(0, 19),
      operations: [operation],
    };
    const expected =
      /a block can have custom_json from hardfork \d+ \(version [\d.]+\) on, which this chain has not applied/;
    for (const [method, params] of [
      ['alexandria_api.create_transaction', { op_vec: [operation] }],
      ['alexandria_api.create_simple_transaction', { op: operation }],
      ['alexandria_api.broadcast_transaction', { tx }],
    ] as const) {
      const { error } = await node.call(method, JSON.parse(JSON.stringify(params)));
      assert.equal(error?.data?.['name'], 'hardfork_not_applied', method);
      assert.match(error.message, expected);
    }
    const check = await node.result('alexandria_api.check_transaction', JSON.parse(JSON.stringify({ tx })));
    // A wallet shows this before it asks whether to send.
    const { refusal_when_signed: refusal }: { refusal_when_signed?: { data?: { name?: string }; message?: string } } =
      Object(Reflect.get(Object(check), 'check'));
    assert.equal(refusal?.data?.name, 'hardfork_not_applied');
    assert.match(refusal.message ?? '', expected);
  });
});
