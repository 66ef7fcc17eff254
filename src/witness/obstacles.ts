import type { AccountName } from '../values/account_name.ts';

/** The values used in the sentences. */
export interface Facts {
  readonly witness: AccountName;
  /** The witness's signing key. */
  readonly key: string;
  readonly headAgeSeconds: number;
  readonly participationPercent: number;
  readonly requiredPercent: number;
}

/** Why one of this node's witnesses produces no blocks; the names are label values of a metric. */
export type Obstacle =
  | 'unknown_witness'
  | 'stopped'
  | 'wrong_key'
  | 'key_replaced'
  | 'not_synced'
  | 'clock'
  | 'low_participation'
  | 'late'
  | 'refused';

/** Each obstacle as a sentence, with what to do about it. */
export const sentences: Readonly<Record<Obstacle, (facts: Facts) => string>> = {
  unknown_witness: ({ witness }) =>
    `witness ${witness} makes no blocks: the chain knows no witness of that name; mend the setting, or make it one with witness_update`,
  stopped: ({ witness }) => `witness ${witness} makes no blocks: it has stopped; give it a signing key again with witness_update`,
  wrong_key: ({ witness, key }) =>
    `witness ${witness} makes no blocks: it signs with ${key}, and no private-key of this node is the secret of that; add it, or change the signing key`,
  key_replaced: ({ witness, key }) =>
    `witness ${witness} makes no blocks here any more: its signing key was replaced by ${key}; if another machine has that one all is well, else add its secret`,
  not_synced: ({ witness, headAgeSeconds }) =>
    `witness ${witness} makes no blocks yet: the head block is ${headAgeSeconds} seconds old; it waits for newer ones, unless enable-stale-production is set`,
  clock: ({ witness, headAgeSeconds }) =>
    `witness ${witness} makes no blocks yet: the head block is ${-headAgeSeconds} seconds ahead of the clock of this machine; set the clock right`,
  low_participation: ({ witness, participationPercent, requiredPercent }) =>
    `witness ${witness} makes no blocks: ${participationPercent} % of the last slots were filled, and required-participation asks for ${requiredPercent} %; the network may have parted, or this machine from it`,
  late: ({ witness }) =>
    `witness ${witness} makes no blocks when this machine wakes too late for its slots: it has too much to do, or its clock jumps`,
  refused: ({ witness }) => `witness ${witness} makes no blocks: they are refused, see the line before`,
};
