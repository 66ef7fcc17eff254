import { workerData } from 'node:worker_threads';
import { systemClock } from '../../base/clock.ts';
import { openLog } from '../../base/log.ts';
import { attachStore } from '../../storage/rocksdb.ts';
import { parametersOf } from '../chain_settings.ts';
import { HeadJournalFile } from '../data_folder/head_journal.ts';
import { RemoteSigner } from '../signer/remote_signer.ts';
import { SigningJournalFile } from '../signing_journal_file.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { BlockSigner } from '../../witness/block_signer.ts';
import { LocalSigner } from '../../witness/local_signer.ts';
import type { FromWriter, ProductionSettings, ToWriter, WriterSettings } from './messages.ts';
import { SlotHistoryFile } from '../data_folder/slot_history_file.ts';
import { UnprovedBlocks, highestOf } from '../data_folder/unproved_blocks.ts';
import { LoopDelay } from './loop_delay.ts';
import { starterPort } from './thread_port.ts';
import { failureOf } from './thread_failure.ts';
import { Writer } from './writer.ts';
import { nameSourceLines } from './source_lines.ts';

nameSourceLines();

const { chain, storeHandle, folder, logLevel, ...settings } = settingsOfThread();
const log = openLog(logLevel, 'writer');
const front = starterPort<ToWriter, FromWriter>();
const delay = new LoopDelay();

open().catch((error: unknown) => {
  front.post(failureOf(error));
  front.close();
});

async function open(): Promise<void> {
  const parameters = parametersOf(chain);
  new Writer(settings, {
    parameters,
    store: attachStore(storeHandle),
    journal: new HeadJournalFile(folder, fail),
    unproved: new UnprovedBlocks(folder, highestOf(settings.checkpoints)),
    signer: await signerOf(settings, parameters),
    ownSlots: new SlotHistoryFile(folder, (sentence) => log.warning(sentence)),
    clock: systemClock,
    log,
    front,
    takeDelaySeconds: () => delay.takeSeconds(),
    die: () => process.exit(1),
  });
  delay.begin();
}

async function signerOf(
  { production }: Pick<WriterSettings, 'production'>,
  { chainId, blockIntervalSeconds: intervalSeconds }: ChainParameters,
): Promise<BlockSigner | undefined> {
  const path = production?.signerSocket;
  if (path !== undefined) return await RemoteSigner.connect({ path, chain: chainId, intervalSeconds, clock: systemClock, log });
  if (production?.signingJournal === undefined) return undefined;
  const journal = new SigningJournalFile(production.signingJournal);
  if (journal.damage !== undefined) log.warning(journal.damage);
  return new LocalSigner(production.secrets, journal, standbyKeysIn(production));
}

/** Those that this node's own keys may hand their witness over to. */
function standbyKeysIn({ standby }: ProductionSettings): PublicKey[] {
  return standby?.standbys.map(({ key }) => key) ?? [];
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
