import type { Method } from '../method.ts';
import { getKeyReferences } from './get_key_references.ts';

/** Accounts by their keys. */
export const accountByKeyApi = [getKeyReferences] as const satisfies readonly Method[];
