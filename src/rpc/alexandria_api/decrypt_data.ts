import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { refusals } from '../../base/refusal.ts';
import { decryptData, LONGEST_ENCRYPTED } from '../../crypto/encrypted_data.ts';
import { publicKey, publicKeyText } from '../../values/public_key.ts';
import { boundedText } from '../../values/limited_text.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { privateKeyRefusals, requireSecret, privateKeyText } from './private_key.ts';
import { samplePrivateKey } from '../sample_transaction.ts';

const refuse = refusals({
  not_a_record: {
    text: 'the data is not as encrypt_data makes it, or is cut short',
    lineage: 'm: Can not parse input!',
  },
  wrong_key: {
    text: 'the data was not encrypted between the private key and {public_key}; give the keys of its two sides',
    lineage: 'check == m->check: Checksum does not match!',
  },
});

/** Decrypts what encrypt_data made. */
export const decryptDataMethod = method({
  name: 'alexandria_api.decrypt_data',
  doc: 'Decrypts what encrypt_data made, with the private key of either side and the public key of the other.',
  params: {
    data: coded(boundedText(LONGEST_ENCRYPTED)),
    public_key: coded(publicKey),
    private_key: coded(privateKeyText),
  },
  result: Type.Object({ decrypted_data: Type.String() }),
  example: {
    params: {
      data: '15KKduvvkC62CBaiMsdkHmF3zsAE5CHTzuMgFeE7iL3d6',
      public_key: 'PHR5VE6Dgy9FUmd1mFotXwF88HkQN1KysCWLPqpVnDMjRvGRi1YrM',
      private_key: samplePrivateKey,
    },
    result: { decrypted_data: 'hello' },
  },
  stability: 'stable',
  needsPrivateKey: true,
  refuses: { ...privateKeyRefusals, ...refuse.texts },
  thread: 'read',

  handler({ data, public_key, private_key }, { encoding }) {
    const decrypted = decryptData(data, requireSecret(private_key), Buffer.from(public_key, 'hex'));
    if (typeof decrypted === 'string')
      return refuse[decrypted]({ public_key: publicKeyText(public_key, encoding.keyPrefix) });
    return { decrypted_data: Buffer.from(decrypted).toString('utf8') };
  },
});
