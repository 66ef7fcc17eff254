import { declareEvents, NOTHING_TO_DO } from './event.ts';

/** Events of a witness, its standby and its clock. */
export const witnessEvents = declareEvents({
  block_lost: {
    level: 'error',
    fields: { witness: 'string', slot: 'string' },
    cause: ['witness'],
    meaning: 'The node had a slot and could not make its block.',
    action: 'Follow the guide about missed slots.',
  },
  slot_passed: {
    level: 'debug',
    meaning: 'The node made no block, and the line says why.',
    action: NOTHING_TO_DO,
  },
  slot_missed: {
    level: 'warning',
    fields: { witness: 'string', slot: 'string', obstacle: 'string' },
    cause: ['witness'],
    meaning: 'A witness of this node has missed its slot.',
    action: 'Follow the guide about missed slots.',
  },
  slots_slept_through: {
    level: 'warning',
    fields: { witness: 'string', slots: 'number' },
    cause: ['witness'],
    meaning: 'This process stood still, or the clock jumped, over slots of a witness.',
    action: 'Look for a suspended machine, a full disk or a clock that was set.',
  },
  production_hindered: {
    level: 'warning',
    fields: { witness: 'string', obstacle: 'string' },
    cause: ['witness', 'obstacle'],
    meaning: 'A witness of this node can’t make blocks at the moment.',
    action: 'Do what the line says. pharos witness status shows the same.',
  },
  key_unused: {
    level: 'warning',
    fields: { key: 'string' },
    cause: ['key'],
    meaning: 'No configured witness signs with a private-key.',
    action: 'Remove the key, or add its witness.',
  },
  chain_restarted: {
    level: 'warning',
    fields: { until_block: 'number' },
    meaning: 'An operator has restarted the chain: participation hinders no block for a while.',
    action: 'Watch that the other witnesses follow.',
  },
  clock_went_back: {
    level: 'warning',
    fields: { seconds: 'number' },
    cause: ['seconds'],
    meaning: 'The clock of this machine was set back.',
    action: 'Let NTP slew the clock instead of stepping it.',
  },
  standby_file_damaged: {
    level: 'warning',
    meaning: 'The file of the standby is damaged. The standby asks for a new switch.',
    action: 'Check the disk, and see that pharos witness status shows a switch.',
  },
  standby_hindered: {
    level: 'warning',
    fields: { witness: 'string', obstacle: 'string' },
    cause: ['witness', 'obstacle'],
    meaning: 'The standby could not take over now.',
    action: 'Do what the line says. The guide about standbys has the steps.',
  },
  standby_ready: {
    level: 'notice',
    fields: { witness: 'string', key: 'string' },
    meaning: 'The standby can take over.',
    action: NOTHING_TO_DO,
  },
  standby_takes_over: {
    level: 'warning',
    fields: { witness: 'string', missed: 'number' },
    cause: ['witness'],
    meaning: 'The witness has missed its slots, and the standby makes its blocks from now on.',
    action: 'Look for the first machine, and set up a new standby.',
  },
  switch_refused: {
    level: 'warning',
    fields: { witness: 'string' },
    cause: ['witness'],
    meaning: 'The chain refuses the switch of the standby.',
    action: 'Do what the line says, or change the signing key by update_witness.',
  },
  switch_unsigned: {
    level: 'warning',
    fields: { standby: 'string' },
    cause: ['standby'],
    meaning: 'The signer gives no switch to a standby.',
    action: 'Name the key of the standby at the signer.',
  },
  switch_handed: {
    level: 'notice',
    fields: { standby: 'string' },
    meaning: 'A standby has a switch that it can use later.',
    action: NOTHING_TO_DO,
  },
});
