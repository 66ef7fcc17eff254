import { Fault } from '../../base/fault.ts';
import type { Chain } from '../../chain/chain.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { BlockSigner } from '../../witness/block_signer.ts';
import { foreignSentence } from '../../witness/key_guard.ts';
import { SAFE_PARTICIPATION } from '../../witness/required_participation.ts';
import type { ProductionSettings } from './messages.ts';

/** Blocks are final a round later, whoever has made those of the round: before witnesses are counted. */
export function isFinalByRound(chain: Chain, { confirmationsFromBlock }: ChainParameters): boolean {
  return chain.head.number < confirmationsFromBlock;
}

/** Fault `configuration` where the required participation would let both parts of a parted network become final. */
export function requireSafeParticipation(settings: ProductionSettings, chain: Chain, parameters: ChainParameters): void {
  const { requiredParticipation: said, hasPeers = false, acceptsLowParticipation = false } = settings;
  if (said === undefined || said >= SAFE_PARTICIPATION || !hasPeers || acceptsLowParticipation) return;
  if (!isFinalByRound(chain, parameters)) return;
  throw new Fault(
    'configuration',
    `required-participation is ${said / 100}: before block ${parameters.confirmationsFromBlock} of this chain both parts of a network that parts would be final soon, for good; leave it out, or say accept-low-participation; a stopped chain starts again without it`,
  );
}

/** Fault `key_locked` when somebody else was seen to sign with the key of one of these witnesses. */
export function requireUnlocked(witnesses: Iterable<AccountName>, signer: BlockSigner, chain: Chain, parameters: ChainParameters): void {
  const { chainId, profile, blockIntervalSeconds } = parameters;
  for (const witness of witnesses) {
    const key = chain.signingKeyOf(witness);
    const foreign = key !== undefined && signer.keys.has(key) ? signer.journal?.lockOf(chainId, key) : undefined;
    if (foreign !== undefined) throw new Fault('key_locked', foreignSentence(foreign, profile.keyPrefix, blockIntervalSeconds));
  }
}
