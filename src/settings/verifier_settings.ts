import { availableParallelism } from 'node:os';
import type { ThreadMemory } from '../system/thread_memory.ts';
import type { SettingsOf } from './options.ts';

/** The settings that verifiers are started with. */
export interface VerifierPoolSettings extends ThreadMemory {
  readonly threads: number;
  /** True, the default, when memos are searched for keys of their senders. */
  readonly guardsMemos?: boolean | undefined;
}

/** Reads the number of verifiers, and their checks. */
export function readVerifierSettings(values: SettingsOf<'verifiers'>): VerifierPoolSettings {
  return {
    threads: values['webserver-thread-pool-size'] ?? defaultVerifierThreads(),
    guardsMemos: values['memo-guard'] !== 'off',
  };
}

/** One thread fewer than there are cores, to leave a core to the writer; at least one. */
export function defaultVerifierThreads(): number {
  return Math.max(1, availableParallelism() - 1);
}
