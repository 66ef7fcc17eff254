import { declareEvents } from './event.ts';

/** Events of finality by votes. */
export const votingEvents = declareEvents({
  finality_stalled: {
    level: 'error',
    meaning: 'No block has become final for a while.',
    action: 'Follow the guide about finality: call the operators of the voters that are missing.',
  },
  voters_lacking: {
    level: 'warning',
    meaning: 'A key of this node does not vote, or was replaced.',
    action: 'Do what the line says.',
  },
  votes_contradict: {
    level: 'warning',
    meaning: 'A voter has signed two votes that exclude each other.',
    action: 'Keep the evidence, and call the operator of the voter.',
  },
  evidence_file_damaged: {
    level: 'warning',
    meaning: 'The file with evidence against voters is damaged.',
    action: 'Check the disk.',
  },
  evidence_unwritable: {
    level: 'warning',
    cause: [],
    meaning: 'The node can’t keep evidence against voters beyond a restart.',
    action: 'Check the disk and the rights of the data folder.',
  },
  checkpoint_opened_epoch: {
    level: 'warning',
    fields: { block: 'number' },
    meaning: 'The node takes a block as final by finality-checkpoint, without a certificate.',
    action: 'Remove the setting when the chain has new certificates.',
  },
  checkpoint_off_branch: {
    level: 'warning',
    fields: { block: 'number' },
    meaning: 'The finality checkpoint is on another branch than a vote of this node.',
    action: 'Ask other operators which block is final there, before you go on.',
  },
  vote_unsigned: {
    level: 'error',
    meaning: 'The signer refuses a vote.',
    action: 'Read the reason. A second machine may use the key.',
  },
  certified_branch_refused: {
    level: 'error',
    fields: { block: 'string' },
    cause: ['block'],
    meaning: 'The node can’t apply a branch that other nodes take as final.',
    action: 'Upgrade the node, or start from a snapshot. Keep the folder for a bug report.',
  },
});
