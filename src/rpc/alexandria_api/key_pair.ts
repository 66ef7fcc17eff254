import type { ValueOf } from '../../codec/codec.ts';
import { text } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { encodeWif } from '../../crypto/wif.ts';
import { publicKey } from '../../values/public_key.ts';
import { publicKeyHex } from './private_key.ts';

/** A public key and its private key in wallet import format. */
export const keyPair = struct({ pub_key: publicKey, wif_priv_key: text });

export type KeyPair = ValueOf<typeof keyPair>;

/** The key pair of a private key; undefined when the 32 bytes are not one. */
export function makeKeyPair(secret: Uint8Array): KeyPair | undefined {
  const pub_key = publicKeyHex(secret);
  return pub_key === undefined ? undefined : { pub_key, wif_priv_key: encodeWif(secret) };
}
