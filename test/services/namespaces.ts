import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Ground } from '../outside/seven_nodes.ts';

const [NETS, NETS_COUNT, GATE] = ['10.217', 256, 254];
const GROUPS = '10.218';
const BRIDGE = 'phb';

/**
 * Machines of the test's own making: network namespaces, each with a cable to one bridge. Each maker has addresses of
 * its own, and clears first what a killed one has left. Needs the rights of root.
 */
export class Namespaces implements Ground {
  readonly relayHost: string;
  readonly #net: string;
  readonly #bridge = `${BRIDGE}${process.pid}`;
  readonly #count: number;

  /** Fails where the kernel or the rights are missing. */
  constructor(count: number) {
    clearLeft();
    this.#net = freeNet();
    this.relayHost = `${this.#net}.${GATE}`;
    this.#count = count;
    ip('link', 'add', this.#bridge, 'type', 'bridge');
    ip('addr', 'add', `${this.relayHost}/24`, 'dev', this.#bridge);
    ip('link', 'set', this.#bridge, 'up');
    for (let node = 0; node < count; node++) {
      const [space, near, far] = [this.#space(node), this.#cable(node), this.#port(node)];
      ip('netns', 'add', space);
      ip('link', 'add', near, 'master', this.#bridge, 'type', 'veth', 'peer', 'name', far, 'netns', space);
      ip('link', 'set', near, 'up');
      for (const words of [
        ['link', 'set', 'lo', 'up'],
        ['addr', 'add', `${this.#host(node)}/24`, 'dev', far],
        ['link', 'set', far, 'up'],
      ])
        this.#in(node, ...words);
    }
  }

  nodeMachine(node: number): { readonly command: readonly string[]; readonly host: string } {
    return { command: ['ip', 'netns', 'exec', this.#space(node)], host: this.#host(node) };
  }

  /** Gives a machine an address in each of so many groups, which all others reach; these addresses. */
  addGroups(node: number, count: number): string[] {
    const hosts = Array.from({ length: count }, (_, group) => `${GROUPS}.${group}.1`);
    for (const host of hosts) this.#in(node, 'addr', 'add', `${host}/32`, 'dev', this.#port(node));
    for (let other = 0; other < this.#count; other++)
      if (other !== node) this.#in(other, 'route', 'add', `${GROUPS}.0.0/16`, 'dev', this.#port(other));
    return hosts;
  }

  /** Pulls cables out, or puts them in again. */
  cutOff(nodes: readonly number[], isCut: boolean): void {
    for (const node of nodes) ip('link', 'set', this.#cable(node), isCut ? 'down' : 'up');
  }

  remove(): void {
    for (let node = 0; node < this.#count; node++) ip('netns', 'del', this.#space(node));
    ip('link', 'del', this.#bridge);
  }

  #in(node: number, ...words: readonly string[]): void {
    ip('netns', 'exec', this.#space(node), 'ip', ...words);
  }

  #port(node: number): string {
    return `phf${process.pid}x${node}`;
  }

  #space(node: number): string {
    return `${spacesOf(process.pid)}${node}`;
  }

  #cable(node: number): string {
    return `phn${process.pid}x${node}`;
  }

  #host(node: number): string {
    return `${this.#net}.${node + 1}`;
  }
}

/** The first part of the names of a maker's namespaces. */
function spacesOf(pid: number): string {
  return `pharos-${pid}-`;
}

/** A test that is killed leaves its network, and programs in it. Others may clear it at the same time. */
function clearLeft(): void {
  const bridges = ip('-oneline', 'link', 'show', 'type', 'bridge').matchAll(new RegExp(`: ${BRIDGE}(\\d+):`, 'g'));
  for (const [, pid] of bridges) {
    if (isOfAnother(Number(pid))) continue;
    for (const space of namespaces().filter((name) => name.startsWith(spacesOf(Number(pid))))) {
      killAll(space);
      unlessGone(() => ip('netns', 'del', space));
    }
    unlessGone(() => ip('link', 'del', `${BRIDGE}${pid}`));
  }
}

function namespaces(): string[] {
  return ip('netns', 'list')
    .split('\n')
    .map((line) => line.split(' ', 1).join());
}

/** Ends the programs in a namespace, and those that they start meanwhile. */
function killAll(space: string): void {
  const programs = (): string[] =>
    unlessGone(() => ip('netns', 'pids', space))
      .split('\n')
      .filter(Boolean);
  for (let some = programs(); some.length > 0; some = programs())
    for (const pid of some) unlessGone(() => String(process.kill(Number(pid), 'SIGKILL')));
}

/** The words of `ip` depend on whether it, or the kernel a moment later, misses what another maker has cleared. */
const GONE = /ESRCH|No such (?:file|device)|Cannot find device|Cannot open network namespace/;

function unlessGone(work: () => string): string {
  try {
    return work();
  } catch (error) {
    assert.match(String(error), GONE);
    return '';
  }
}

/** True if the process with that number lives and is not this one, whose number a dead maker may have had. */
function isOfAnother(pid: number): boolean {
  return pid !== process.pid && existsSync(`/proc/${pid}`);
}

/** Two networks of the same addresses would answer in each other's place. */
function freeNet(): string {
  const taken = ip('-4', '-oneline', 'addr', 'show');
  const nets = Array.from({ length: NETS_COUNT }, (_, more) => `${NETS}.${(process.pid + more) % NETS_COUNT}`);
  return nets.find((net) => !taken.includes(` ${net}.`)) ?? assert.fail(`no free network in ${NETS}.0.0/16`);
}

function ip(...words: readonly string[]): string {
  return execFileSync('ip', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
