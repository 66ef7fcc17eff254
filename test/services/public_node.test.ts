import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { encodeWif } from '../../src/crypto/wif.ts';
import { profileNamed } from '../../src/node/chain_settings.ts';
import { devGenesisText, devSecret } from '../../src/node/dev/dev_genesis.ts';
import { waitFor } from '../outside/wait_for.ts';
import { isLong, project, succeed, temporaryFolder } from './commands.ts';
import { FreshRoot, isInstalled } from './fresh_root.ts';

// The guide to a public node, typed as it stands there, in a fresh root: in the long form Debian's, with all that is fetched; otherwise one of this
// machine's programs, with the clone as set-up has left it. No systemd runs in it: its commands do what they do offline, and the test starts services.

const page = readFileSync(join(project, 'src/pages/guides/public_node.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(({ index, 1: language = '', 2: content = '' }) => ({
  language,
  content,
  path: [...page.slice(0, index).matchAll(/`(\/etc\/[\w./-]+)`/g)].at(-1)?.[1] ?? '',
}));
const roots: FreshRoot[] = [];
const SEED_PORT = 9299;
// Where root types what the page says.
const HOME = '/root';

after(() => roots.forEach((root) => root.remove()));

test('a public node comes up by the guide alone, behind TLS, and its doctor finds nothing wrong', async () => {
  const root = isLong ? await freshDebian() : await FreshRoot.ofThisMachine();
  roots.push(root);
  const given = temporaryFolder();
  const genesis: object = JSON.parse(devGenesisText(profileNamed('default'), Math.trunc(Date.now() / 1000) - 60));
  writeFileSync(join(given, 'genesis.json'), JSON.stringify({ ...genesis, block_interval: 1 }));
  await root.copyIn(join(given, 'genesis.json'), `${HOME}/genesis.json`);
  for (const { language, content, path } of blocks)
    if (language !== 'sh') await write(root, path, content.replace('SEED:9290', `127.0.0.1:${SEED_PORT}`));
    else for (const line of content.trim().split('\n')) await typed(root, line);
});

/** A machine that has what every machine with Debian has. */
async function freshDebian(): Promise<FreshRoot> {
  const root = await FreshRoot.ofDebian();
  const debian = { fetches: true, environment: { DEBIAN_FRONTEND: 'noninteractive' } };
  await root.succeed(['apt-get', 'update'], debian);
  await root.succeed(['apt-get', 'install', '--yes', '--no-install-recommends', 'systemd'], debian);
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: project, encoding: 'utf8' });
  const clone = temporaryFolder();
  for (const file of files.trim().split('\n')) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(project, file), join(clone, file));
  }
  await succeed('git', ['init', '--quiet'], { folder: clone });
  await succeed('git', ['add', '--all'], { folder: clone });
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  await succeed('git', [...who, 'commit', '--quiet', '--message=clone'], { folder: clone });
  await root.copyIn(clone, '/repository');
  return root;
}

async function write(root: FreshRoot, path: string, content: string): Promise<void> {
  assert.notEqual(path, '', content);
  await root.succeed(['sh', '-c', 'mkdir -p "$(dirname "$0")" && printf %s "$1" > "$0"', path, content]);
}

async function typed(root: FreshRoot, line: string): Promise<void> {
  if (!isLong && line.startsWith('apt-get')) return assertInstalled(line);
  if (!isLong && line.startsWith('git clone')) return await root.lay(project, '/opt/pharos');
  if (/ doctor /.test(line)) await untilInStep(root);
  const fetches = /^(?:apt-get|git clone|node \/opt\/pharos\/scripts\/setup)/.test(line);
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const environment = { DEBIAN_FRONTEND: 'noninteractive', npm_config_registry: registry };
  await root.succeed(['sh', '-c', offline(line.replace('REPOSITORY', '/repository'))], { folder: HOME, fetches, environment });
  if (line.endsWith('enable --now pharos')) await startNodes(root);
  if (line.endsWith('reload nginx')) root.start(['nginx', '-g', 'daemon off;']);
  if (line.endsWith('--now nftables')) await root.succeed(['nft', '--file', '/etc/nftables.conf']);
  if (line.endsWith('pharos-backup.timer')) await startBackup(root);
}

/** Without a running systemd units can be enabled, and the test starts them; one that runs is told nothing. */
function offline(line: string): string {
  return /^systemctl (?:reload|restart) [\w-]+$/.test(line) ? 'true' : line.replace('systemctl enable --now', 'systemctl enable');
}

function assertInstalled(line: string): void {
  const names = / --no-install-recommends (.*)$/.exec(line)?.[1] ?? '';
  // Node brings its npm where it does not come from Debian.
  for (const name of names.split(' ').filter(Boolean)) assert.ok(name === 'npm' || isInstalled(name), name);
}

/** What systemd starts by the unit, and the node of the network that the settings name. */
async function startNodes(root: FreshRoot): Promise<void> {
  await root.succeed(['test', '-L', '/etc/systemd/system/multi-user.target.wants/pharos.service']);
  await root.succeed(['install', '--directory', '--owner=pharos', '--group=pharos', '--mode=750', '/var/lib/pharos']);
  const witness = ['--witness', 'initminer', '--private-key', encodeWif(devSecret('initminer')), '--enable-stale-production'];
  const flags = ['--genesis-json', 'genesis.json', '--data-dir', 'seed', '--webserver-http-endpoint', '127.0.0.1:0', ...witness];
  const peers = ['--p2p-endpoint', `127.0.0.1:${SEED_PORT}`, '--required-participation', '0', '--accept-low-participation'];
  root.start(['node', '/opt/pharos/scripts/pharos.js', 'run', ...flags, ...peers], { folder: HOME });
  root.start(await commandOf(root, 'pharos.service'), { folder: '/var/lib/pharos', user: await userOf(root) });
}

async function commandOf(root: FreshRoot, unit: string): Promise<readonly string[]> {
  const text = await root.succeed(['cat', `/etc/systemd/system/${unit}`]);
  assert.match(text, /^User=pharos$/m);
  return /^ExecStart=(.*)$/m.exec(text)?.[1]?.split(' ') ?? assert.fail(text);
}

async function userOf(root: FreshRoot): Promise<{ readonly uid: number; readonly gid: number }> {
  const [uid = 0, gid = 0] = (await root.succeed(['sh', '-c', 'id -u pharos; id -g pharos'])).trim().split('\n').map(Number);
  assert.ok(uid > 0 && gid > 0);
  return { uid, gid };
}

async function startBackup(root: FreshRoot): Promise<void> {
  const command = await commandOf(root, 'pharos-backup.service');
  const within = { folder: '/var/lib/pharos', user: await userOf(root) };
  await waitFor('a snapshot', async () => (await root.run(command, within)).code === 0 || undefined);
  await root.succeed(['node', '/opt/pharos/scripts/pharos.js', 'snapshot', 'verify', '--own', '/var/lib/pharos/backup.avro']).catch(String);
}

/** Until it has what its peer has, and as many slots have a block as a chain needs to be well. */
async function untilInStep(root: FreshRoot): Promise<void> {
  const health = 'fetch("http://127.0.0.1:9196/health").then(async (answer) => console.log(await answer.text()))';
  await waitFor('a node that is well', async () => /"status":"ok"/.test((await root.run(['node', '-e', health])).stdout) || undefined);
}
