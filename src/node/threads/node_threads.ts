import type { SnapshotThreadSettings } from './messages.ts';
import type { ThreadKind } from '../../system/thread_settings.ts';
import type { WriterSettings } from '../../settings/writer_settings.ts';

export const writerThread: ThreadKind<WriterSettings> = { name: 'writer' };
export const snapshotThread: ThreadKind<SnapshotThreadSettings> = { name: 'snapshot' };
