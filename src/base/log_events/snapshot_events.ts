import { declareEvents, NOTHING_TO_DO } from './event.ts';

/** Events of snapshots that are written, fetched and loaded. */
export const snapshotEvents = declareEvents({
  snapshot_unneeded: {
    level: 'notice',
    meaning: 'The data folder holds a chain, and the node does not look at the snapshot.',
    action: 'Remove the setting, or name an empty folder.',
  },
  snapshot_loading: {
    level: 'notice',
    fields: { block: 'number' },
    meaning: 'The node loads a snapshot into its empty folder.',
    action: NOTHING_TO_DO,
  },
  snapshot_written: {
    level: 'notice',
    fields: {
      path: 'string',
      block: 'number',
      id: 'string',
      stateHash: 'string',
      rows: 'number',
      bytes: 'number',
      sha256: 'string',
    },
    meaning: 'A snapshot is complete.',
    action: NOTHING_TO_DO,
  },
  snapshot_failed: {
    level: 'error',
    meaning: 'The node could not write a snapshot that was due.',
    action: 'Check the room and the rights of the folder of snapshots.',
  },
  download_started: {
    level: 'notice',
    fields: { bytesThere: 'number' },
    meaning: 'The node fetches a snapshot, or resumes doing so.',
    action: NOTHING_TO_DO,
  },
  download_interrupted: {
    level: 'warning',
    fields: { bytesThere: 'number' },
    cause: [],
    meaning: 'The connection to the server of the snapshot broke. The node resumes.',
    action: 'Nothing, unless it ends with an error.',
  },
});
