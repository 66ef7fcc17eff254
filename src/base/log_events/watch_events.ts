import { declareEvents, NOTHING_TO_DO } from './event.ts';

/** Events of a node that watches its own load. */
export const watchEvents = declareEvents({
  calls_wait: {
    level: 'warning',
    cause: [],
    fields: { busy_percent: 'number' },
    meaning: 'The thread that answers calls has no time left.',
    action: 'Look at pharos top, and follow the guide about a slow node.',
  },
  machine_busy: {
    level: 'warning',
    cause: [],
    fields: { busy_percent: 'number' },
    meaning: 'Other programs use the processors of this machine.',
    action: 'Move these programs, or give the node a machine of its own.',
  },
  calls_refused: {
    level: 'warning',
    cause: [],
    fields: { limit: 'number' },
    meaning: 'Clients ask for more than max-calls-per-second.',
    action: 'Follow the guide about a node that is hammered.',
  },
  traces_lost: {
    level: 'warning',
    cause: ['reason'],
    fields: { reason: 'string', spans: 'number' },
    meaning: 'The collector of trace-endpoint does not take traces. The node goes on without them.',
    action: 'Start the collector, or correct trace-endpoint. Raise trace-every where it is too slow.',
  },
  missed_slots_damaged: {
    level: 'warning',
    meaning: 'The record of missed slots is damaged. The explorer counts a week anew.',
    action: 'Check the disk.',
  },
  missed_slots_unwritable: {
    level: 'warning',
    meaning: 'The node can’t keep the missed slots of a week.',
    action: 'Check the disk and the rights of the data folder.',
  },
  network_busy: {
    level: 'warning',
    cause: [],
    fields: { busy_percent: 'number' },
    meaning: 'The network thread has no time left, and blocks may come late.',
    action: 'Look at pharos top for the kinds of messages and the peers that send them.',
  },
  head_old: {
    level: 'warning',
    fields: { block: 'number', age_seconds: 'number' },
    meaning: 'No block has come for ten slots.',
    action: 'Follow the guide about a node that is behind.',
  },
  head_fresh: {
    level: 'notice',
    fields: { block: 'number' },
    meaning: 'Blocks come again.',
    action: NOTHING_TO_DO,
  },
  hardfork_warned: {
    level: 'warning',
    fields: { warning: 'string' },
    cause: ['warning'],
    meaning: 'The next hardfork needs an operator.',
    action: 'Follow the guide about upgrading a live chain.',
  },
  disk_low: {
    level: 'warning',
    fields: { free_mib: 'number' },
    cause: [],
    meaning: 'The disk of the data folder will be full soon. A node without room stops.',
    action: 'Follow the guide about a full disk.',
  },
});
