import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../outside/wait_until.ts';
import { project, start, succeed, temporaryFolder, type Finished, type Running } from './commands.ts';

/** Options for starting a command in a root. */
export interface Within {
  readonly folder?: string;
  /** As setpriv takes them; root otherwise. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly environment?: Readonly<Record<string, string>>;
  /** True when it may use the network of this machine for fetching; otherwise there is loopback alone. */
  readonly fetches?: boolean;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];
const keptFolder = join(project, 'build/services');
const CERTIFICATES = 'usr/local/share/ca-certificates';

/**
 * A root of a machine of the test's own: what is started there sees its files, mounts, processes and network alone. All
 * of it lies in namespaces, so that nothing stays, and nothing runs, when its holder has ended. Needs the rights of
 * root.
 */
export class FreshRoot {
  readonly path: string;
  readonly #holder: Running;

  private constructor(path: string, holder: Running) {
    this.path = path;
    this.#holder = holder;
  }

  /** Debian 13, from a mirror: unpacked once and kept in build/, because that takes a minute. */
  static async ofDebian(): Promise<FreshRoot> {
    const path = join(temporaryFolder(), 'root');
    mkdirSync(keptFolder, { recursive: true });
    const once = `test -d "$0" || { rm -rf "$0.part" && debootstrap --variant=minbase trixie "$0.part" && mv "$0.part" "$0"; }`;
    await succeed('flock', [join(keptFolder, 'trixie.lock'), 'sh', '-c', once, join(keptFolder, 'trixie')], {
      folder: '/',
    });
    await succeed('cp', ['--archive', join(keptFolder, 'trixie'), path], { folder: '/' });
    // An engine tells its containers where names are looked up; the machine may have certificates of its own for those
    // whom it asks.
    cpSync('/etc/resolv.conf', join(path, 'etc/resolv.conf'));
    mkdirSync(join(path, CERTIFICATES), { recursive: true });
    const own = existsSync(`/${CERTIFICATES}`) ? readdirSync(`/${CERTIFICATES}`) : [];
    for (const name of own) cpSync(join('/', CERTIFICATES, name), join(path, CERTIFICATES, name));
    return await FreshRoot.#held(path, 'mount --bind "$0" "$0"');
  }

  /** The same files once more. */
  async copy(): Promise<FreshRoot> {
    const path = join(temporaryFolder(), 'root');
    await succeed('cp', ['--archive', '--one-file-system', this.path, path], { folder: '/' });
    return await FreshRoot.#held(path, 'mount --bind "$0" "$0"');
  }

  /** The programs and settings of this machine, and nothing else of it; what is written there stays in memory. */
  static async ofThisMachine(): Promise<FreshRoot> {
    const layer = (name: string): string =>
      `mkdir -p $0/.layers/${name}/up $0/.layers/${name}/work $0/${name}
      mount -t overlay overlay -o lowerdir=/${name},upperdir=$0/.layers/${name}/up,workdir=$0/.layers/${name}/work $0/${name}`;
    const links = ['bin', 'sbin', 'lib', 'lib64'].map((name) => `ln -s usr/${name} $0/${name}`);
    const folders =
      'mkdir -p $0/tmp $0/var/lib/nginx $0/var/log/nginx $0/var/cache $0/root $0/proc $0/dev $0/run $0/opt && chmod 1777 $0/tmp';
    const mounts = ['mount -t tmpfs tmpfs "$0"', layer('usr'), layer('etc'), ...links, folders].join('\n');
    return await FreshRoot.#held(temporaryFolder(), mounts);
  }

  static async #held(path: string, mounts: string): Promise<FreshRoot> {
    const devices = DEVICES.map((name) => `touch $0/dev/${name} && mount --bind /dev/${name} $0/dev/${name}`);
    const script = [
      ...[
        'set -e',
        mounts,
        'mount -t proc proc $0/proc',
        'mount -t tmpfs tmpfs $0/dev',
        'mkdir $0/dev/shm && chmod 1777 $0/dev/shm',
      ],
      ...devices,
      ...['ln -s /proc/self/fd $0/dev/fd', 'ip link set lo up', 'echo held', 'exec sleep infinity'],
    ].join('\n');
    const apart = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--propagation', 'private'];
    const holder = start('unshare', [...apart, 'sh', '-c', script, path], { folder: '/' });
    await waitUntil('a root of its own', () => {
      assert.ok(!holder.exited(), holder.said.stderr);
      return holder.said.stdout.includes('held') || undefined;
    });
    return new FreshRoot(path, holder);
  }

  /** The words that start a command in the namespaces of the root, but not in it. */
  beside(words: readonly string[], fetches = false): readonly string[] {
    return [
      'nsenter',
      `--target=${findChild(this.#holder.pid)}`,
      '--mount',
      '--pid',
      ...(fetches ? [] : ['--net']),
      ...words,
    ];
  }

  #commandWords(
    words: readonly string[],
    { folder = '/', user, environment = {}, fetches = false }: Within,
  ): readonly string[] {
    const given = Object.entries({ PATH, HOME: '/root', LANG: 'C.UTF-8', ...environment }).map(
      ([name, value]) => `${name}=${value}`,
    );
    const rights = user === undefined ? [] : ['setpriv', ...userFlags(user)];
    const inside = [...rights, 'env', '-i', ...given, 'sh', '-c', 'cd "$0" && exec "$@"', folder, ...words];
    return this.beside(['chroot', this.path, ...inside], fetches);
  }

  /** Starts a command in the root. */
  start(words: readonly string[], within: Within = {}): Running {
    const [command = '', ...rest] = this.#commandWords(words, within);
    const entered = start(command, rest, { folder: '/' });
    // What enters the root waits outside for what it starts there, and would keep a signal to itself.
    return {
      ...entered,
      exited: () => entered.exited(),
      interrupt: () => process.kill(findChild(entered.pid), 'SIGINT'),
    };
  }

  /** Runs one to its end. */
  async run(words: readonly string[], within: Within = {}): Promise<Finished> {
    return await this.start(words, within).finished;
  }

  /** The same for one that must not fail; what it prints. */
  async succeed(words: readonly string[], within: Within = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(words, within);
    assert.equal(code, 0, `${words.join(' ')}\n${stdout}\n${stderr}`);
    return stdout;
  }

  /**
   * Starts the first process of a container: it sees no other, its root can't be written, but for these folders and
   * /tmp.
   */
  startContainer(words: readonly string[], volumes: readonly string[], within: Within): Running {
    const { path } = this;
    const kept = volumes.map((volume) => `mount --bind ${path}${volume} ${path}${volume}`);
    const script = [
      ...[
        'set -e',
        ...kept,
        `mount -o remount,bind,ro ${path}`,
        `mount -t proc proc ${path}/proc`,
        `mount -t tmpfs tmpfs ${path}/tmp`,
      ],
      'exec "$@"',
    ].join('\n');
    const inner = this.#commandWords(words, within).slice(this.beside([]).length);
    const apart = ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh', ...inner];
    const [command = '', ...rest] = this.beside(apart);
    return start(command, rest, { folder: '/' });
  }

  /** Copies files of this machine, which the root does not see, to a place in it. */
  async copyTree(from: string, to: string): Promise<void> {
    await runBeside(this, ['cp', '--archive', '--no-target-directory', from, `${this.path}${to}`]);
  }

  /** Shows a folder of this machine at a place in the root; what is written there stays in memory. */
  async lay(from: string, to: string): Promise<void> {
    const layers = `${this.path}/.layers/${to.replaceAll('/', '_')}`;
    const script = `mkdir -p "$0" && mount -t tmpfs tmpfs "$0" && mkdir -p "$0/up" "$0/work" "$2" &&
      mount -t overlay overlay -o "lowerdir=$1,upperdir=$0/up,workdir=$0/work" "$2"`;
    await runBeside(this, ['sh', '-c', script, layers, from, `${this.path}${to}`]);
  }

  /** Ends what holds it, and so all that was started in it; its mounts go with the last of them. */
  remove(): void {
    this.#holder.kill();
  }
}

async function runBeside(root: FreshRoot, words: readonly string[]): Promise<void> {
  const [command = '', ...rest] = root.beside(words);
  await succeed(command, rest, { folder: '/' });
}

/** Without any right of root, and without a way to one. */
function userFlags({ uid, gid }: { readonly uid: number; readonly gid: number }): readonly string[] {
  return [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--no-new-privs',
    '--bounding-set=-all',
    '--inh-caps=-all',
  ];
}

/** The process that one has started. */
export function findChild(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]);
}

/** True when Debian's package is installed on this machine. */
export function isInstalled(name: string): boolean {
  try {
    return (
      execFileSync('dpkg-query', ['-W', '-f=${db:Status-Status}', name], { encoding: 'utf8', stdio: 'pipe' }) ===
      'installed'
    );
  } catch {
    return false;
  }
}
