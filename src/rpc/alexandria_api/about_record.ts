import type { ValueOf } from '../../codec/codec.ts';
import { withCoinName } from '../../codec/collections.ts';
import { text } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { digest } from '../../values/hash.ts';
import { BLOCKCHAIN_VERSION } from '../../state/parameters.ts';
import { timeText } from '../../values/time.ts';
import { versionText } from '../../values/version.ts';
import { ageText } from './age_text.ts';
import type { Call } from '../services.ts';

/** A node's report about itself. The lineage's members for its libraries name their replacements here. */
export const aboutRecord = struct({
  blockchain_version: text,
  client_version: text,
  coin_revision: withCoinName(text),
  coin_revision_age: withCoinName(text),
  fc_revision: text,
  fc_revision_age: text,
  compile_date: text,
  boost_version: text,
  openssl_version: text,
  build: text,
  server_blockchain_version: text,
  server_coin_revision: withCoinName(text),
  server_fc_revision: text,
  chain_id: digest,
});

export type AboutRecord = ValueOf<typeof aboutRecord>;

/** The shorter form, which identifies the software and the chain. */
export const versionRecord = struct({
  blockchain_version: text,
  coin_revision: withCoinName(text),
  fc_revision: text,
  chain_id: digest,
});

/** This program does not use boost; the member says so instead of a version. */
const NO_LIBRARY = 'none';

export function makeAboutRecord({ about, clock, parameters }: Call): AboutRecord {
  const blockchain_version = versionText(BLOCKCHAIN_VERSION);
  const age = ageText(Math.trunc(clock.nowMs() / 1000), about.revisionTime, ' ago');
  const [date, time] = timeText(about.compileTime).split('T');
  return {
    blockchain_version,
    client_version: about.clientVersion,
    coin_revision: about.revision,
    coin_revision_age: age,
    fc_revision: about.revision,
    fc_revision_age: age,
    compile_date: `compiled on ${date} at ${time}`,
    boost_version: NO_LIBRARY,
    openssl_version: about.opensslVersion,
    build: about.build,
    server_blockchain_version: blockchain_version,
    server_coin_revision: about.revision,
    server_fc_revision: about.revision,
    chain_id: parameters.chainId,
  };
}
