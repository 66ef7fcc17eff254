import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();
/** With it, a private net needs no genesis file. */
const CHAIN = ['--initminer-mining-pubkey', 'PHR8et3VRtGJTqBF91MhbUWX3YmLqqt7vhGpSV3sFi4yYY52zLdTP'];
after(() => site.clear());

async function logged(name: string, ...flags: readonly string[]): Promise<readonly string[]> {
  const place = [
    '--data-dir',
    site.path(name),
    '--webserver-http-endpoint',
    '127.0.0.1:0',
    '--p2p-endpoint',
    '127.0.0.1:0',
  ];
  const program = site.start(['run', ...CHAIN, ...place, ...flags]);
  await program.ready();
  assert.equal(await program.stop(), 0);
  return program.stderr
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('pharos: Node'));
}

test('log-format = text writes lines for people where no terminal is, of every thread', async () => {
  const lines = await logged('text', '--log-format', 'text', '--log-level', 'debug');
  for (const line of lines) assert.match(line, /^\d\d:\d\d:\d\d (?:debug|info|notice|warning|error) +\S.* \(\w+\)$/);
  for (const event of ['node_started', 'peers_port_opened', 'node_stopped'])
    assert.equal(
      lines.filter((line) => line.includes(` event=${event} `) || line.includes(` event=${event})`)).length,
      1,
    );
});

test('by itself a log that goes to no terminal is JSON, as with log-format = json, and each line is one fact', async () => {
  for (const flags of [[], ['--log-format', 'json']]) {
    const lines = await logged(`json${flags.length}`, ...flags);
    const members: { event?: string; msg: string; subject?: string }[] = lines.map((line) => JSON.parse(line));
    const facts = members.filter(({ event }) => event === 'new_chain_explained');
    assert.ok(facts.length > 10);
    for (const { msg, subject } of facts) {
      assert.match(msg, /^\S.*\S$/, 'no heading and no line that goes on');
      assert.match(subject ?? '', /^(?:Chain|Coins|Accounts|Witnesses|Irreversibility|Vesting|Sizes and fees|Odd)$/);
    }
    assert.equal(new Set(facts.map(({ msg }) => msg)).size, facts.length);
  }
});

test('the signer and the index have the flag, too', async () => {
  const keyFile = site.path('signing.key');
  assert.equal((await site.run(['keys', '--key-file', keyFile])).code, 0);
  const signer = site.start([
    'signer',
    '--socket',
    site.path('signer.sock'),
    '--private-key-file',
    keyFile,
    '--log-format',
    'text',
  ]);
  await waitUntil('a line of the signer', () => signer.stderr.includes('event=') || undefined);
  assert.equal(await signer.stop(), 0);
  for (const line of signer.stderr
    .trim()
    .split('\n')
    .filter((each) => !each.startsWith('pharos:')))
    assert.match(line, /^\d\d:\d\d:\d\d \w+ +\S.* \(signer\)$/);
  const index = await site.run(['index', '--postgres', 'postgres://nobody@127.0.0.1:1/none', '--log-format', 'xml']);
  assert.equal(index.code, 2);
  assert.match(index.stderr, /--log-format.*auto, text, json/);
});

test('another format is refused with the words that there are', async () => {
  const { code, stderr } = await site.run(['run', '--log-format', 'xml']);
  assert.equal(code, 2);
  assert.match(stderr, /log-format: .*auto, text or json/);
});
