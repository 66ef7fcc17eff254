import { workerData } from 'node:worker_threads';
import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { openLog } from '../../base/log.ts';
import { nodeCertificate } from '../../crypto/node_certificate.ts';
import { systemDice } from '../network/system_dice.ts';
import type { Genesis } from '../../p2p/messages/genesis.ts';
import { TlsLinks } from '../../p2p/tls_link.ts';
import { foreignHead } from '../data_folder/foreign_head.ts';
import { chainView } from '../../state/chain_view.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { witnesses } from '../../state/tables/witness.ts';
import type { AccountName } from '../../values/account_name.ts';
import { attachReader } from '../../storage/rocksdb.ts';
import { parametersOf } from '../chain_settings.ts';
import { CommittedChain } from '../network/committed_chain.ts';
import type { BlockSizeVote } from '../network/block_size_watch.ts';
import { NetworkFiles } from '../network/network_files.ts';
import { NetworkHost } from '../network/network_host.ts';
import type { FromNetwork, NetworkThreadSettings, ToNetwork } from '../network/network_messages.ts';
import { PROGRAM_VERSION } from '../program_version.ts';
import type { ChainSettings } from './messages.ts';
import { LoopDelay } from './loop_delay.ts';
import { starterPort } from './thread_port.ts';
import { failureOf } from './thread_failure.ts';
import { nameSourceLines } from './source_lines.ts';

nameSourceLines();

/** Rows that stay decoded: those of ids of blocks. */
const CACHED_ROWS = 4096;

const delay = new LoopDelay();
const front = starterPort<ToNetwork, FromNetwork>();

start(settingsOfThread()).catch((error: unknown) => {
  front.post(failureOf(error));
  front.close();
});

async function start({
  p2p,
  chain,
  storeHandle,
  folder,
  checkpoint,
  ownsTime,
  logLevel,
  witnesses: own,
}: NetworkThreadSettings): Promise<void> {
  const parameters = parametersOf(chain);
  const store = attachReader(storeHandle);
  const rows = chainView(store, CACHED_ROWS);
  const files = new NetworkFiles(folder, p2p.keyFile);
  const identity = nodeCertificate(files.secret());
  const host = new NetworkHost({
    settings: p2p,
    ownId: identity.id,
    agent: `pharos/${PROGRAM_VERSION}`,
    checkpoint,
    foreignHead: foreignHead(folder),
    genesis: ownsTime ? genesisOf(chain, parameters) : undefined,
    mayBePrivate: chain.privateNetKey !== undefined || ownsTime,
    clock: systemClock,
    dice: systemDice,
    log: openLog(logLevel, 'network'),
    view: new CommittedChain({ parameters, rows, store, ownsTime }),
    votes: () => own.flatMap((witness) => voteOf(witness, rows.get(witnesses, witness)?.maximum_block_size)),
    links: new TlsLinks({ identity, clock: systemClock }),
    files,
    front,
    takeDelaySeconds: () => delay.takeSeconds(),
  });
  delay.begin();
  try {
    await host.start();
  } catch (error) {
    if (!(error instanceof Error) || p2p.endpoint === undefined) throw error;
    throw new Fault('port_in_use', `p2p-endpoint: cannot listen on ${p2p.endpoint.host}:${p2p.endpoint.port}: ${error.message}`, error);
  }
}

function voteOf(witness: AccountName, bytes: number | undefined): BlockSizeVote[] {
  return bytes === undefined ? [] : [{ witness, bytes }];
}

/** What whoever joins a development chain needs. */
function genesisOf({ genesisText = '' }: ChainSettings, { profile }: ChainParameters): Genesis {
  return { profile: Buffer.from(JSON.stringify(profile)), genesis: Buffer.from(genesisText) };
}

/** The settings that the front passed to this thread. */
function settingsOfThread(): NetworkThreadSettings;
function settingsOfThread(): unknown {
  const settings: unknown = workerData;
  return settings;
}
