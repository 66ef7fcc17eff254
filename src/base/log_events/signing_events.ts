import { declareEvents, NOTHING_TO_DO } from './event.ts';

/** Events of keys, journals and the signer. */
export const signingEvents = declareEvents({
  key_unwatched: {
    level: 'warning',
    meaning: 'A witness without peers can’t see a second machine with its key.',
    action: 'Add peers by p2p-seed-node.',
  },
  key_used_elsewhere: {
    level: 'warning',
    fields: { key: 'string' },
    cause: ['key'],
    meaning: 'Another machine signs with a key of this node. This node is silent.',
    action: 'Stop one of the two, and follow the guide about operating a witness.',
  },
  key_waits: {
    level: 'warning',
    fields: { key: 'string', seconds: 'number' },
    cause: ['key'],
    meaning: 'The node waits a round before it signs with a key.',
    action: 'Wait. Do not delete the signing journal.',
  },
  signing_journal_damaged: {
    level: 'warning',
    meaning: 'The signing journal is damaged. The node waits before it signs.',
    action: 'Check the disk, and that no other machine has the key.',
  },
  voting_journal_damaged: {
    level: 'warning',
    meaning: 'The journal of votes is damaged. The node does not vote with its keys for now.',
    action: 'Check the disk, and follow the guide about finality.',
  },
  slot_history_damaged: {
    level: 'warning',
    meaning: 'The history of own slots is damaged. Nothing else depends on it.',
    action: 'Check the disk.',
  },
  slot_history_unwritable: {
    level: 'warning',
    meaning: 'The node can’t keep the history of its own slots.',
    action: 'Check the disk and the rights of the data folder.',
  },
  signer_started: {
    level: 'notice',
    fields: { path: 'string' },
    meaning: 'The signer waits for a node.',
    action: NOTHING_TO_DO,
  },
  signer_serves: {
    level: 'notice',
    fields: { chain: 'string' },
    meaning: 'A node has connected to the signer.',
    action: NOTHING_TO_DO,
  },
  signer_lost: {
    level: 'error',
    fields: { path: 'string' },
    cause: ['path'],
    meaning: 'The node has lost its signer, and signs nothing.',
    action: 'Start the signer. The node connects again on its own.',
  },
  signer_found: {
    level: 'notice',
    fields: { path: 'string' },
    meaning: 'The node has its signer again.',
    action: NOTHING_TO_DO,
  },
  signature_refused: {
    level: 'error',
    meaning: 'The signer refuses a block, a vote or a switch.',
    action: 'Read the reason. A second machine may use the key.',
  },
  voters_unproved: {
    level: 'warning',
    fields: { epoch: 'number' },
    cause: ['epoch'],
    meaning: 'The signer takes the voters of an epoch by the word of its node.',
    action: 'Compare the voters with another node if you did not expect it.',
  },
});
