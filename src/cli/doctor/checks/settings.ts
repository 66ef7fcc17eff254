import { openLog } from '../../../base/log.ts';
import { Fault } from '../../../base/fault.ts';
import { readNodeSettings } from '../../../settings/read_node_settings.ts';
import { readParameters } from '../../../settings/chain_settings.ts';
import type { OptionValues } from '../../../settings/options.ts';
import type { Check } from '../check.ts';
import { look, ok, wrong } from '../finding.ts';

/** Checks that a node would start with these settings: each value, and values that contradict each other. */
export const settings: Check = async ({ values, notices }) => {
  const warnings = notices.map((notice) => look(notice, 'a node says so, too, when it starts'));
  try {
    const { writer } = await readNodeSettings(withoutKeyFiles(values), openLog({ level: 'error' }, 'doctor'));
    const { chainId } = readParameters(writer.chain);
    return [ok(`a node starts with them, on chain ${chainId}`), ...warnings];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [wrong(error.message, 'correct it; pharos run --help and pharos settings explain each key'), ...warnings];
  }
};

/** Their passwords may be asked for at the terminal; the check of keys looks at the files. */
function withoutKeyFiles(values: OptionValues): OptionValues {
  return { ...values, 'private-key-file': [] };
}
