import { monitorEventLoopDelay } from 'node:perf_hooks';
import { workerData } from 'node:worker_threads';
import { systemClock } from '../../base/clock.ts';
import { openLog } from '../../base/log.ts';
import { attachStore } from '../../storage/rocksdb.ts';
import { parametersOf } from '../chain_settings.ts';
import { HeadJournalFile } from '../data_folder/head_journal.ts';
import { SigningJournalFile } from '../signing_journal_file.ts';
import type { FromWriter, ToWriter, WriterSettings } from './messages.ts';
import { starterPort } from './thread_port.ts';
import { failureOf } from './thread_failure.ts';
import { Writer } from './writer.ts';
import { nameSourceLines } from './source_lines.ts';

nameSourceLines();

const NANOSECONDS = 1e9;

const { chain, storeHandle, folder, logLevel, ...settings } = settingsOfThread();
const front = starterPort<ToWriter, FromWriter>();
const delay = monitorEventLoopDelay();

function takeDelaySeconds(): number {
  const seconds = delay.max / NANOSECONDS;
  delay.reset();
  return seconds;
}

try {
  new Writer(settings, {
    parameters: parametersOf(chain),
    store: attachStore(storeHandle),
    journal: new HeadJournalFile(folder, fail),
    signing: signingJournalOf(settings),
    clock: systemClock,
    log: openLog(logLevel, 'writer'),
    front,
    takeDelaySeconds,
    die: () => process.exit(1),
  });
  delay.enable();
} catch (error) {
  front.post(failureOf(error));
  front.close();
}

function signingJournalOf({ production }: Pick<WriterSettings, 'production'>): SigningJournalFile | undefined {
  const path = production?.signingJournal;
  return path === undefined ? undefined : new SigningJournalFile(path);
}

/** For failures outside the writer's own calls. */
function fail(error: unknown): void {
  front.post(failureOf(error));
  front.close();
  process.exit(1);
}

/** The settings that the front passed to this thread. */
function settingsOfThread(): WriterSettings;
function settingsOfThread(): unknown {
  const started: unknown = workerData;
  return started;
}
