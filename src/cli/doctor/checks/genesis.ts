import { Fault } from '../../../base/fault.ts';
import { readChainSettings } from '../../../settings/read_chain_settings.ts';
import { readParameters } from '../../../settings/chain_settings.ts';
import type { ChainParameters } from '../../../state/parameters.ts';
import type { OptionValues } from '../../../settings/options.ts';
import { oddities } from '../../genesis/oddities.ts';
import type { Check } from '../check.ts';
import { look, ok } from '../finding.ts';

/** Reports odd rules of the chain, which nobody can change any more: operators have to know them. */
export const genesis: Check = ({ values }) => {
  const parameters = readChain(values);
  if (parameters === undefined) return [];
  const odd = oddities(parameters);
  const { max_witnesses: places, hardfork_req_witnesses: required } = parameters.genesis;
  if (odd.length === 0) return [ok(`nothing is odd about it; ${required} of ${places} witnesses activate a hardfork`)];
  return odd.map((sentence) =>
    look(
      sentence.replace(/\.$/, ''),
      'no chain changes its genesis: agree with the other operators; pharos genesis check says more',
    ),
  );
};

/** Undefined where the settings name no chain, which the check of settings says. */
function readChain(values: OptionValues): ChainParameters | undefined {
  try {
    return readParameters(readChainSettings(values));
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
