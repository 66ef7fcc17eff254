import { present } from '../../src/base/assert.ts';
import type { Certificate } from '../../src/blocks/finality/certificate.ts';
import { epochNumber } from '../../src/blocks/finality/epochs.ts';
import { voteDigest, type VoteKind } from '../../src/blocks/finality/vote.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { PublicKey } from '../../src/values/public_key.ts';
import { testKey, people, testSecret } from './chain.ts';
import { quickSignature } from './quick_signature.ts';

/** The voters of test chains. */
const NAMES = ['initminer', ...people];

/** The certificate of all voters for a block of the main branch. Their signatures are real ones. */
export function makeCertificate(
  chain: Chain,
  parameters: ChainParameters,
  number: number,
  kind: VoteKind = 'commit',
  secretOfKey: (key: PublicKey) => Uint8Array = secretOfPerson,
): Certificate {
  const { chainId, genesis } = parameters;
  const epoch = epochNumber(number, genesis.max_witnesses);
  const voters = present(chain.voted.votersOf(epoch), 'voters');
  const view = chain.voted.blockSlot(number);
  const subject = { epoch, voters: voters.digest, view, kind, ...chain.voted.statedAt(number) };
  const digest = voteDigest(chainId, subject);
  const signatures = voters.keys.map((key, voter) => {
    return { voter, signature: quickSignature(digest, secretOfKey(key)) };
  });
  return { subject, signatures };
}

function secretOfPerson(key: PublicKey): Uint8Array {
  return testSecret(
    present(
      NAMES.find((each) => testKey(each) === key),
      'a voter of a test chain',
    ),
  );
}

/** Makes each round's last block final, one after the other, as voters do that have never been away. */
export function finaliseRounds(
  chain: Chain,
  parameters: ChainParameters,
  secretOfKey: (key: PublicKey) => Uint8Array,
): void {
  const { max_witnesses } = parameters.genesis;
  for (let number = max_witnesses; number <= chain.head.number; number += max_witnesses) {
    const certificate = makeCertificate(chain, parameters, number, 'commit', secretOfKey);
    chain.finalise(certificate.subject.block, certificate);
  }
}

/** Makes a block of the main branch final by a certificate. */
export function finalise(chain: Chain, parameters: ChainParameters, number: number): Certificate {
  const certificate = makeCertificate(chain, parameters, number);
  chain.finalise(certificate.subject.block, certificate);
  return certificate;
}
