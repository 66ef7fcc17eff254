import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { waitUntil } from '../outside/wait_until.ts';
import { isLong, project, temporaryFolder, type Running } from './commands.ts';
import { filterContext, parseStages, topOfClone, type Stage, type Step } from './containerfile.ts';
import { findChild, FreshRoot, isInstalled } from './fresh_root.ts';

// scripts/operate/Containerfile without an engine: its steps are run in roots of the test's own, and then what the
// image starts. In the long form a root is Debian's, with everything fetched and built; in the short form it has the
// programs of this machine, and the clone as set-up has left it.

const FILE = 'scripts/operate/Containerfile';
const text = readFileSync(join(project, FILE), 'utf8');
const stages = parseStages(text);
const image: Stage = stages.at(-1) ?? assert.fail('no stage');
const REVISION = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: project, encoding: 'utf8' }).trim();
/** A key of a chain that nobody has: a private net needs one. */
const KEY = 'PHR8et3VRtGJTqBF91MhbUWX3YmLqqt7vhGpSV3sFi4yYY52zLdTP';
const roots: FreshRoot[] = [];

after(() => roots.forEach((root) => root.remove()));

test('each instruction is one that is known, and another one is refused', () => {
  assert.deepEqual(
    stages.map(({ base, name }) => [base, name]),
    [
      ['docker.io/library/debian:trixie-slim', 'build'],
      ['docker.io/library/debian:trixie-slim', ''],
    ],
  );
  assert.throws(() => parseStages(`${text}\nADD http://example.com/x /x\n`), /no such instruction: ADD/);
  assert.throws(() => parseStages('FROM debian\nCOPY --chown=1 . .\n'), /COPY --chown/);
});

test('every file that is copied is there and let into the context, which has nothing of data, keys, history or what was built', () => {
  const top = filterContext([...topOfClone(), 'data', '.git', 'wallet.json', 'signing.key', 'node.ini', 'block_log']);
  assert.deepEqual(top.toSorted(), filterContext(filesOfClone().map(topFolder).filter(isFirst)).toSorted());
  for (const folder of ['scripts', 'src', 'native', 'package-lock.json', 'README.md', 'NOTICE'])
    assert.ok(top.includes(folder), folder);
  for (const folder of ['data', '.git', 'build', 'node_modules', 'wallet.json', 'signing.key'])
    assert.ok(!top.includes(folder), folder);
  for (const { steps } of stages)
    for (const step of steps)
      if (step.kind === 'copy' && step.from === undefined)
        for (const source of step.sources) {
          assert.ok(existsSync(join(project, source)), source);
          assert.ok(source === '.' || top.includes(topFolder(source)), `${source} is let into the context`);
        }
});

/** Those that git has, and those that it is to have. */
function filesOfClone(): readonly string[] {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard'];
  return execFileSync('git', words, { cwd: project, encoding: 'utf8' }).trim().split('\n');
}

function topFolder(path: string): string {
  return path.split('/')[0] ?? '';
}

function isFirst(name: string, at: number, all: readonly string[]): boolean {
  return name !== '' && all.indexOf(name) === at;
}

test('it runs as a user of its own, keeps its data in a volume, and has no key in it', () => {
  const { user, volumes, folder, ports, stopSignal } = image.settings;
  assert.deepEqual(
    [user, volumes, folder, ports, stopSignal],
    ['9193:9193', ['/var/lib/pharos'], '/var/lib/pharos', ['9193', '9290'], 'SIGTERM'],
  );
  const settings = readFileSync(join(project, 'scripts/operate/container.ini'), 'utf8');
  for (const line of [...text.split('\n'), ...settings.split('\n')].filter((each) => !each.startsWith('#')))
    assert.doesNotMatch(line, /private-key(?!-methods)|password|secret|token|\b5[HJK]\w{49}\b/i);
});

test('its steps make an image whose command serves, is well, answers over loopback and stops cleanly by its signal', async () => {
  const root = isLong ? await builtInDebian() : await builtHere();
  const container = await startNode(root);
  await waitUntil('a healthy container', async () => {
    assert.ok(!container.exited(), container.said.stderr);
    return (await root.run(image.settings.healthCheck)).code === 0 || undefined;
  });
  // Behind what enters the root and what makes a container of it.
  const pid = findChild(findChild(container.pid));
  assert.match(
    await root.succeed(['pharos', 'call', 'alexandria_api.info', '--url', 'http://127.0.0.1:9193']),
    /"head_block_number"/,
  );
  const administration = async (port: number): Promise<number | null> =>
    (await root.run(['pharos', 'peers', '--url', `http://127.0.0.1:${port}`])).code;
  assert.deepEqual(
    [await administration(9196), await administration(9193)],
    [0, 5],
    'the administration has a port of its own',
  );
  const metrics = await root.succeed([
    'node',
    '-e',
    "fetch('http://127.0.0.1:9191/metrics').then(async (a) => console.log(await a.text()))",
  ]);
  assert.match(
    metrics,
    isLong ? new RegExp(`pharos_build_info\\{version="[^"]+",revision="${REVISION}"`) : /pharos_build_info/,
  );
  assert.match(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
    /^Uid:\t9193\t9193\t9193\t9193$[^]*^CapBnd:\t0+$[^]*^NoNewPrivs:\t1$/m,
  );
  execFileSync('kill', ['-s', image.settings.stopSignal.replace(/^SIG/, ''), String(pid)]);
  const { code, stderr } = await container.finished;
  assert.deepEqual([code, /stopped: everything is on the disk/.test(stderr)], [0, true], stderr);
});

async function startNode(root: FreshRoot): Promise<Running> {
  const { entryPoint, command, user, folder, volumes } = image.settings;
  const [uid = 0, gid = 0] = user.split(':').map(Number);
  const environment = { ...image.settings.environment, PHAROS_INITMINER_MINING_PUBKEY: KEY };
  return root.startContainer([...entryPoint, ...command], volumes, { user: { uid, gid }, folder, environment });
}

/** All stages, each in a root of its own, as an engine would. */
async function builtInDebian(): Promise<FreshRoot> {
  const context = temporaryFolder();
  const files = filesOfClone();
  for (const file of files.filter((each) => filterContext([topFolder(each)]).length > 0)) {
    mkdirSync(dirname(join(context, file)), { recursive: true });
    cpSync(join(project, file), join(context, file));
  }
  const debian = await FreshRoot.ofDebian();
  roots.push(debian);
  const built = new Map<string, FreshRoot>();
  for (const stage of stages) {
    const root = await debian.copy();
    roots.push(root);
    await takeSteps(stage, root, { context, built });
    built.set(stage.name, root);
  }
  return built.get('') ?? assert.fail('no image');
}

/** The sources of a COPY. */
interface Sources {
  readonly context: string;
  readonly built: ReadonlyMap<string, FreshRoot>;
}

async function takeSteps({ steps }: Stage, root: FreshRoot, sources: Sources): Promise<void> {
  let folder = '/';
  const environment: Record<string, string> = { DEBIAN_FRONTEND: 'noninteractive', ...ofThisNpm() };
  for (const step of steps) {
    if (step.kind === 'folder') await root.succeed(['mkdir', '--parents', (folder = step.path)]);
    else if (step.kind === 'argument') environment[step.name] = REVISION;
    else if (step.kind === 'run') await root.succeed(step.command, { folder, environment, fetches: true });
    else await copyFiles(step, root, folder, sources);
  }
}

/** The registry that npm of this machine asks. */
function ofThisNpm(): Readonly<Record<string, string>> {
  return {
    npm_config_registry: execFileSync('npm', ['config', 'get', 'registry'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim(),
  };
}

async function copyFiles(
  step: Step & { kind: 'copy' },
  root: FreshRoot,
  folder: string,
  { context, built }: Sources,
): Promise<void> {
  const from = step.from === undefined ? context : (built.get(step.from)?.path ?? assert.fail(`no stage ${step.from}`));
  const target = step.target.startsWith('/') ? step.target : join(folder, step.target);
  await root.succeed(['mkdir', '--parents', target === folder ? target : dirname(target)]);
  for (const source of step.sources) await root.copyTree(join(from, source === '.' ? '/.' : source), target);
}

/** Both stages in one root with this machine's programs: what the steps would fetch has to be installed here. */
async function builtHere(): Promise<FreshRoot> {
  const root = await FreshRoot.ofThisMachine();
  roots.push(root);
  await root.lay(project, '/clone');
  for (const { steps, ...stage } of stages) {
    for (const { command } of steps.filter((step) => step.kind === 'run')) assertFetched(command.at(-1) ?? '');
    await takeSteps({ ...stage, steps: steps.filter(isDoneHere) }, root, { context: project, built: new Map() });
  }
  return root;
}

/** That what it installs is there. */
function assertFetched(line: string): void {
  const [, names = ''] = /apt-get install --yes --no-install-recommends ([^&]*)/.exec(line) ?? [];
  // Node brings its npm where it does not come from Debian.
  for (const name of names.split(' ').filter(Boolean)) assert.ok(name === 'npm' || isInstalled(name), name);
}

/**
 * Not what comes from elsewhere: packages, the clone, which is there as set-up has left it, and the files of a stage
 * that this root has made itself.
 */
function isDoneHere(step: Step): boolean {
  if (step.kind === 'run') return !step.command.some((line) => line.startsWith('apt-get'));
  return step.kind !== 'copy' || (step.from === undefined && !step.sources.includes('.'));
}
