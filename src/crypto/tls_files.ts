import { createPrivateKey, X509Certificate } from 'node:crypto';

/** True when the text begins with a certificate, in PEM. */
export function isCertificate(text: string): boolean {
  return orUndefined(() => new X509Certificate(text)) !== undefined;
}

/** True when the text is a private key that needs no passphrase, in PEM. */
export function isPrivateKey(text: string): boolean {
  return orUndefined(() => createPrivateKey(text)) !== undefined;
}

/** True when the key is that of the certificate. Throws where one of them is nothing of the kind. */
export function belongTogether(certificate: string, privateKey: string): boolean {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey));
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
