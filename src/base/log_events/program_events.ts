import { declareEvents, NOTHING_TO_DO } from './event.ts';

/** Events of the programs themselves: start, stop, settings, failures. */
export const programEvents = declareEvents({
  node_started: {
    level: 'notice',
    fields: { chain: 'string', head: 'number', endpoints: 'string', server: 'string' },
    meaning: 'The node answers calls.',
    action: NOTHING_TO_DO,
  },
  node_stopped: {
    level: 'notice',
    meaning: 'The node has stopped, and everything is on the disk.',
    action: NOTHING_TO_DO,
  },
  peers_port_opened: {
    level: 'notice',
    fields: { node: 'string', port: 'number?' },
    meaning: 'The network thread has started. Without a port, no peer can connect to this node.',
    action: 'Set p2p-endpoint if others should reach this node.',
  },
  setting_noticed: {
    level: 'warning',
    meaning: 'A setting is outdated, ignored or has another effect than one may expect.',
    action: 'Change the setting as the line says.',
  },
  new_chain_explained: {
    level: 'notice',
    fields: { subject: 'string' },
    meaning: 'The node starts a new chain. Each line is a fact about its genesis.',
    action: 'Compare the lines with what you meant. A chain’s genesis can’t change later.',
  },
  impersonator_set: {
    level: 'warning',
    meaning: 'The genesis names a key that acts for every account.',
    action: 'Use such a chain for development only.',
  },
  participation_set_low: {
    level: 'warning',
    fields: { percent: 'number' },
    meaning: 'The witness goes on when the network parts, and may split the chain for good.',
    action: 'Set required-participation to 67.',
  },
  few_open_files: {
    level: 'notice',
    fields: { files: 'number', left: 'number', connections: 'number' },
    meaning: 'The system lets this process open fewer files than max-connections needs.',
    action: 'Raise the limit with ulimit -n, or LimitNOFILE in the unit.',
  },
  internal_error: {
    level: 'error',
    fields: { stack: 'string?' },
    meaning: 'A call or a step has failed by a bug. The node goes on.',
    action: 'Report it with pharos doctor --bundle.',
  },
  service_manager_lost: {
    level: 'warning',
    cause: [],
    meaning: 'The program can’t tell systemd that it is alive.',
    action: 'Look at systemctl status. Restart the unit if systemd takes it for dead.',
  },
});
