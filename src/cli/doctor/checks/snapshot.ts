import { existsSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { readPromise } from '../../../data_folder/folder_promise.ts';
import type { Check } from '../check.ts';
import { readChainId, type Facts } from '../facts.ts';
import { ok, wrong, type Finding } from '../finding.ts';

/** Checks that the snapshot of a new node exists, and is of its chain; an existing chain needs none. */
export const snapshot: Check = async ({ values, dataFolder }) => {
  const { snapshot: source, profile = 'default' } = values;
  if (source === undefined || hasChain(dataFolder)) return [];
  const { localPath, requireHeader } = await import('../../../snapshot/begin_with_snapshot.ts');
  return [
    judged(() => {
      const path = localPath(source);
      if (path === undefined) return ok(`${source} is fetched by the first start`);
      if (!existsSync(path)) throw new Fault('configuration', `there is no file ${path}`);
      const { block_number: number } = requireHeader(path, { profile, chainId: readChainId(values) });
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
    return readPromise(folder) !== undefined;
  } catch {
    return false; // the check of the folder says what is wrong with it
  }
}
