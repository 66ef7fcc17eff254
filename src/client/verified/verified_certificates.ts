import { certificate as certificateCodec, type Certificate } from '../../blocks/finality/certificate.ts';
import { ByteWriter } from '../../codec/bytes.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import type { Digest } from '../../values/hash.ts';

/** A node proves everything by its newest certificate, so the last few are those that come again. */
const MOST = 32;

/** Certificates of one chain whose signatures were verified: verifying 35 takes 20 to 50 ms. */
export class VerifiedCertificates {
  readonly #known = new Set<Digest>();

  has(certificate: Certificate): boolean {
    return this.#known.has(certificateKey(certificate));
  }

  add(certificate: Certificate): void {
    this.#known.add(certificateKey(certificate));
    if (this.#known.size > MOST) for (const oldest of [...this.#known].slice(0, 1)) this.#known.delete(oldest);
  }
}

/** All of it, signatures included: they say who has signed. */
function certificateKey(certificate: Certificate): Digest {
  const out = new ByteWriter(4096);
  certificateCodec.write(out, certificate);
  return sha256Hex(out.view());
}
