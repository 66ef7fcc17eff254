import type { AccountName } from '../values/account_name.ts';

/** The values used in the sentences. */
export interface Facts {
  readonly witness: AccountName;
  /** The witness's signing key. */
  readonly key: string;
  readonly headAgeSeconds: number;
  readonly participationPercent: number;
  readonly requiredPercent: number;
  /** True when a key of this node that signs no blocks any more votes in the epoch that has begun. */
  readonly stillVotes: boolean;
  /** Of the wait until a key may sign. */
  readonly waitSeconds: number;
}

/** The reasons why one of this node's witnesses produces no blocks; the names are label values of a metric. */
export type Obstacle =
  | 'unknown_witness'
  | 'stopped'
  | 'wrong_key'
  | 'key_replaced'
  | 'standing_by'
  | 'not_synced'
  | 'clock'
  | 'low_participation'
  | 'paused'
  | 'foreign'
  | 'watching'
  | 'clock_unconfirmed'
  | 'unsigned'
  | 'late'
  | 'refused';

/** The reasons why a slot has no block. */
export type MissReason = Obstacle | 'stood_still';

/** Each obstacle as a sentence, with what to do about it. */
export const sentences: Readonly<Record<Obstacle, (facts: Facts) => string>> = {
  unknown_witness: ({ witness }) =>
    `witness ${witness} makes no blocks: the chain knows no witness of that name; mend the setting, or make it one with witness_update`,
  stopped: ({ witness }) =>
    `witness ${witness} makes no blocks: it has stopped; give it a signing key again with witness_update`,
  wrong_key: ({ witness, key }) =>
    `witness ${witness} makes no blocks: it signs with ${key}, and no private-key of this node is the secret of that; add it, or change the signing key`,
  key_replaced: ({ witness, key, stillVotes }) =>
    `witness ${witness} makes no blocks here any more: its signing key was replaced by ${key}; if another machine has that one all is well, else add its secret${stillVotes ? '; its old key votes on here until the epoch ends, so leave this node running with it until then' : ''}`,
  standing_by: ({ witness }) =>
    `witness ${witness} makes its blocks elsewhere; this node takes over when it no longer does`,
  not_synced: ({ witness, headAgeSeconds }) =>
    `witness ${witness} makes no blocks yet: the head block is ${headAgeSeconds} seconds old; it waits for newer ones, unless enable-stale-production is set`,
  clock: ({ witness, headAgeSeconds }) =>
    `witness ${witness} makes no blocks yet: the head block is ${-headAgeSeconds} seconds ahead of the clock of this machine; set the clock right`,
  low_participation: ({ witness, participationPercent, requiredPercent }) =>
    `witness ${witness} makes no blocks: ${participationPercent} % of the last slots were filled, and required-participation asks for ${requiredPercent} %; the network may have parted, or this machine from it`,
  paused: ({ witness }) =>
    `witness ${witness} makes no blocks: the operator has paused it; pharos witness resume goes on`,
  foreign: ({ witness, key }) =>
    `witness ${witness} makes no blocks here any more: another machine signs with ${key}, too; give it a new key, or stop the other machine and run pharos witness unlock`,
  watching: ({ witness, waitSeconds }) =>
    `witness ${witness} makes no blocks yet: another machine may have been given its key, so others' blocks are watched for ${waitSeconds} more seconds`,
  clock_unconfirmed: ({ witness, headAgeSeconds }) =>
    `witness ${witness} makes no blocks yet: the last block is ${headAgeSeconds} seconds old, and no peer confirms the clock of this machine within 2 seconds; connect with peers, or set the clock right; with enable-stale-production it goes on once no peer that this node has chosen has been there for a minute`,
  unsigned: ({ witness }) =>
    `witness ${witness} makes no blocks: no signature came in time; see the lines before, and whether the signer runs`,
  late: ({ witness }) =>
    `witness ${witness} makes no blocks when this machine wakes too late for its slots: it has too much to do, or its clock jumps`,
  refused: ({ witness }) => `witness ${witness} makes no blocks: they are refused, see the line before`,
};

export function isMissReason(text: string): text is MissReason {
  return text === 'stood_still' || Object.hasOwn(sentences, text);
}
