import type { AccountName } from '../values/account_name.ts';

/** Why a standby would not take over now; the names are label values of a metric. */
export type StandbyObstacle =
  | 'unknown_witness'
  | 'key_used'
  | 'no_switch'
  | 'switch_expired'
  | 'behind'
  | 'no_blocks'
  | 'too_few_peers'
  | 'low_participation'
  | 'switched_lately';

/** Each as a sentence, with what to do about it. */
export const standbySentences: Readonly<Record<StandbyObstacle, (witness: AccountName) => string>> = {
  unknown_witness: (witness) => `this standby is of no use: the chain knows no witness ${witness}; mend the setting standby-for`,
  key_used: (witness) =>
    `this standby takes over no more: witness ${witness} has signed with its key already, and a replaced key is never used again; give the standby a new one, and name that at the active node`,
  no_switch: (witness) =>
    `this standby can't take over: witness ${witness} has given it no switch; connect with its node, and name there this node's id and key as standby-node`,
  switch_expired: (witness) =>
    `this standby can't take over: the switch of witness ${witness} has expired; its node gives a new one each 20 minutes while it is connected`,
  behind: (witness) => `this standby would not take over from witness ${witness} now: it is catching up`,
  no_blocks: (witness) => `this standby would not take over from witness ${witness} now: no new blocks come`,
  too_few_peers: (witness) =>
    `this standby would not take over from witness ${witness} now: too few peers have its head; three are needed besides the witness's own node, or all that are pinned`,
  low_participation: (witness) =>
    `this standby would not take over from witness ${witness} now: fewer than 67 % of the slots are filled, so this may be the smaller part of the network`,
  switched_lately: (witness) => `this standby would not take over from witness ${witness} now: it was switched over less than an hour ago`,
};
