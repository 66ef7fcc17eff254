import assert from 'node:assert/strict';
import type { Chain } from '../../src/chain/chain.ts';
import type { PublicKey } from '../../src/values/public_key.ts';
import { testSecret } from './chain.ts';
import { quickSignature } from './quick_signature.ts';

/** Makes a block in the next slot whose key is that of a label. Random operations change the keys of witnesses. */
export function sealByLabel(chain: Chain, labels: ReadonlyMap<PublicKey, string>, mostSlots: number): void {
  for (let slot = 1; slot < mostSlots; slot++) {
    const scheduled = chain.findProductionSlot(chain.slotTime(slot));
    const label = labels.get(scheduled?.signingKey ?? '');
    if (scheduled === undefined || label === undefined) continue;
    chain.seal({ ...scheduled, sign: (digest) => quickSignature(digest, testSecret(label)) });
    return;
  }
  assert.fail('no slot has a known key');
}
