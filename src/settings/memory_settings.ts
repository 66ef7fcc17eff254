import { Fault } from '../base/fault.ts';
import type { ThreadMemory } from '../system/thread_memory.ts';
import type { SettingsOf } from './options.ts';

/** Reads the operator's bound for the memory of threads. Throws Fault `configuration`. */
export function readThreadMemory({ 'young-generation-mib': youngGenerationMib }: SettingsOf<'memory'>): ThreadMemory {
  if (youngGenerationMib === 0) throw new Fault('configuration', 'young-generation-mib: a positive number expected');
  return { youngGenerationMib };
}
