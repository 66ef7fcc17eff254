import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '../../../src/base/exit_codes.ts';
import { checks } from '../../../src/cli/doctor/checks/index.ts';
import { folderElsewhere, placeOfNode } from '../../../src/data_folder/folder_elsewhere.ts';
import { openFolderCopy } from '../../../src/data_folder/folder_copy.ts';
import { journalPath } from '../../../src/cli/witness/journal.ts';
import { readChainId, type Facts } from '../../../src/cli/doctor/facts.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { holderOfPort } from '../../../src/cli/doctor/port_holder.ts';
import type { RunningNode, VoteFacts } from '../../../src/cli/doctor/running_node.ts';
import { EVIDENCE_FILE, EvidenceFile } from '../../../src/data_folder/evidence_file.ts';
import { readConfig } from '../../../src/settings/read_config.ts';
import { PROGRAM_VERSION } from '../../../src/system/program_version.ts';
import { setFormat } from '../../builders/other_format.ts';
import { pastChain } from '../../builders/past_chain.ts';
import { testKeyText } from '../../builders/chain.ts';
import { contradictingCertificates, contradictingVotes } from '../../builders/contradictions.ts';

// These findings take too long to provoke with real programs; the rest is in test/services.

const project = fileURLToPath(new URL('../../../../', import.meta.url));
const readProjectFile = (path: string): string => readFileSync(join(project, path), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'pharos-doctor-'));

after(() => rmSync(folder, { recursive: true }));

const well: RunningNode = {
  isReady: true,
  problems: [],
  head: 100,
  headAgeSeconds: 1,
  clockOffsetSeconds: 0,
  setsOwnTime: false,
  peers: 3,
  blocksBehind: 0,
  version: PROGRAM_VERSION,
  diskFullInHours: undefined,
  httpServer: 'node:http, as the test says',
  finality: undefined,
  voting: undefined,
  hardforks: undefined,
  peerHeads: [],
  witnesses: [],
};

function makeFacts(
  flags: Readonly<Record<string, unknown>>,
  running: Partial<RunningNode> | undefined,
  rest: Partial<Facts> = {},
): Facts {
  const { values } = readConfig({ iniFile: undefined, environment: {}, flags: { 'data-dir': folder, ...flags } });
  const node = running && { ...well, ...running };
  return {
    values,
    notices: [],
    dataFolder: folder,
    holder: undefined,
    running: node,
    url: 'http://127.0.0.1:1',
    runningPid: undefined,
    ...rest,
  };
}

async function runCheck(check: string, facts: Facts): Promise<readonly Finding[]> {
  return (await checks[check]?.(facts)) ?? assert.fail(`a check ${check}`);
}

async function findingTexts(check: string, facts: Facts): Promise<string[]> {
  return (await runCheck(check, facts)).map(({ state, found }) => `${state}: ${found}`);
}

test('a node that lacks blocks is behind, one whose peers lack them names those', async () => {
  assert.deepEqual(await findingTexts('peers', makeFacts({}, { blocksBehind: 40 })), [
    'wrong: it lacks 40 blocks that its 3 peers have',
  ]);
  const peerHeads = [99, 97, 50, 98].map((head, k) => ({ address: `10.0.0.${k}:9290`, head }));
  assert.deepEqual(await findingTexts('peers', makeFacts({}, { peerHeads })), [
    'ok: it is connected with 3, and has what they have',
    'look: behind this node: 10.0.0.1:9290 (3 blocks), 10.0.0.2:9290 (50 blocks)',
  ]);
  const many = Array.from({ length: 7 }, (_, k) => ({ address: `10.0.1.${k}:9290`, head: 1 }));
  assert.match(
    (await findingTexts('peers', makeFacts({}, { peerHeads: many }))).at(-1) ?? '',
    /10\.0\.1\.4:9290 \(99 blocks\) and 2 more$/,
  );
});

test('it says which server answers HTTP, and why: that of the node that runs, or the one that the settings choose', async () => {
  assert.equal(
    (await findingTexts('versions', makeFacts({}, {}))).at(1),
    'ok: HTTP is answered by node:http, as the test says',
  );
  const chosen = async (flags: Readonly<Record<string, unknown>>): Promise<string | undefined> =>
    (await findingTexts('versions', makeFacts(flags, undefined))).at(1);
  assert.equal(
    await chosen({ 'webserver-http-server': 'node' }),
    'ok: HTTP would be answered by node:http, as webserver-http-server says',
  );
  assert.equal(
    await chosen({ 'trusted-proxy': ['10.0.0.1'] }),
    'ok: HTTP would be answered by node:http, because trusted-proxy is set',
  );
  assert.match((await chosen({})) ?? '', /HTTP would be answered by (?:uWebSockets\.js, release|node:http, because) /);
});

test('a node of another version than the program is told to be restarted', async () => {
  assert.equal((await runCheck('versions', makeFacts({}, {}))).length, 2);
  assert.equal(
    (await findingTexts('versions', makeFacts({}, { version: '0.0.9' }))).at(-1),
    'look: the node that runs is of version 0.0.9',
  );
});

test('a folder of another version is left as it is, one of another chain is named with its genesis', async () => {
  const past = await pastChain(join(folder, 'past'), 1);
  const other = await pastChain(join(folder, 'other'), 2);
  const adviceTexts = async (genesisFile: string): Promise<readonly string[]> =>
    (
      await runCheck(
        'data_folder',
        makeFacts({ 'genesis-json': genesisFile }, undefined, { dataFolder: past.dataFolder }),
      )
    ).map(({ state, advice }) => `${state}: ${advice}`);
  assert.match((await adviceTexts(past.genesisFile))[0] ?? '', /^ok: /);
  assert.match((await adviceTexts(other.genesisFile))[0] ?? '', /^wrong: name the data-dir or the genesis-json that/);
  for (const versionsAway of [1, -1]) {
    setFormat(past.dataFolder, versionsAway);
    for (const genesisFile of [past.genesisFile, other.genesisFile])
      assert.match(
        (await adviceTexts(genesisFile))[0] ?? '',
        /^wrong: keep the folder as it is, and start the version/,
      );
    setFormat(past.dataFolder, 0);
  }
});

test('a version that the running program does not know is worth a look, and wrong once it is agreed on', async () => {
  const report = (...names: readonly string[]): Partial<RunningNode> => ({
    hardforks: {
      ...{ id: 0n, processed_hardforks: [], last_hardfork: 2, current_hardfork_version: '1.2.0' },
      ...{ next_hardfork: '1.2.0', next_hardfork_time: '2027-01-01T00:00:00', supported_version: '1.2.0' },
      ...{ required_votes: 3, scheduled: [], planned: [], votes: [] },
      warnings: names.map((name) => ({ name, text: `what ${name} says`, advice: 'what to do' })),
    },
  });
  assert.match((await findingTexts('hardforks', makeFacts({}, undefined)))[0] ?? '', /^ok: no node runs/);
  assert.deepEqual(await findingTexts('hardforks', makeFacts({}, report())), [
    'ok: version 1.2.0 is active; the program that runs knows 1.2.0',
  ]);
  assert.deepEqual(await findingTexts('hardforks', makeFacts({}, report('unknown_hardfork'))), [
    'wrong: what unknown_hardfork says',
  ]);
  assert.deepEqual(await findingTexts('hardforks', makeFacts({}, report('unknown_version', 'too_few_witnesses'))), [
    'look: what unknown_version says',
    'look: what too_few_witnesses says',
  ]);
  // The check of the genesis says this.
  assert.match((await findingTexts('hardforks', makeFacts({}, report('threshold_below_quorum'))))[0] ?? '', /^ok: /);
});

test('a clock that a node has found out counts, ahead or behind', async () => {
  assert.deepEqual(await findingTexts('clock', makeFacts({}, { clockOffsetSeconds: -9 })), [
    'wrong: it is 9 seconds behind the times of blocks',
  ]);
  assert.deepEqual(await findingTexts('clock', makeFacts({}, { clockOffsetSeconds: 7 })), [
    'wrong: it is 7 seconds ahead of the times of blocks',
  ]);
  assert.deepEqual(await findingTexts('clock', makeFacts({}, {})), ['ok: it agrees with the times of blocks']);
});

test('blocks of a chain that sets its own time say nothing about the clock', async () => {
  const moved = makeFacts({}, { setsOwnTime: true });
  assert.deepEqual(await findingTexts('clock', moved), [
    'ok: the chain sets its own time, so its blocks say nothing about this clock',
  ]);
  assert.match((await findingTexts('node', moved))[0] ?? '', /head block 100, at a time that the chain sets itself$/);
});

test('a clock and an old head have one answer', async () => {
  const age = 280_901_373;
  assert.deepEqual(await findingTexts('clock', makeFacts({}, { headAgeSeconds: age })), [
    `look: the head block is ${age} seconds old by this machine's clock: either no block has come since, or the clock is ahead`,
  ]);
  assert.deepEqual(await findingTexts('clock', makeFacts({}, { headAgeSeconds: 4 })), [
    'ok: it agrees with the times of blocks',
  ]);
});

test('nobody is told to stop a node that answers, whatever folder it has', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const flags = { 'webserver-http-endpoint': `127.0.0.1:${address.port}`, 'p2p-endpoint': '127.0.0.1:0' };
    const [stranger] = await runCheck('ports', makeFacts(flags, undefined));
    assert.match(stranger?.advice ?? '', /^stop that one/);
    assert.deepEqual(await findingTexts('ports', makeFacts(flags, {}, { runningPid: process.pid })), [
      `ok: the node listens on ${address.port}`,
    ]);
  } finally {
    server.close();
  }
});

test('relative paths are those of the running node, where its process has a folder of that name', async () => {
  const [here, there] = [process.cwd(), mkdtempSync(join(folder, 'started-'))];
  const program = `
    import { DataFolder } from ${JSON.stringify(new URL('../../../src/data_folder/data_folder.js', import.meta.url).href)};
    import { createServer } from 'node:http';
    await DataFolder.lock('elsewhere', 'run');
    const server = createServer((_, answer) => answer.end('{"head_block_number":1}'));
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const node = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: there,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(node.stdout, 'data')) as [Buffer];
    const pid = holderOfPort(Number(line.toString()))?.pid;
    assert.equal(pid, node.pid);
    assert.equal(placeOfNode(node.pid ?? 0, 'elsewhere'), realpathSync(there));
    assert.equal(placeOfNode(node.pid ?? 0, 'other'), undefined);
    assert.equal(placeOfNode(process.pid, 'elsewhere'), undefined);
    assert.equal(process.cwd(), here);
    // The commands that read a folder find the same one, and nobody is told to stop the node.
    const found = join(realpathSync(there), 'elsewhere');
    assert.deepEqual(folderElsewhere('elsewhere'), { folder: found, pid: node.pid });
    assert.equal(folderElsewhere('other'), undefined);
    assert.equal(folderElsewhere(join(there, 'elsewhere')), undefined);
    for (const [command, instead] of [
      ['verify', /pharos doctor/],
      ['snapshot create', /--url/],
      ['export', /--url/],
    ] as const)
      for (const named of ['elsewhere', found])
        await assert.rejects(openFolderCopy(named, command), ({ message }: Error) => {
          assert.ok(
            message.startsWith(`${found} is in use by another process: process ${node.pid} (pharos run) has it; `),
            message,
          );
          assert.match(message, instead);
          assert.doesNotMatch(message, /stop that|stop it/);
          return true;
        });
    assert.throws(() => journalPath('elsewhere.signed'), /there is no signing journal at elsewhere\.signed/);
    writeFileSync(`${found}.signed`, '');
    assert.equal(journalPath('elsewhere.signed'), `${found}.signed`);
  } finally {
    node.kill();
  }
});

test('a disk that is full within a day is worth a look', async () => {
  assert.match(
    (await findingTexts('disk', makeFacts({}, { diskFullInHours: 5 })))[0] ?? '',
    /^look: .* MiB left, and none in 5 hours/,
  );
  assert.match((await findingTexts('disk', makeFacts({}, { diskFullInHours: 48 })))[0] ?? '', /^ok/);
});

test('a node that has its folder and does not answer is told by the number of its process, one that has problems by these', async () => {
  const holder = { pid: 12, command: 'run' };
  assert.deepEqual(await findingTexts('node', makeFacts({}, undefined, { holder })), [
    `wrong: process 12 (pharos run) has ${folder}, and no node answers at http://127.0.0.1:1`,
  ]);
  assert.deepEqual(await findingTexts('node', makeFacts({}, { problems: ['this', 'that'] }, { holder })), [
    'ok: it runs: head block 100, 1 seconds old',
    'wrong: this',
    'wrong: that',
  ]);
  assert.match(
    (await findingTexts('node', makeFacts({}, { isReady: false }, { holder })))[0] ?? '',
    /^wrong: it runs and is behind/,
  );
  assert.match(
    (await findingTexts('node', makeFacts({}, {})))[1] ?? '',
    /^look: the node at .* has another data folder/,
  );
});

test('a witness that produces on an old head, or below a safe participation, is worth a look; a locked key is wrong', async () => {
  const journal = join(folder, 'journal');
  const hex = (digit: string, bytes: number): string => digit.repeat(2 * bytes);
  const foreign = { chain: hex('a', 32), key: hex('2', 33), foreign: 7, digest: hex('b', 32), id: hex('c', 20) };
  writeFileSync(journal, `${JSON.stringify(foreign)}\n`);
  const flags = {
    witness: ['alice'],
    'private-key-file': ['alice.key'],
    'signing-journal': journal,
    'enable-stale-production': true,
    'required-participation': '10',
  };
  assert.deepEqual(
    (await runCheck('witness', makeFacts(flags, undefined))).map(({ state }) => state),
    ['wrong', 'look', 'look'],
  );
  assert.match(
    (await findingTexts('witness', makeFacts(flags, undefined)))[0] ?? '',
    /another machine has signed with a key of this one$/,
  );
  assert.match(
    (await findingTexts('witness', makeFacts(flags, {}))).at(-1) ?? '',
    /^wrong: the chain knows no witness alice$/,
  );
});

const votes = {
  ...{ epoch: 3, voters: 7, quorum: 5, missing: 0, missingNames: [], stalledSince: undefined },
} as const;

test('it says what is irreversible, who does not vote, and since when no block has become irreversible', async () => {
  const says = async (standing: Partial<VoteFacts> | undefined): Promise<string[]> =>
    await findingTexts(
      'finality',
      makeFacts({}, { finality: { irreversible: 90, confirmed: 60, votes: standing && { ...votes, ...standing } } }),
    );
  assert.deepEqual(await findingTexts('finality', makeFacts({}, {})), [
    'ok: confirmations of witnesses make blocks irreversible on this chain',
  ]);
  const numbers = 'block 90 is irreversible, block 60 is confirmed';
  assert.deepEqual(await says(undefined), [`ok: ${numbers}; the node has not seen a whole slot yet`]);
  assert.deepEqual(await says({}), [`ok: ${numbers}; 7 of 7 voters of epoch 3 vote, 5 are needed`]);
  const one = { missing: 1, missingNames: ['alice'] };
  const six = `${numbers}; 6 of 7 voters of epoch 3 vote, 5 are needed; no vote for ten slots from alice`;
  assert.deepEqual(await says(one), [`look: ${six}`]);
  const two = `${numbers}; 5 of 7 voters of epoch 3 vote, 5 are needed; no vote for ten slots from alice, bob`;
  const both = { missing: 2, missingNames: ['alice', 'bob'] };
  assert.deepEqual(await says(both), [`wrong: ${two}; one more that is missing stops finality`]);
  assert.deepEqual(await says({ ...both, stalledSince: '2026-11-27T05:00:00' }), [
    `wrong: ${two}; no block since 2026-11-27T05:00:00`,
  ]);
});

test('a replaced key that votes on is named, and one whose secret is gone is wrong while nobody votes with it', async () => {
  const voting: NonNullable<RunningNode['voting']> = {
    ...{
      epoch: 3,
      final_block_num: 90,
      voters: 1,
      quorum: 1,
      votes: [],
      own: [],
      journals: [],
      lacking: [],
      evidence: [],
    },
    ...{ certificate_block_num: 90, certificate_votes: 1, certificate_time: '2026-11-27T05:00:00' },
    ...{ stalled_since: '1970-01-01T00:00:00', stalled_seconds: 0, stalls: 0 },
  };
  const says = async (more: Partial<typeof voting>): Promise<string[]> =>
    (await findingTexts('finality', makeFacts({}, { voting: { ...voting, ...more } }))).slice(1);
  const own = { key: 'PHR1', last_view: 1, lock_view: 1, lock_block_num: 1, is_whole: true, is_stopped: false };
  assert.deepEqual(await says({ own: [{ ...own, is_replaced: false }] }), []);
  assert.deepEqual(await says({ own: [{ ...own, is_replaced: true }] }), [
    'look: PHR1 was replaced on the chain and votes until epoch 4 begins',
  ]);
  assert.match(
    (await says({ own: [{ ...own, is_replaced: false, is_stopped: true }] })).join(),
    /^wrong: PHR1 does not/,
  );
  const voter = { key: 'PHR2', witness: 'alice', cast: 1, missed: 1 };
  for (const is_missing of [false, true]) {
    const [said = ''] = await says({ lacking: ['PHR2'], votes: [{ ...voter, is_missing }] });
    assert.match(said, /this machine has voted with PHR2, which votes until epoch 4 begins, and has its secret no/);
    assert.equal(said.startsWith('wrong'), is_missing);
  }
});

test('evidence against voters is found in the data folder of a node that does not run', async () => {
  const stopped = makeFacts({ 'initminer-mining-pubkey': testKeyText('initminer') }, undefined);
  const chain = readChainId(stopped.values) ?? assert.fail('a chain');
  const path = join(folder, EVIDENCE_FILE);
  const kept = new EvidenceFile(folder, chain);
  const says = async (): Promise<string> => (await findingTexts('finality', stopped)).slice(1).join('\n');
  assert.equal(await says(), '');
  kept.write([contradictingVotes(chain)]);
  assert.match(await says(), /^look: .*pharos-evidence\.txt: 1 times a voter has signed two/);
  kept.write([contradictingCertificates(chain)]);
  assert.match(await says(), /^wrong: .*pharos-evidence\.txt: 1 times certificates contradict each/);
  writeFileSync(path, 'votes');
  assert.match(await says(), /^look: .*line 1 can't be read/);
  rmSync(path);
  mkdirSync(path);
  assert.match(await says(), /^look: cannot read .*pharos-evidence\.txt/);
  rmSync(path, { recursive: true });
});

test('a setting that a node would not start with is wrong, one without effect worth a look', async () => {
  assert.match((await findingTexts('settings', makeFacts({ checkpoint: '[1]' }, undefined)))[0] ?? '', /^wrong: /);
  const notices = ['shared-file-size has no effect: RocksDB grows'];
  assert.equal((await findingTexts('settings', makeFacts({}, undefined, { notices }))).at(-1), `look: ${notices[0]}`);
});

test('what is odd about a genesis is told to its operator, and nothing where all is well', async () => {
  const file = join(folder, 'genesis.json');
  const sees = async (members: object): Promise<string[]> => {
    writeFileSync(file, JSON.stringify(members));
    return await findingTexts('genesis', makeFacts({ 'genesis-json': file }, undefined));
  };
  const key = 'PHR6zbV38b3xDE1wmf8cUM89ygeCet52ebwRJVP8JmrFiWPDV1KAS';
  const sound = {
    ...{ initial_public_key: key, initial_signing_key: key, initial_balace: 400_000_000_000, finality: true },
    initial_accounts: [
      { name: 'anna', key: 'PHR5Kwq4n5721QvsvJrhNv6jjvZFxvZdb2RarjgtauMRe9ajqR8Ta', balance: 400_000_000_000 },
    ],
  };
  assert.deepEqual(await sees({ ...sound, hardfork_req_witnesses: 35 }), [
    'ok: nothing is odd about it; 35 of 51 witnesses activate a hardfork',
  ]);
  assert.deepEqual(await sees(sound), [
    'look: hardfork_req_witnesses: 31 of 51 activate a hardfork, but 35 are needed to go on; an activation by 31 would stop the chain',
  ]);
  assert.deepEqual(await sees({ max_witnesses: 0 }), [], 'the check of settings tells');
});

test('the guide for a node that is down has a line for each code that a node ends with', () => {
  // The other two are those of commands that ask a node.
  const { refused, alarm } = exitCodes;
  const codes = [...readProjectFile('src/pages/guides/down.md').matchAll(/^\| (\d+) \|/gm)].map(([, code]) =>
    Number(code),
  );
  assert.deepEqual(
    codes,
    Object.values(exitCodes).filter((code) => code !== refused && code !== alarm),
  );
});

test('every guide that an advice names is there under that title', () => {
  const guides = readdirSync(join(project, 'src/pages/guides'));
  const titles = new Set(guides.map((file) => /^# (.*)$/m.exec(readProjectFile(`src/pages/guides/${file}`))?.[1]));
  const named = readdirSync(join(project, 'src/cli/doctor/checks')).flatMap((file) =>
    [...readProjectFile(`src/cli/doctor/checks/${file}`).matchAll(/guide "([^"]*)"/g)].map(([, title]) => title),
  );
  assert.ok(named.length > 3);
  assert.deepEqual(
    named.filter((title) => !titles.has(title)),
    [],
  );
});
