import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { nodeCertificate } from '../crypto/node_certificate.ts';
import { randomBytes } from '../crypto/random.ts';
import { endpointText, type Target } from '../wire/addresses.ts';
import { GenesisFetch, type FetchedGenesis } from '../wire/link/genesis_fetch.ts';
import { TlsLinks } from '../wire/link/tls_link.ts';
import { readParameters, type ChainSettings } from '../settings/chain_settings.ts';
import { profiles } from '../values/profile.ts';

/** The facts of a chain for those who join it. */
export interface JoinedChain {
  readonly profileName: string;
  readonly genesisText: string;
}

const SECRET_BYTES = 32;
const WITHIN_MS = 15_000;

/** Gets the genesis of a development chain from a node of it. Throws a Fault that says why there is none. */
export async function fetchJoinedChain(target: Target): Promise<JoinedChain> {
  // A stranger until it has asked: who it is will be said by the chain's own folder.
  const links = new TlsLinks({ identity: nodeCertificate(randomBytes(SECRET_BYTES)), clock: systemClock });
  try {
    const fetched = await fetchOver(links, target);
    if (fetched.kind === 'failed')
      throw new Fault(
        'runtime',
        `cannot join ${endpointText(target)}: ${fetched.reason}; is that its port for peers, p2p-endpoint?`,
      );
    const { profile, genesis } = fetched.genesis;
    const genesisText = Buffer.from(genesis).toString();
    return { profileName: chooseProfileName(Buffer.from(profile).toString(), genesisText), genesisText };
  } finally {
    await links.close();
  }
}

async function fetchOver(links: TlsLinks, target: Target): Promise<FetchedGenesis> {
  return await new Promise((resolve) => {
    const cancel = systemClock.after(WITHIN_MS, () =>
      end({ kind: 'failed', reason: `no answer within ${WITHIN_MS / 1000} seconds` }),
    );
    const end = (fetched: FetchedGenesis): void => {
      cancel();
      resolve(fetched);
    };
    links.dial(target, {
      connected: (pipe) => new GenesisFetch(pipe, systemClock, end).listener,
      failed: (reason) => end({ kind: 'failed', reason }),
    });
  });
}

/** A chain's words are those of a profile as its genesis changes them. */
function chooseProfileName(text: string, genesisText: string): string {
  const known = Object.keys(profiles).find(
    (profileName) => tryReadSymbols({ profileName, genesisText, initialSigningKey: undefined }) === text,
  );
  if (known !== undefined) return known;
  throw new Fault(
    'configuration',
    'the chain to join has a profile that this version does not know: use the same version on both sides',
  );
}

/** Undefined when the genesis is none of that profile. */
function tryReadSymbols(settings: ChainSettings): string | undefined {
  try {
    return JSON.stringify(readParameters(settings).profile);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Fault `configuration` where a fork is joined and its beginning is not there, which no peer has. */
export function requireBeginning({ profileName, genesisText }: JoinedChain, isThere: boolean): void {
  const { fork } = readParameters({ profileName, genesisText, initialSigningKey: undefined });
  if (fork === undefined || isThere) return;
  const { chain_id: id, block_number: number, block_id: block } = fork;
  throw new Fault(
    'configuration',
    `the chain to join is a fork of chain ${id}, and nobody sends what it began with: say --fork with the snapshot of block ${number} (${block}) that it was made from, too`,
  );
}
