/**
 * The times at which a development chain makes blocks: in its slots, as soon as there is a transaction, or only on
 * command.
 */
export type Mining = 'interval' | 'automine' | 'none';
