import { createPrivateKey, createPublicKey, sign, type KeyObject, type X509Certificate } from 'node:crypto';

/** A node's TLS identity: an Ed25519 key and a certificate that it has signed with it. */
export interface NodeCertificate {
  /** The public key, 64 hex digits: who the node is. */
  readonly id: string;
  /** Both as PEM. */
  readonly privateKey: string;
  readonly certificate: string;
}

const NODE_SECRET_BYTES = 32;

// DER (X.690): all that a certificate needs, in the order of RFC 5280 4.1.
const ED25519 = Buffer.from('300506032b6570', 'hex'); // the algorithm of RFC 8410
const SECRET_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex'); // PKCS #8 up to the 32 bytes
const VERSION_3 = Buffer.from('a003020102', 'hex');
const COMMON_NAME = '310f300d06035504030c06'; // a set of one attribute, which is a text of six characters
const NAME = Buffer.concat([Buffer.from(`3011${COMMON_NAME}`, 'hex'), Buffer.from('pharos')]);
/** From 2000 on, without an end (RFC 5280 4.1.2.5): the key alone counts. */
const VALIDITY = tagged(0x30, tagged(0x17, Buffer.from('000101000000Z')), tagged(0x18, Buffer.from('99991231235959Z')));

/** The certificate of a secret of 32 bytes: always the same one. */
export function nodeCertificate(secret: Uint8Array): NodeCertificate {
  const key = createPrivateKey({ key: Buffer.concat([SECRET_PREFIX, secret]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const id = publicKey.subarray(-NODE_SECRET_BYTES);
  const serial = tagged(0x02, Buffer.from([1]), id.subarray(0, 8));
  const body = tagged(0x30, VERSION_3, serial, ED25519, NAME, VALIDITY, NAME, publicKey);
  const signature = tagged(0x03, Buffer.from([0]), sign(null, body, key));
  const der = tagged(0x30, body, ED25519, signature).toString('base64');
  return {
    id: id.toString('hex'),
    privateKey: String(key.export({ format: 'pem', type: 'pkcs8' })),
    certificate: `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/**
 * Returns the node id of the other side's certificate; undefined when its key is of another kind. TLS has checked that
 * it holds the key.
 */
export function idOfCertificate({ publicKey }: X509Certificate): string | undefined {
  return publicKey.asymmetricKeyType === 'ed25519' ? rawKey(publicKey).toString('hex') : undefined;
}

function rawKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-NODE_SECRET_BYTES);
}

function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
