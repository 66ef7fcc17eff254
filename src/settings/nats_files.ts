import { readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { belongTogether, isCertificate, isPrivateKey } from '../crypto/tls_files.ts';
import { findNatsJwt, findNatsSeed } from '../sinks/nats/nats_credentials.ts';
import type { NatsConnectionSettings } from '../sinks/nats/nats_settings.ts';
import { requireOwnersOnly } from '../system/owners_only.ts';
import { whyItFailed } from '../system/system_error.ts';

// Each throws Fault `configuration`, which names the file and shows nothing of it.

/** A file as nsc writes it: a JWT and the seed of its key. */
export function requireCredentials(path: string): void {
  requireOwnersOnly(path);
  const text = readText(path);
  if (findNatsJwt(text) === undefined || findNatsSeed(text) === undefined)
    fail(`${path}: credentials expected as nsc writes them, with the JWT of a user and the seed of its key`);
}

/** A file with the seed of a user's key. */
export function requireSeed(path: string): void {
  requireOwnersOnly(path);
  if (findNatsSeed(readText(path)) === undefined)
    fail(`${path}: the seed of a user's NKey expected, 58 characters that begin with SU`);
}

/** The files for TLS that are named, undefined where none is. */
export function readTlsFiles(
  caFile: string | undefined,
  certFile: string | undefined,
  keyFile: string | undefined,
): NatsConnectionSettings['tls'] {
  if ((certFile === undefined) !== (keyFile === undefined))
    fail('sink-nats-tls-cert and sink-nats-tls-key: both are needed, or neither');
  if (caFile !== undefined) readCertificate(caFile);
  if (certFile !== undefined && keyFile !== undefined) {
    requireOwnersOnly(keyFile);
    if (!belongTogether(readCertificate(certFile), readKey(keyFile)))
      fail(`${keyFile}: it is not the key of the certificate in ${certFile}`);
  }
  const files = {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined ? {} : { certFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
  };
  return Object.keys(files).length === 0 ? undefined : files;
}

function readCertificate(path: string): string {
  const text = readText(path);
  return isCertificate(text) ? text : fail(`${path}: a certificate expected, in PEM`);
}

function readKey(path: string): string {
  const text = readText(path);
  if (text.includes('ENCRYPTED'))
    fail(`${path}: the key is encrypted; write it without a passphrase, for its owner alone`);
  return isPrivateKey(text) ? text : fail(`${path}: a private key expected, in PEM`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Fault(
      'configuration',
      `cannot read ${path}, which a setting of sink-nats names: ${whyItFailed(error)}`,
      error,
    );
  }
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
