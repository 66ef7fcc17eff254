import { connect } from 'node:net';
import { Fault } from '../../../base/fault.ts';
import { endpointText, type Target } from '../../../wire/addresses.ts';
import { readP2pSettings } from '../../../settings/p2p_settings.ts';
import type { OptionValues } from '../../../settings/options.ts';
import type { Check } from '../check.ts';
import { look, ok, wrong, type Finding } from '../finding.ts';
import type { RunningNode } from '../running_node.ts';

const GUIDE = 'see the guide "Why is it behind?"';
/** A peer may have a block on its way. */
const NEAR_BLOCKS = 2;
const MOST_SHOWN = 5;
const ANSWER_MS = 3000;

/** Checks that a running node has peers and agrees with them; before a start, that its seeds can be reached. */
export const peers: Check = async ({ values, running }) => {
  const seeds = readSeeds(values);
  if (running?.peers !== undefined)
    return [...ofRunning(running, running.peers), ...(running.peers === 0 ? await unreachable(seeds ?? []) : [])];
  if (seeds === undefined) return [ok('the settings name none, and no port for them: this node speaks to no other')];
  if (running !== undefined)
    return [look('the node that runs speaks to no other', 'restart it for the settings as they are now')];
  if (seeds.length === 0) return [ok('it waits for others: no seeds are named')];
  return await Promise.all(seeds.map(lookAtSeed));
};

function ofRunning({ peerHeads, head, blocksBehind }: RunningNode, count: number): Finding[] {
  if (count === 0)
    return [wrong('it is connected with none', `look at p2p-seed-node, firewall and name server; ${GUIDE}`)];
  const late = peerHeads.filter((peer) => peer.head + NEAR_BLOCKS < head);
  const shown = late.slice(0, MOST_SHOWN).map((peer) => `${peer.address} (${head - peer.head} blocks)`);
  const more = late.length > MOST_SHOWN ? ` and ${late.length - MOST_SHOWN} more` : '';
  return [
    blocksBehind > NEAR_BLOCKS
      ? wrong(`it lacks ${blocksBehind} blocks that its ${count} peers have`, GUIDE)
      : ok(`it is connected with ${count}, and has what they have`),
    ...(late.length === 0
      ? []
      : [
          look(
            `behind this node: ${shown.join(', ')}${more}`,
            'those that stay behind serve nobody; pharos peers shows more, their operators can help',
          ),
        ]),
  ];
}

/** Undefined where there is no network; the check of settings says what can't be read. */
function readSeeds(values: OptionValues): readonly Target[] | undefined {
  try {
    return readP2pSettings(values)?.seeds;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Those that may be why a node has no peers. */
async function unreachable(seeds: readonly Target[]): Promise<Finding[]> {
  const findings = await Promise.all(seeds.map(lookAtSeed));
  return findings.filter(({ state }) => state !== 'ok');
}

async function lookAtSeed(seed: Target): Promise<Finding> {
  const name = endpointText(seed);
  const why = await whyUnreachable(seed);
  return why === undefined
    ? ok(`${name} takes connections`)
    : look(`${name} takes no connection: ${why}`, 'look at its address, at firewalls and the name server');
}

async function whyUnreachable({ host, port }: Target): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_MS });
    const end = (why: string | undefined): void => {
      socket.destroy();
      resolve(why);
    };
    socket.once('connect', () => end(undefined));
    socket.once('timeout', () => end('no answer'));
    socket.once('error', (error) => end(error.message));
  });
}
