import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { refusals } from '../../base/refusal.ts';
import { encryptData } from '../../crypto/encrypted_data.ts';
import { publicKey, publicKeyText } from '../../values/public_key.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { privateKeyRefusals, requireSecret, privateKeyText } from './private_key.ts';
import { samplePrivateKey } from '../sample_transaction.ts';
import type { Services } from '../services.ts';

/** Base58 takes time quadratic in the length; a transaction holds 8 KiB. */
const encryptable = Type.String({ maxLength: 8192 });

const refuse = refusals({ no_public_key: 'nobody can have the public key {public_key}: it is no point of the curve' });

/** Encrypts for the owner of a key. */
export const encryptDataMethod = method({
  name: 'alexandria_api.encrypt_data',
  doc: 'Encrypts a text with a private key in wallet import format for the owner of a public key.',
  params: { data: encryptable, public_key: coded(publicKey), private_key: coded(privateKeyText) },
  result: Type.Object({ encrypted_data: Type.String() }),
  example: {
    params: {
      data: 'hello',
      public_key: 'PHR5VE6Dgy9FUmd1mFotXwF88HkQN1KysCWLPqpVnDMjRvGRi1YrM',
      private_key: samplePrivateKey,
    },
  },
  stability: 'stable',
  needsPrivateKey: true,
  refuses: { ...privateKeyRefusals, ...refuse.texts },
  thread: 'read',

  handler({ data, public_key, private_key }, services) {
    const secret = requireSecret(private_key);
    const encrypted = encryptData(
      Buffer.from(data, 'utf8'),
      secret,
      Buffer.from(public_key, 'hex'),
      newNonce(services),
    );
    return {
      encrypted_data:
        encrypted ?? refuse.no_public_key({ public_key: publicKeyText(public_key, services.encoding.keyPrefix) }),
    };
  },
});

/** Microseconds since 1970, random within the millisecond, so that two texts of one millisecond differ. */
function newNonce({ clock, randomBytes }: Pick<Services, 'clock' | 'randomBytes'>): bigint {
  const [high = 0, low = 0] = randomBytes(2);
  return BigInt(Math.trunc(clock.nowMs())) * 1000n + BigInt((high * 256 + low) % 1000);
}
