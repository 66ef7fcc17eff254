import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { after, test } from 'node:test';
import { testKeyText } from '../builders/chain.ts';
import { optionalMember, numberMember, textMember, type Json } from './json.ts';
import { agree } from './network_nodes.ts';
import { NEXT_HARDFORK, NEXT_VERSION, NextRelease } from './next_release.ts';
import { readRefusal, type Program } from './program.ts';
import { send, signed, timeText, makeTransaction } from './signer.ts';
import { Site } from './site.ts';
import { UpgradeGuide } from './upgrade_guide.ts';
import { waitUntil, within } from './wait_until.ts';
import {
  findFirstBlock,
  fetchHardforks,
  REQUIRED,
  fetchStand,
  virtualOperations,
  WitnessFleet,
  WITNESSES,
  type Release,
} from './witness_fleet.ts';

// A hardfork on a public chain of seven witnesses, with two builds of the program, as the guide "Upgrade a live chain"
// tells: too few, enough, who was late, and what of the chain is taken elsewhere.

const site = new Site();
after(() => site.clear());

const CURRENT_VERSION = '1.2.0';
/** From the choice of a time on: so long until the operators have heard of it. */
const NOTICE_SECONDS = 10;
const [EARLY, LATE, LAST] = [[0, 1, 2, 3], 5, 6];
/** The fifth to upgrade, and one who goes back for a while. */
const [FIFTH, BACK] = [4, 3];

/** The exit code of a node that does not know the hardfork. */
const OUTDATED = 8;

const nowSeconds = (): number => Math.trunc(Date.now() / 1000);

const note = (text: string): Json => ['planted_note', { fee: '0.010000 COIN', account: 'alice', note: text }];

let seeds = 0;

/** A new account for this fee. */
function creation(fee: string): Json {
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('bob'), 1]] };
  const body = {
    fee: `${fee} COIN`,
    creator: 'alice',
    name_seed: `seed ${++seeds}`,
    owner: authority,
    active: authority,
  };
  return ['account_create', { ...body, memo_key: testKeyText('bob'), json_metadata: '' }];
}

/** The name of the refusal of an operation that must be refused: of a transaction with it, or when that is made. */
async function broadcastRefusal(program: Program, operation: Json): Promise<string> {
  const made = await program.call('alexandria_api.create_transaction', { op_vec: [operation] });
  if (optionalMember(made, 'error') !== undefined) return readRefusal(made).name;
  const trx = await signed(program, await makeTransaction(program, [operation]), 'alice');
  return (await program.refusal('network_broadcast_api.broadcast_transaction_synchronous', { trx })).name;
}

async function headTime(program: Program): Promise<number> {
  return (await fetchStand(program)).time;
}

/** Upgrades nodes one by one, as their operators would; seconds that each took. */
async function upgradeAll(fleet: WitnessFleet, nodes: readonly number[], release: Release): Promise<number> {
  const began = performance.now();
  for (const node of nodes) await fleet.upgrade(node, release);
  await fleet.final();
  return (performance.now() - began) / 1000 / nodes.length;
}

/** Waits until the guide's commands tell of so many votes. */
async function awaitVotes(guide: UpgradeGuide, time: number, count: number): Promise<string> {
  return await waitUntil(`${count} votes`, async () => {
    const said = await guide.type('See who has upgraded', LAST);
    return said.includes(`${count} of ${WITNESSES} vote for ${NEXT_VERSION} at ${timeText(time)}`) ? said : undefined;
  });
}

/**
 * Four of seven have the release when its time comes: the chain goes on under its rules, and everybody can read why.
 * Then one of them goes back. Returns how many seconds an upgrade takes.
 */
async function withTooFew(fleet: WitnessFleet, guide: UpgradeGuide, next: NextRelease): Promise<number> {
  const time = nowSeconds() + 40;
  const secondsEach = await upgradeAll(fleet, EARLY, next.at(time));
  const [first, old] = [fleet.program(0), fleet.program(LAST)];
  guide.assertSaid('See who has upgraded', await awaitVotes(guide, time, EARLY.length));
  await waitUntil('two rounds behind the time', async () => (await headTime(old)) > time + 2 * WITNESSES || undefined);
  for (const program of fleet.running) {
    const { current, next: agreed } = await fetchHardforks(program);
    assert.deepEqual([current, agreed], [CURRENT_VERSION, CURRENT_VERSION]);
  }
  assert.equal(await broadcastRefusal(first, note('too early')), 'hardfork_not_applied');
  await send(first, [creation('0.050000')], 'alice');
  await agree(fleet.programs, 0);
  assert.equal(fleet.running.length, WITNESSES);

  await guide.type('Go back before the activation', BACK);
  await awaitVotes(guide, time, EARLY.length - 1);
  return secondsEach;
}

/** The fifth has it in time. Returns the block of the activation. */
async function withEnough(fleet: WitnessFleet, release: Release, time: number): Promise<number> {
  await upgradeAll(fleet, [...EARLY, FIFTH], release);
  for (const program of fleet.running)
    await waitUntil('what the witnesses agreed on', async () => {
      const { current, next, nextTime } = await fetchHardforks(program);
      assert.equal(current, CURRENT_VERSION);
      return (next === NEXT_VERSION && nextTime === timeText(time)) || undefined;
    });
  const first = fleet.program(0);
  assert.ok((await headTime(first)) < time, 'the operators were in time');
  assert.equal(await broadcastRefusal(first, note('early')), 'hardfork_not_applied');
  const { body } = await fleet.program(LATE).http('GET', '/health', {});
  assert.match(
    body,
    /the witnesses have agreed on version 1\.3\.0, which this program .* this node stops when it becomes active/,
  );

  await waitUntil('the hardfork', async () => (await fetchHardforks(first)).current === NEXT_VERSION || undefined);
  const number = await findFirstBlock(first, time);
  for (const node of [...EARLY, FIFTH]) {
    const program = fleet.program(node);
    await waitUntil('the block of the hardfork', async () => (await fetchStand(program)).head >= number || undefined);
    assert.equal(await findFirstBlock(program, time), number);
    assert.ok(
      (await virtualOperations(program, number)).includes('hardfork'),
      `block ${number} has it at node ${node}`,
    );
    assert.equal((await fetchHardforks(program)).last, NEXT_HARDFORK);
  }
  return number;
}

/** A node that does not know the hardfork ends, and says why. */
async function assertOutdated(guide: UpgradeGuide, program: Program, heading = 'A node is late'): Promise<void> {
  assert.equal(await within('the end of an old node', program.exited), OUTDATED, program.stderr);
  guide.assertSaid(heading, program.stderr);
}

test('seven witnesses upgrade their chain: four are too few, five activate it everywhere at once, and who was late catches up', async () => {
  const next = NextRelease.build(site.path('next'));
  const fleet = await WitnessFleet.begin(site);
  const guide = new UpgradeGuide(fleet);
  assert.match(await guide.type('Check how many votes it needs', 0), /by the votes of 5 of the 7/);
  const secondsEach = await withTooFew(fleet, guide, next);

  const time = nowSeconds() + NOTICE_SECONDS + Math.ceil(3 * WITNESSES + 2 * (REQUIRED * secondsEach));
  const release = next.at(time);
  const number = await withEnough(fleet, release, time);
  for (const node of [LATE, LAST]) await assertOutdated(guide, fleet.program(node));
  const going = fleet.program(0);
  await fleet.final(number + WITNESSES);
  assert.match(await guide.type('The day', 0), new RegExp(`"current_hardfork_version": ?"${NEXT_VERSION}"`));
  const { block } = await send(going, [note('hello')], 'alice');
  assert.equal(await broadcastRefusal(going, creation('0.050000')), 'insufficient_fee');
  await send(going, [creation('0.100000')], 'alice');
  await fleet.final(block);

  // They have kept their data. As long as the program is the former one, it stops again.
  const again = fleet.launch(['run', '--config', fleet.configPath(LAST)]);
  await assertOutdated(guide, again);
  await guide.type('A node is late', LATE, release);
  await guide.type('Upgrade your node', LAST, release);
  await agree(fleet.running, number);
  for (const node of [LATE, LAST])
    await waitUntil(`a block of ${fleet.witnessName(node)}`, async () => await hasVoted(fleet, node, number));
  await fleet.final(number);
  await takeElsewhere(fleet, guide, release, number);
  guide.assertWhole();
  await fleet.stop();
});

/** True when the witness of a node has reported the new version in a block of its own behind that number. */
async function hasVoted(fleet: WitnessFleet, node: number, number: number): Promise<true | undefined> {
  const said = await fleet.program(0).result('alexandria_api.get_witness', { owner_account: fleet.witnessName(node) });
  const isNew = textMember(said, 'witness.running_version') === NEXT_VERSION;
  return (isNew && numberMember(said, 'witness.last_confirmed_block_num') > number) || undefined;
}

/** Export and import, snapshot and check of a folder, across the activation. */
async function takeElsewhere(
  fleet: WitnessFleet,
  guide: UpgradeGuide,
  release: Release,
  number: number,
): Promise<void> {
  const genesis = site.path('genesis.json');
  const final = await fleet.final(number + 1);
  const snapshot = site.path('state.avro');
  await fleet.done(['snapshot', 'create', '--url', fleet.url(LAST), '--out', snapshot], release);
  assert.equal(await fleet.program(LAST).stop(), 0);
  const folder = fleet.nodeFolder(LAST);
  await fleet.done(['verify', '--data-dir', folder, '--genesis', genesis], release);
  const log = site.path('block_log');
  await fleet.done(['export', '--data-dir', folder, '--block-log', log], release);

  const importing = ['import', '--genesis', genesis, '--block-log', log, '--data-dir'];
  const loading = ['snapshot', 'load', snapshot, '--own', '--data-dir'];
  await fleet.done([...importing, site.path('imported')], release);
  await fleet.done([...loading, site.path('loaded')], release);
  const joining = ['run', '--genesis-json', genesis, '--webserver-http-endpoint', '127.0.0.1:0'];
  joining.push('--p2p-endpoint', '127.0.0.1:0', ...fleet.seeds.flatMap((seed) => ['--p2p-seed-node', seed]));
  for (const name of ['imported', 'loaded']) {
    const node = fleet.launch([...joining, '--data-dir', site.path(name)], release);
    await node.ready();
    await agree([node, ...fleet.running], final);
    assert.equal(await node.stop(), 0, node.stderr);
  }

  await assertOutdated(guide, fleet.launch([...importing, site.path('imported_by_former')]));
  await fleet.done([...importing, site.path('imported_by_former')], release);
  cpSync(folder, site.path('former'), { recursive: true });
  for (const words of [
    [...loading, site.path('loaded_by_former')],
    [...joining, '--data-dir', site.path('former')],
  ])
    await assertOutdated(guide, fleet.launch(words), 'An old program and new data');
  await fleet.upgrade(LAST, release);
  await agree(fleet.running, final);
}
