import type { ChainSettings } from '../settings/chain_settings.ts';
import type { ThreadMemory } from '../system/thread_memory.ts';
import type { ThreadKind } from '../system/thread_settings.ts';

/** The settings that a verifier is started with. */
export interface VerifierSettings extends ThreadMemory {
  readonly chain: ChainSettings;
  /** Attaches to the store that the front has opened; undefined for a verifier that only verifies blocks. */
  readonly storeHandle: bigint | undefined;
  /** True if memos are looked at for keys of their senders; true unless said. */
  readonly guardsMemos?: boolean | undefined;
}

export const verifierThread: ThreadKind<VerifierSettings> = { name: 'verifier' };
