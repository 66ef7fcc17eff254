import { systemClock } from '../../base/clock.ts';
import { Refusal } from '../../base/refusal.ts';
import { quorumOfCount } from '../../blocks/finality/voters.ts';
import { pause } from '../../client/abort.ts';
import type { Client } from '../../client/index.ts';
import type { Json } from '../../codec/json.ts';
import { toMembers } from '../../system/json_members.ts';
import { timeText, type Seconds } from '../../values/time.ts';
import { hasFinality, toSeconds } from './chain_access.ts';
import type { KeyFlags } from './signing_key.ts';

/** A key that is about to become a voter. */
export interface NewVoter {
  readonly name: string;
  readonly key: string;
  readonly flags: Pick<KeyFlags, 'url' | 'keyFile'>;
}

/** The consequence of a missing vote, and the way out. */
const WHILE_ITS_VOTE_IS_MISSING =
  'while its vote is missing, too few may vote for any block to become irreversible, and only pharos witness finality-reset ends that';

/**
 * Waits until a key can vote from its first epoch on: a journal of votes holds all votes of those epochs only that begin
 * more than ten slots after it. Warns where the node that is asked does not vote with the key, and the vote is needed.
 */
export async function untilKeyVotes(client: Client, voter: NewVoter): Promise<void> {
  if (!(await hasFinality(client))) return;
  const why = await whyNeeded(client, voter.name);
  if (why === undefined) return;
  const from = await firstWholeVote(client, voter.key);
  if (from === undefined) return void process.stderr.write(`pharos: ${warning(why, voter)}\n`);
  const waitMs = (from + 1) * 1000 - systemClock.nowMs();
  if (waitMs <= 0) return;
  process.stdout.write(
    `its node has run with the key for a moment only: waiting until ${timeText(from)} UTC, so that its votes count from its first round on\n`,
  );
  await pause(systemClock, waitMs);
}

/** The reason that blocks need the vote at once; undefined where they don't. */
async function whyNeeded(client: Client, name: string): Promise<string | undefined> {
  const { active_witnesses: active } = await client.call('alexandria_api.get_active_witnesses', {});
  const { length: voters } = active;
  if (active.includes(name))
    return voters - 1 < quorumOfCount(voters)
      ? `the round has ${voters} witnesses, so every vote is needed`
      : undefined;
  const places = roundPlaces(await client.call('database_api.get_config', {}));
  return voters < places ? `the round has free places, so ${name} is in it at once` : undefined;
}

function roundPlaces(config: Json): number {
  const found = Object.entries(toMembers(config) ?? {}).find(([constant]) => constant.endsWith('_MAX_WITNESSES'));
  return Number(found?.[1] ?? 0);
}

/** The moment from which the node's journal of the key holds all votes of new epochs; undefined where the node has none. */
async function firstWholeVote(client: Client, key: string): Promise<Seconds | undefined> {
  try {
    const { voting } = await client.call('witness_node_api.get_voting', {});
    const journal = voting[0]?.journals.find((each) => each.key === key);
    return journal && toSeconds(journal.whole_from);
  } catch (error) {
    // A node for everybody tells its operator alone.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function warning(why: string, { name, flags: { url, keyFile } }: NewVoter): string {
  return `${why}. The node at ${url} does not vote with the key in ${keyFile}: ${WHILE_ITS_VOTE_IS_MISSING}. Unless another node has it already: start the node of ${name} with private-key-file = ${keyFile} first, and type this again with its address (--url)`;
}
