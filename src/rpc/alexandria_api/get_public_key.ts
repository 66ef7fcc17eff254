import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { present } from '../../base/assert.ts';
import { publicKey } from '../../values/public_key.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { privateKeyRefusals, publicKeyHex, requireSecret, privateKeyText } from './private_key.ts';

/** The public key of a private key. */
export const getPublicKey = method({
  name: 'alexandria_api.get_public_key',
  doc: 'The public key of a private key in wallet import format.',
  params: { private_key: coded(privateKeyText) },
  result: Type.Object({ public_key: coded(publicKey) }),
  example: { params: { private_key: '5J6SQSqzzUtQsjcJb3KhjXUCyScEfj83D8sdpfFAjAejGjDqhuu' } },
  stability: 'stable',
  needsPrivateKey: true,
  refuses: privateKeyRefusals,
  thread: 'read',
  handler: ({ private_key }) => ({ public_key: present(publicKeyHex(requireSecret(private_key)), 'the public key') }),
});
