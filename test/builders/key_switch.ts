import { keySwitchTransaction, type KeySwitch } from '../../src/blocks/key_switch.ts';
import { signTransaction, testKey } from './chain.ts';

/** A switch of a witness's key, signed by somebody: packed as it is handed over. */
export function packedSwitch(chainId: string, terms: KeySwitch, signer: string): Uint8Array {
  return signTransaction(chainId, keySwitchTransaction(terms), [signer]).packed;
}

/** Terms between the keys of two test accounts. */
export function switchTerms(from: string, to: string, expiration: number): KeySwitch {
  const keys = { key: testKey(from), newKey: testKey(to) };
  return { owner: 'alice', ...keys, feeSymbol: 'COIN', ref_block_num: 7, ref_block_prefix: 42, expiration };
}
