import type { Check } from '../check.ts';
import { clock } from './clock.ts';
import { dataFolder } from './data_folder.ts';
import { descriptors } from './descriptors.ts';
import { disk } from './disk.ts';
import { genesis } from './genesis.ts';
import { finality } from './finality.ts';
import { hardforks } from './hardforks.ts';
import { keys } from './keys.ts';
import { node } from './node.ts';
import { peers } from './peers.ts';
import { ports } from './ports.ts';
import { proxy } from './proxy.ts';
import { settings } from './settings.ts';
import { snapshot } from './snapshot.ts';
import { versions } from './versions.ts';
import { witness } from './witness.ts';

/** All that `pharos doctor` looks at, by the names that its JSON has, in the order of its lines. */
export const checks: Readonly<Record<string, Check>> = {
  settings,
  genesis,
  node,
  versions,
  data_folder: dataFolder,
  snapshot,
  disk,
  descriptors,
  clock,
  ports,
  proxy,
  peers,
  keys,
  finality,
  hardforks,
  witness,
};
