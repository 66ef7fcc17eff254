import { declareEvents, NOTHING_TO_DO } from './event.ts';

/** Events of the index in PostgreSQL and of the event stream. */
export const sinkEvents = declareEvents({
  index_started: {
    level: 'notice',
    fields: { from_block: 'number' },
    meaning: 'The index begins, or resumes, with a block.',
    action: NOTHING_TO_DO,
  },
  index_progressed: {
    level: 'notice',
    fields: {
      block: 'number',
      blocks_behind: 'number?',
      operations_per_second: 'number',
      rows_per_second: 'number',
      lag_seconds: 'number?',
    },
    cause: [],
    meaning: 'The index has written blocks.',
    action: NOTHING_TO_DO,
  },
  index_interrupted: {
    level: 'warning',
    fields: { error: 'string' },
    meaning: 'The database, or the node, is away. The index tries again.',
    action: 'Look at PostgreSQL and at the node.',
  },
  index_blocked: {
    level: 'error',
    fields: {
      error: 'string',
      block: 'number?',
      transaction: 'number?',
      operation: 'number?',
      op_in_block: 'number?',
      kind: 'string?',
      member: 'string?',
    },
    meaning: 'The index can’t read a record, and writes nothing behind it.',
    action: 'Upgrade the index. Report the record if the newest version can’t read it.',
  },
  index_source_stalled: {
    level: 'warning',
    fields: { error: 'string' },
    meaning: 'The node gives the index no blocks. The index asks again.',
    action: 'Look at the node.',
  },
  index_pages_opened: {
    level: 'notice',
    fields: { port: 'number' },
    meaning: 'The index serves metrics and health.',
    action: NOTHING_TO_DO,
  },
  index_stopped: {
    level: 'notice',
    meaning: 'The index has stopped.',
    action: NOTHING_TO_DO,
  },
  stream_begun: {
    level: 'notice',
    fields: { block: 'number' },
    meaning: 'The event stream is empty, and begins with a block.',
    action: NOTHING_TO_DO,
  },
  stream_resumed: {
    level: 'notice',
    fields: { block: 'number' },
    meaning: 'The event stream is written again.',
    action: NOTHING_TO_DO,
  },
  stream_moved: {
    level: 'debug',
    meaning: 'Another node has written to the event stream.',
    action: NOTHING_TO_DO,
  },
  stream_interrupted: {
    level: 'warning',
    meaning: 'The event server is away. The node tries again.',
    action: 'Look at the NATS server.',
  },
  stream_unusable: {
    level: 'error',
    meaning: 'The node can’t write to the event stream until somebody changes it.',
    action: 'Do what the line says. The guide about the event server has the steps.',
  },
  stream_messages_lost: {
    level: 'warning',
    fields: { messages: 'number' },
    meaning: 'The event server has lost messages that it had acknowledged. The node writes them again.',
    action: 'Check readers that keep a sequence. Run the server with sync_interval: always.',
  },
  stream_note_damaged: {
    level: 'warning',
    meaning: 'The note of acknowledged messages is damaged.',
    action: 'Compare the stream with pharos stream check.',
  },
  stream_note_unwritable: {
    level: 'warning',
    meaning: 'The node can’t keep the note of acknowledged messages.',
    action: 'Check the disk and the rights of the data folder.',
  },
});
