import assert from 'node:assert/strict';
import type { PastChain } from '../builders/past_chain.ts';
import { numberMember, textMember, type Json } from './json.ts';
import type { Health, Program } from './program.ts';
import type { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

/** A node of that chain. */
export async function run(
  site: Site,
  { genesisFile }: PastChain,
  folder: string,
  ...flags: readonly string[]
): Promise<Program> {
  const program = site.start([
    'run',
    ...['--genesis-json', genesisFile, '--data-dir', site.path(folder)],
    ...['--webserver-http-endpoint', '127.0.0.1:0', ...flags],
  ]);
  await program.ready();
  return program;
}

/** Returns the flags of a node for the past chain's only witness. */
export function producing({ witness, wif }: PastChain): string[] {
  const alone = ['--enable-stale-production', '--required-participation', '0', '--accept-low-participation'];
  return ['--witness', witness, '--private-key', wif, ...alone];
}

export function peerPort(program: Program): string {
  return (
    /peers on (\d+)/.exec(program.stderr + program.stdout)?.[1] ??
    assert.fail(`no port for peers is said:\n${program.stderr}`)
  );
}

export function nodeId(program: Program): string {
  return /node ([0-9a-f]{64})/.exec(program.stderr + program.stdout)?.[1] ?? assert.fail('no id is said');
}

/**
 * Waits until all have had the same head, which is above that number; the newest one that all have had. They need not
 * have it at one moment: where blocks come fast, answers of several nodes are of different ones.
 */
export async function agree(programs: readonly Program[], above: number): Promise<Health> {
  const seen = programs.map(() => new Map<number, Health>());
  const what = (): string => {
    const heads = seen.map((healths) => [...healths.keys()].at(-1) ?? 'none');
    return `${programs.length} nodes with one head above ${above}; their heads: ${heads.join(', ')}`;
  };
  return await waitUntil(what, async () => {
    const heads = await Promise.all(programs.map((program) => program.health()));
    for (const [node, health] of heads.entries()) if (health.number > above) seen[node]?.set(health.number, health);
    return newestOfAll(seen);
  });
}

/** The newest head that is in the answers of all nodes, with one state. */
function newestOfAll([first, ...others]: readonly ReadonlyMap<number, Health>[]): Health | undefined {
  const isOfAll = ({ number, stateHash }: Health): boolean =>
    others.every((healths) => healths.get(number)?.stateHash === stateHash);
  return [...(first?.values() ?? [])].findLast(isOfAll);
}

/** Waits until a node says that it is ready and has so many peers; it asks itself each second. */
export async function inStep(program: Program, peers: number): Promise<void> {
  await waitUntil('a node in step with its peers', async () => {
    const { status, body } = await program.http('GET', '/readyz', {});
    const said: Json = JSON.parse(body);
    const isInStep = status === 200 && textMember(said, 'network') === 'live' && numberMember(said, 'peers') === peers;
    return isInStep && numberMember(said, 'blocks_behind') === 0 ? true : undefined;
  });
}
