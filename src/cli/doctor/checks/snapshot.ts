import { existsSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { promiseOf } from '../../../data_folder/folder_promise.ts';
import type { Check } from '../check.ts';
import { chainIdOf, type Facts } from '../facts.ts';
import { ok, wrong, type Finding } from '../finding.ts';

/** Whether the file that a new node is to begin with is there, and of its chain; who has a chain needs none. */
export const snapshot: Check = async ({ values, dataFolder }) => {
  const { snapshot: source, profile = 'default' } = values;
  if (source === undefined || hasChain(dataFolder)) return [];
  const { localPathOf, requireHeaderOf } = await import('../../../snapshot/begin_with_snapshot.ts');
  return [
    judged(() => {
      const path = localPathOf(source);
      if (path === undefined) return ok(`${source} is fetched by the first start`);
      if (!existsSync(path)) throw new Fault('configuration', `there is no file ${path}`);
      const { block_number: number } = requireHeaderOf(path, { profile, chainId: chainIdOf(values) });
      return ok(`${path} has the state of this chain after block ${number}`);
    }),
  ];
};

function judged(look: () => Finding): Finding {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return wrong(
      error.message,
      'take a snapshot of the chain of genesis-json, or leave out snapshot: then blocks come from peers',
    );
  }
}

function hasChain(folder: Facts['dataFolder']): boolean {
  try {
    return promiseOf(folder) !== undefined;
  } catch {
    return false; // the check of the folder says what is wrong with it
  }
}
