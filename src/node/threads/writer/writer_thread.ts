import { systemClock } from '../../../base/clock.ts';
import { openLog } from '../../../base/log.ts';
import { attachStore } from '../../../storage/rocksdb.ts';
import { readParameters } from '../../../settings/chain_settings.ts';
import { EvidenceFile } from '../../../data_folder/evidence_file.ts';
import { HeadJournalFile } from '../../../data_folder/head_journal.ts';
import { RemoteSigner } from '../../../witness/signing/remote_signer.ts';
import { SigningJournalFile } from '../../../witness/signing/signing_journal_file.ts';
import { VotingJournalFile, VOTES_SUFFIX } from '../../../witness/signing/voting_journal_file.ts';
import type { ChainParameters } from '../../../state/parameters.ts';
import type { PublicKey } from '../../../values/public_key.ts';
import type { BlockSigner } from '../../../witness/block_signer.ts';
import { LocalSigner } from '../../../witness/local_signer.ts';
import type { FromWriter, ToWriter } from '../messages.ts';
import { SlotHistoryFile } from '../../../witness/signing/slot_history_file.ts';
import { UnverifiedBlocks, highestCheckpoint } from '../../../data_folder/unverified_blocks.ts';
import { LoopDelay } from '../../../system/loop_delay.ts';
import { starterPort } from '../../../system/thread_port.ts';
import { threadFailure } from '../../../system/thread_failure.ts';
import { Writer } from './writer.ts';
import { nameSourceLines } from '../../../system/source_lines.ts';
import { threadSettings } from '../../../system/thread_settings.ts';
import { writerThread } from '../node_threads.ts';
import type { ProductionSettings } from '../../../settings/production_settings.ts';
import type { WriterSettings } from '../../../settings/writer_settings.ts';

nameSourceLines();

/** Account rows that its verifier keeps decoded, about 1 KiB each: for the few senders of a quiet node. */
const CACHED_ROWS = 1000;

const { chain, storeHandle, guardsMemos, folder, log: logSettings, ...settings } = threadSettings(writerThread);
const log = openLog(logSettings, 'writer');
const front = starterPort<ToWriter, FromWriter>();
const delay = new LoopDelay();

open().catch((error: unknown) => {
  front.post(threadFailure(error));
  front.close();
});

async function open(): Promise<void> {
  const parameters = readParameters(chain);
  const store = attachStore(storeHandle);
  new Writer(settings, {
    parameters,
    store,
    journal: new HeadJournalFile(folder, fail),
    unverified: new UnverifiedBlocks(folder, highestCheckpoint(settings.checkpoints)),
    evidence: parameters.hasFinality ? new EvidenceFile(folder, parameters.chainId) : undefined,
    signer: await makeSigner(settings, parameters),
    ownSlots: new SlotHistoryFile(folder, log.warning),
    clock: systemClock,
    log,
    front,
    loadVerifier: async () => {
      const [{ OwnVerifier }, { chainView }] = await Promise.all([
        import('../../../verifiers/own_verifier.ts'),
        import('../../../state/chain_view.ts'),
      ]);
      return new OwnVerifier({ parameters, view: chainView(store, CACHED_ROWS), clock: systemClock, guardsMemos });
    },
    takeDelaySeconds: () => delay.takeSeconds(),
    die: () => process.exit(1),
  });
  delay.begin();
}

async function makeSigner(
  { production }: Pick<WriterSettings, 'production'>,
  { chainId, blockIntervalSeconds: intervalSeconds, hasFinality }: ChainParameters,
): Promise<BlockSigner | undefined> {
  const path = production?.signerSocket;
  if (path !== undefined)
    return await RemoteSigner.connect({ path, chain: chainId, intervalSeconds, clock: systemClock, log });
  if (production?.signingJournal === undefined) return undefined;
  const journal = new SigningJournalFile(production.signingJournal);
  if (journal.damage !== undefined) log.warning(journal.damage, 'signing_journal_damaged', {});
  const votes = hasFinality ? openVotingJournal(production.signingJournal) : undefined;
  return new LocalSigner(production.secrets, journal, listStandbyKeys(production), votes);
}

function openVotingJournal(signingJournal: string): VotingJournalFile {
  const votes = new VotingJournalFile(`${signingJournal}${VOTES_SUFFIX}`);
  if (votes.damage !== undefined) log.warning(votes.damage, 'voting_journal_damaged', {});
  return votes;
}

/** Those that this node's own keys may hand their witness over to. */
function listStandbyKeys({ standby }: ProductionSettings): PublicKey[] {
  return standby?.standbys.map(({ key }) => key) ?? [];
}

/** For failures outside the writer's own calls. */
function fail(error: unknown): void {
  front.post(threadFailure(error));
  front.close();
  process.exit(1);
}
