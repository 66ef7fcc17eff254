import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { encodeWif } from '../../src/crypto/wif.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { devGenesisText, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { waitUntil, within } from '../outside/wait_until.ts';
import { isLong, project, succeed, temporaryFolder, type Running } from './commands.ts';
import { faketimeLibrary } from './faketime.ts';
import { findChild, FreshRoot, isInstalled } from './fresh_root.ts';

// The guide to a public node, typed as it stands there, in a fresh root: in the long form Debian's, with all that is
// fetched; otherwise one of this machine's programs, with the clone as set-up has left it. No systemd runs in it: its
// commands do what they do offline, and the test starts services.

const readGuide = (name: string): string => readFileSync(join(project, `src/pages/guides/${name}.md`), 'utf8');
const page = readGuide('public_node');
const blocks = codeBlocks(page);
const roots: FreshRoot[] = [];
/** The nodes that units have started. */
const nodes = new Map<FreshRoot, Running>();
const SEED_PORT = 9299;
// Root types the commands of the page here.
const HOME = '/root';

after(() => roots.forEach((root) => root.remove()));

test('a public node comes up by the guide alone, behind TLS, and its doctor finds nothing wrong', async () => {
  const root = isLong ? await freshDebian() : await FreshRoot.ofThisMachine();
  roots.push(root);
  for (const { language, content, path } of blocks)
    if (language !== 'sh')
      await write(root, path, content.replace('SEED:9290', `127.0.0.1:${SEED_PORT}`).replace('ADDRESS', '127.0.0.1'));
    else for (const line of content.trim().split('\n')) await typed(root, line);
});

test('its doctor names a proxy that stands still, one that reaches no node, and a certificate that is of no use', async () => {
  const [root = assert.fail('no root')] = roots;
  await root.succeed(['nginx', '-s', 'quit']);
  await doctorSays(root, /proxy +look +trusted-proxy is 127\.0\.0\.1, and nothing on this machine listens on port 443/);
  const settings = '/etc/nginx/nginx.conf';
  await root.succeed(['sed', '--in-place=.good', 's/127.0.0.1:9193/127.0.0.1:9192/', settings]);
  await startNginx(root);
  await doctorSays(root, /proxy +WRONG +the proxy answers 502, and the node runs/);
  await root.succeed(['mv', `${settings}.good`, settings]);
  for (const [name, madeDaysAgo, said] of [
    ['other.example', 0, /proxy +WRONG +the certificate of node\.example is of another name: .*other\.example/],
    ['node.example', 40, /proxy +WRONG +the certificate of node\.example has ended, on \d{4}-\d\d-\d\d/],
    ['node.example', 0, /proxy +look +the certificate of node\.example is one that no authority vouches for/],
  ] as const) {
    await giveCertificate(root, name, madeDaysAgo);
    await root.succeed(['nginx', '-s', 'reload']);
    await doctorSays(root, said);
  }
});

/** As the guide makes it, some days before now. */
async function giveCertificate(root: FreshRoot, name: string, daysAgo: number): Promise<void> {
  const line = /^openssl req .*$/m.exec(page)?.[0] ?? assert.fail('no certificate in the guide');
  const given = temporaryFolder();
  const [program = '', ...words] = line.replaceAll('/etc/ssl', given).split(' ');
  const named = words.map((word) => (word.startsWith(given) ? word : word.replace('node.example', name)));
  const environment = { LD_PRELOAD: faketimeLibrary(), FAKETIME: `-${daysAgo}d`, NO_FAKE_STAT: '1' };
  await succeed(program, named, { folder: given, environment });
  for (const file of ['node.example.key', 'node.example.crt'])
    await root.copyTree(join(given, file), `/etc/ssl/${file}`);
}

test('it goes over to the next version, and back, as the guide to upgrades says, and is where it was', async () => {
  const [root = assert.fail('no root')] = roots;
  const section = readGuide('upgrade')
    .split(/^## /m)
    .find((each) => each.startsWith('A service, set up by the guide\n'));
  const [there = '', back = ''] = codeBlocks(section ?? '').map(({ content }) => content);
  for (const [lines, version] of [
    [there, 'pharos-2'],
    [back, 'pharos-1'],
  ] as const) {
    const before = await fetchHead(root);
    for (const line of lines.trim().split('\n')) await typed(root, line);
    const { pid } = nodes.get(root) ?? assert.fail('no node');
    assert.equal((await root.succeed(['readlink', '--canonicalize', '/opt/pharos'])).trim(), `/opt/${version}`);
    assert.ok(
      readFileSync(`/proc/${findChild(pid)}/maps`, 'utf8').includes(`/opt/${version}/`),
      'it runs what has the name',
    );
    assert.ok((await fetchHead(root)) >= before && before > 0, 'no block is lost');
  }
});

/** Without the line about a Node that is out of support, which the machine may have. */
function ownLines(stderr: string): string {
  return stderr.replace(/^pharos: Node 20 is out of support: .*\n/, '');
}

async function fetchHead(root: FreshRoot): Promise<number> {
  return Number(/"head_block_number":(\d+)/.exec(await fetchHealth(root))?.[1]);
}

test('its doctor names what a start as root has left behind, and says how to give it back', async () => {
  const [root = assert.fail('no root')] = roots;
  await stopNode(root);
  const command = await unitCommand(root, 'pharos.service');
  const service = { folder: '/var/lib/pharos', user: await readUser(root) };
  // Somebody wants to see what is wrong, and types what the unit starts.
  const tried = root.start(command, { folder: '/var/lib/pharos' });
  await waitUntil('a start as root', () => tried.said.stderr.includes('listening on') || undefined);
  tried.interrupt();
  await within('the end of what root has started', tried.finished);
  const advice = await doctorSays(
    root,
    /data folder +WRONG +.* to another user than .*, which is pharos's\n +-> (chown -R .*)\n/,
  );
  await root.succeed(['sh', '-c', advice], { folder: '/var/lib/pharos' });
  await doctorSays(root, /data folder +ok .*\n(?!data folder)/);
  await startNode(root);
  await stopNode(root);
  // A folder that is root's altogether.
  await root.succeed(['chown', '-R', 'root:root', '/var/lib/pharos/data/node']);
  await root.succeed(['chmod', '700', '/var/lib/pharos/data/node']);
  await doctorSays(root, /data folder +WRONG +cannot read data\/node: this user may not; .*it belongs to root/);
  const refused = await within('the end of a node that may not read its data', root.run(command, service));
  assert.deepEqual(
    [refused.code === 0, ownLines(refused.stderr).trim().split('\n').length],
    [false, 1],
    refused.stderr,
  );
  assert.match(refused.stderr, /this user may not; EACCES/);
  const { stdout } = await root.run(doctorWords, { folder: '/var/lib/pharos' });
  assert.match(
    stdout,
    /data folder +look +\/var\/lib\/pharos\/data\/node belongs to root, and \/var\/lib\/pharos\/data, in which it lies, to pharos/,
  );
});

test('a setting that is wrong, or that its user may not read, ends the service for good, with one line that says so', async () => {
  const [root = assert.fail('no root')] = roots;
  const service = { folder: '/var/lib/pharos', user: await readUser(root) };
  const settings = '/etc/pharos/pharos.ini';
  const unit = await root.succeed(['cat', '/etc/systemd/system/pharos.service']);
  const [, codes = ''] = /^RestartPreventExitStatus=(.*)$/m.exec(unit) ?? [];
  for (const [spoilt, said] of [
    [
      `sed --in-place 's/p2p-seed-node/p2p-seed-nod/' ${settings}`,
      /^pharos: unknown key "p2p-seed-nod" in .*pharos\.ini, line \d+; .*\n$/,
    ],
    [
      `chmod 600 ${settings}`,
      /^pharos: cannot read the configuration file .*pharos\.ini: this user may not; EACCES.*\n$/,
    ],
  ] as const) {
    await root.succeed(['sh', '-c', spoilt]);
    for (const words of [await unitCommand(root, 'pharos.service'), doctorWords]) {
      const { code, stderr } = await root.run(words, service);
      assert.match(ownLines(stderr), said);
      assert.ok(codes.split(' ').includes(String(code)), `${code}`);
    }
  }
});

const doctorWords = (
  /^cd \S+ && runuser -u pharos -- (.* doctor .*)$/m.exec(page)?.[1] ?? assert.fail('no doctor in the guide')
).split(' ');

/** Waits until the doctor, asked as the guide says, prints this; the first group. */
async function doctorSays(root: FreshRoot, wanted: RegExp): Promise<string> {
  const service = { folder: '/var/lib/pharos', user: await readUser(root) };
  let said = '';
  return await waitUntil(
    () => `the doctor to say ${wanted.source}, which said\n${said}`,
    async () => {
      const { stdout, stderr } = await root.run(doctorWords, service);
      said = stdout + stderr;
      const found = wanted.exec(said);
      return found === null ? undefined : (found[1] ?? '');
    },
  );
}

/** Returns the commands to type, and the files to write, each with the path that is named last before it. */
function codeBlocks(
  text: string,
): readonly { readonly language: string; readonly content: string; readonly path: string }[] {
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(({ index, 1: language = '', 2: content = '' }) => ({
    language,
    content,
    path: [...text.slice(0, index).matchAll(/`(\/etc\/[\w./-]+)`/g)].at(-1)?.[1] ?? '',
  }));
}

/** A machine that has what every machine with Debian has. */
async function freshDebian(): Promise<FreshRoot> {
  const root = await FreshRoot.ofDebian();
  const debian = { fetches: true, environment: { DEBIAN_FRONTEND: 'noninteractive' } };
  await root.succeed(['apt-get', 'update'], debian);
  await root.succeed(['apt-get', 'install', '--yes', '--no-install-recommends', 'systemd'], debian);
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: project,
    encoding: 'utf8',
  });
  const clone = temporaryFolder();
  for (const file of files.trim().split('\n')) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(project, file), join(clone, file));
  }
  await succeed('git', ['init', '--quiet'], { folder: clone });
  await succeed('git', ['add', '--all'], { folder: clone });
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  await succeed('git', [...who, 'commit', '--quiet', '--message=clone'], { folder: clone });
  await root.copyTree(clone, '/repository');
  return root;
}

/** Of a chain that begins now: one is well as long as no more than twelve of its slots have passed without a block. */
async function giveGenesis(root: FreshRoot): Promise<void> {
  const given = join(temporaryFolder(), 'genesis.json');
  const genesis: object = JSON.parse(devGenesisText(profileNamed('default'), Math.trunc(Date.now() / 1000)));
  writeFileSync(given, JSON.stringify({ ...genesis, block_interval: 5 }));
  await root.copyTree(given, `${HOME}/genesis.json`);
}

async function write(root: FreshRoot, path: string, content: string): Promise<void> {
  assert.notEqual(path, '', content);
  await root.succeed(['sh', '-c', 'mkdir -p "$(dirname "$0")" && printf %s "$1" > "$0"', path, content]);
}

async function typed(root: FreshRoot, line: string): Promise<void> {
  if (!isLong && line.startsWith('apt-get')) return assertInstalled(line);
  if (!isLong && line.startsWith('git clone')) return await root.lay(project, line.split(' ').at(-1) ?? '');
  if (line.endsWith(' /etc/pharos/genesis.json')) await giveGenesis(root);
  // It has what its peer has, and is well.
  if (/ doctor /.test(line)) await untilHealthSays(root, /"status":"ready","problems":\[\]/);
  const fetches = /^(?:apt-get|git clone|node \/opt\/pharos[-\d]*\/scripts\/setup)/.test(line);
  const registry = execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
  const environment = { DEBIAN_FRONTEND: 'noninteractive', npm_config_registry: registry };
  await root.succeed(['sh', '-c', offline(line.replace('REPOSITORY', '/repository'))], {
    folder: HOME,
    fetches,
    environment,
  });
  if (line.endsWith('enable --now pharos')) await startNodes(root);
  if (line.endsWith('restart pharos')) await restartNode(root);
  if (line.endsWith('reload nginx')) await startNginx(root);
  if (line.endsWith('--now nftables')) await root.succeed(['nft', '--file', '/etc/nftables.conf']);
  if (line.endsWith('pharos-backup.timer')) await startBackup(root);
}

/** Without a running systemd units can be enabled, and the test starts them; one that runs is told nothing. */
function offline(line: string): string {
  return /^systemctl (?:reload|restart) [\w-]+$/.test(line)
    ? 'true'
    : line.replace('systemctl enable --now', 'systemctl enable');
}

function assertInstalled(line: string): void {
  const names = / --no-install-recommends (.*)$/.exec(line)?.[1] ?? '';
  // Node brings its npm where it does not come from Debian.
  for (const name of names.split(' ').filter(Boolean)) assert.ok(name === 'npm' || isInstalled(name), name);
}

/** Starts the unit's command as systemd does, and the node of the network that the settings name. */
async function startNodes(root: FreshRoot): Promise<void> {
  await root.succeed(['test', '-L', '/etc/systemd/system/multi-user.target.wants/pharos.service']);
  await root.succeed(['install', '--directory', '--owner=pharos', '--group=pharos', '--mode=750', '/var/lib/pharos']);
  const witness = [
    '--witness',
    'initminer',
    '--private-key',
    encodeWif(devSecret('initminer')),
    '--enable-stale-production',
  ];
  const flags = [
    '--genesis-json',
    'genesis.json',
    '--data-dir',
    'seed',
    '--webserver-http-endpoint',
    '127.0.0.1:0',
    ...witness,
  ];
  const peers = [
    '--p2p-endpoint',
    `127.0.0.1:${SEED_PORT}`,
    '--required-participation',
    '0',
    '--accept-low-participation',
  ];
  root.start(['pharos', 'run', ...flags, ...peers], { folder: HOME });
  await startNode(root);
}

/** As systemd does. */
async function restartNode(root: FreshRoot): Promise<void> {
  await stopNode(root);
  await startNode(root);
}

async function startNode(root: FreshRoot): Promise<void> {
  const node = root.start(await unitCommand(root, 'pharos.service'), {
    folder: '/var/lib/pharos',
    user: await readUser(root),
  });
  nodes.set(root, node);
  await waitUntil(
    () => `a start, which said ${node.said.stderr}`,
    () => node.said.stderr.includes('listening on') || undefined,
  );
}

async function stopNode(root: FreshRoot): Promise<void> {
  const node = nodes.get(root) ?? assert.fail('no node');
  node.interrupt();
  assert.equal((await within('the end of the node', node.finished)).code, 0, node.said.stderr);
}

async function unitCommand(root: FreshRoot, unit: string): Promise<readonly string[]> {
  const text = await root.succeed(['cat', `/etc/systemd/system/${unit}`]);
  assert.match(text, /^User=pharos$/m);
  return /^ExecStart=(.*)$/m.exec(text)?.[1]?.split(' ') ?? assert.fail(text);
}

async function readUser(root: FreshRoot): Promise<{ readonly uid: number; readonly gid: number }> {
  const [uid = 0, gid = 0] = (await root.succeed(['sh', '-c', 'id -u pharos; id -g pharos']))
    .trim()
    .split('\n')
    .map(Number);
  assert.ok(uid > 0 && gid > 0);
  return { uid, gid };
}

async function startNginx(root: FreshRoot): Promise<void> {
  root.start(['nginx', '-g', 'daemon off;']);
  await waitUntil('nginx', async () => (await root.run(['nginx', '-s', 'reload'])).code === 0 || undefined);
}

async function startBackup(root: FreshRoot): Promise<void> {
  const service = { folder: '/var/lib/pharos', user: await readUser(root) };
  await untilHealthSays(root, /"head_block_number":[1-9]/);
  await root.succeed(await unitCommand(root, 'pharos-backup.service'), service);
  await root.succeed(['pharos', 'snapshot', 'verify', 'backup.avro'], service);
}

async function fetchHealth(root: FreshRoot): Promise<string> {
  const health = 'fetch("http://127.0.0.1:9196/health").then(async (answer) => console.log(await answer.text()))';
  const { stdout, stderr } = await root.run(['node', '-e', health]);
  return stdout + stderr;
}

async function untilHealthSays(root: FreshRoot, wanted: RegExp): Promise<void> {
  let said = '';
  await waitUntil(
    () => `the node to say ${wanted.source}, which said ${said}`,
    async () => {
      said = await fetchHealth(root);
      return wanted.test(said) || undefined;
    },
  );
}
