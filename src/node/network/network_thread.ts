import { systemRandomSource } from './system_random_source.ts';
import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { openLog } from '../../base/log.ts';
import { nodeCertificate } from '../../crypto/node_certificate.ts';
import type { Genesis } from '../../wire/messages/genesis.ts';
import { TlsLinks } from '../../wire/link/tls_link.ts';
import { nextEpoch } from '../../blocks/finality/epochs.ts';
import { foreignHead } from '../../data_folder/foreign_head.ts';
import { chainView } from '../../state/chain_view.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { witnesses } from '../../state/tables/witness.ts';
import type { AccountName } from '../../values/account_name.ts';
import { attachReader } from '../../storage/rocksdb.ts';
import { readParameters, type ChainSettings } from '../../settings/chain_settings.ts';
import { CommittedChain } from './committed_chain.ts';
import type { BlockSizeVote } from './block_size_watch.ts';
import { NetworkFiles } from './network_files.ts';
import { NetworkHost } from './network_host.ts';
import { type FromNetwork, type NetworkThreadSettings, type ToNetwork, networkThread } from './network_messages.ts';
import { PROGRAM_VERSION } from '../../system/program_version.ts';
import { LoopDelay } from '../../system/loop_delay.ts';
import { starterPort } from '../../system/thread_port.ts';
import { threadFailure } from '../../system/thread_failure.ts';
import { nameSourceLines } from '../../system/source_lines.ts';
import { threadSettings } from '../../system/thread_settings.ts';

nameSourceLines();

/** Rows that stay decoded: those of ids of blocks. */
const CACHED_ROWS = 4096;

const delay = new LoopDelay();
const front = starterPort<ToNetwork, FromNetwork>();

start(threadSettings(networkThread)).catch((error: unknown) => {
  front.post(threadFailure(error));
  front.close();
});

async function start({
  p2p,
  chain,
  storeHandle,
  folder,
  checkpoint,
  finalityCheckpoint: named,
  ownsTime,
  log: logSettings,
  witnesses: own,
}: NetworkThreadSettings): Promise<void> {
  const parameters = readParameters(chain);
  const { max_witnesses } = parameters.genesis;
  const number = foreignHead(folder);
  const store = attachReader(storeHandle);
  const rows = chainView(store, CACHED_ROWS);
  const files = new NetworkFiles(folder, p2p.keyFile);
  const identity = nodeCertificate(files.secret());
  const log = openLog(logSettings, 'network');
  files.peers();
  if (files.damage !== undefined) log.warning(files.damage, 'peers_file_damaged', {});
  const host = new NetworkHost({
    settings: p2p,
    ownId: identity.id,
    agent: `pharos/${PROGRAM_VERSION}`,
    checkpoint,
    foreignHead: number,
    foreignEpoch: number && nextEpoch(number, max_witnesses),
    finalityCheckpoint: named && { ...named, epoch: nextEpoch(named.number, max_witnesses) },
    genesis: ownsTime ? parseGenesis(chain, parameters) : undefined,
    mayBePrivate: chain.privateNetKey !== undefined || ownsTime,
    clock: systemClock,
    randomSource: systemRandomSource,
    log,
    view: new CommittedChain({ parameters, rows, store, ownsTime }),
    relaysVotes: own.length > 0 || p2p.endpoint !== undefined,
    votes: () => own.flatMap((witness) => blockSizeVote(witness, rows.get(witnesses, witness)?.maximum_block_size)),
    links: new TlsLinks({ identity, clock: systemClock }),
    files,
    front,
    workedMs: () => performance.eventLoopUtilization().active,
    takeDelaySeconds: () => delay.takeSeconds(),
  });
  delay.begin();
  try {
    await host.start();
  } catch (error) {
    if (!(error instanceof Error) || p2p.endpoint === undefined) throw error;
    throw new Fault(
      'port_in_use',
      `p2p-endpoint: cannot listen on ${p2p.endpoint.host}:${p2p.endpoint.port}: ${error.message}`,
      error,
    );
  }
}

function blockSizeVote(witness: AccountName, bytes: number | undefined): BlockSizeVote[] {
  return bytes === undefined ? [] : [{ witness, bytes }];
}

/** The genesis for nodes that join a development chain. */
function parseGenesis({ genesisText = '' }: ChainSettings, { profile }: ChainParameters): Genesis {
  return { profile: Buffer.from(JSON.stringify(profile)), genesis: Buffer.from(genesisText) };
}
