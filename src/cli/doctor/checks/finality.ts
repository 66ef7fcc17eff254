import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { EVIDENCE_FILE, readEvidence, type KeptEvidence } from '../../../data_folder/evidence_file.ts';
import type { Voting } from '../../witness/witness_report.ts';
import type { Check } from '../check.ts';
import { readChainId, type Facts } from '../facts.ts';
import { look, ok, wrong, type Finding } from '../finding.ts';
import type { FinalityFacts, VoteFacts } from '../running_node.ts';

const GUIDE = 'see the guide "Finality stands still"';

/** Checks that blocks become irreversible, who votes, and for voters that are known to lie. */
export const finality: Check = (facts) => [...checkStanding(facts), ...checkOwnVotes(facts), ...checkEvidence(facts)];

function checkStanding({ running }: Facts): Finding[] {
  if (running === undefined) return [ok('no node runs, which would tell what is irreversible')];
  const { finality: found } = running;
  if (found === undefined) return [ok('confirmations of witnesses make blocks irreversible on this chain')];
  if (found.votes === undefined) return [ok(`${numbersText(found)}; the node has not seen a whole slot yet`)];
  return checkVotes(found, found.votes);
}

function checkVotes(found: FinalityFacts, votes: VoteFacts): Finding[] {
  const { epoch, voters, quorum, missing, missingNames, stalledSince } = votes;
  const heard = voters - missing;
  const text = `${numbersText(found)}; ${heard} of ${voters} voters of epoch ${epoch} vote, ${quorum} are needed`;
  const absent = missing === 0 ? '' : `; no vote for ten slots from ${missingNames.join(', ')}`;
  if (stalledSince !== undefined) return [wrong(`${text}${absent}; no block since ${stalledSince}`, GUIDE)];
  if (missing === 0) return [ok(text)];
  return heard <= quorum
    ? [wrong(`${text}${absent}; one more that is missing stops finality`, GUIDE)]
    : [look(`${text}${absent}`, 'ask the operators of these witnesses')];
}

function numbersText({ irreversible, confirmed }: FinalityFacts): string {
  return `block ${irreversible} is irreversible, block ${confirmed} is confirmed`;
}

/** The keys of this node's witnesses, replaced ones among them. */
function checkOwnVotes({ running }: Facts): Finding[] {
  const voting = running?.voting;
  if (voting === undefined) return [];
  return [...checkReplaced(voting), ...checkLacking(voting), ...checkStopped(voting)];
}

function checkReplaced({ own, epoch }: Voting): Finding[] {
  const replaced = own.filter(({ is_replaced: isReplaced }) => isReplaced);
  return replaced.map(({ key }) =>
    look(
      `${key} was replaced on the chain and votes until epoch ${epoch + 1} begins`,
      'leave its secret beside the new one until then (private-key-file)',
    ),
  );
}

function checkLacking({ lacking, votes, epoch }: Voting): Finding[] {
  return lacking.map((key) => {
    const isMissing = votes.some((voter) => voter.key === key && voter.is_missing);
    const found = `this machine has voted with ${key}, which votes until epoch ${epoch + 1} begins, and has its secret no longer`;
    return isMissing
      ? wrong(found, 'add the secret again beside the new one until then (private-key-file)')
      : look(found, 'another machine votes with it: see that no two do');
  });
}

function checkStopped({ own }: Voting): Finding[] {
  return own.flatMap(({ key, is_stopped: isStopped, is_whole: isWhole }) => {
    if (isStopped)
      return [
        wrong(`${key} does not vote: another machine signs with it`, 'stop it there, then pharos witness unlock'),
      ];
    if (!isWhole)
      return [
        look(`${key} waits with its votes: its journal may lack some of this epoch`, 'pharos witness status says more'),
      ];
    return [];
  });
}

/** Read from the folder: a node that has stopped because of it tells nothing. */
function checkEvidence({ dataFolder, values }: Facts): Finding[] {
  const chain = readChainId(values);
  if (chain === undefined) return [];
  try {
    return evidenceFindings(readEvidence(join(dataFolder, EVIDENCE_FILE), chain));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [look(error.message, 'run pharos doctor as the user that runs the node')];
  }
}

function evidenceFindings({ path, found, damage }: KeptEvidence): Finding[] {
  const certificates = found.filter((each) => !('votes' in each)).length;
  const votes = found.length - certificates;
  return [
    ...(damage === undefined ? [] : [look(damage, 'the next start puts it right')]),
    ...(certificates === 0
      ? []
      : [
          wrong(
            `${path}: ${certificates} times certificates contradict each other, so what is called final may be doubtful`,
            'agree with the other operators which branch is right; then remove the file and start the node again',
          ),
        ]),
    ...(votes === 0
      ? []
      : [
          look(
            `${path}: ${votes} times a voter has signed two votes that contradict each other`,
            'pharos witness status and /health name the voters; ask their operators',
          ),
        ]),
  ];
}
