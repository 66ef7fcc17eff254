import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { nkeys } from '@nats-io/transport-node';
import { succeed } from './commands.ts';

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** The credentials of a client of a server with decentralised users, and that server's settings. */
export interface Accounts {
  /** Lines of the server's file. */
  readonly settings: string;
  /** The text of a credentials file for a new user of the account. */
  credentials(expires?: number): string;
}

/** An operator, a system account and one that may use JetStream, as `nsc` makes them. */
export function newAccounts(): Accounts {
  const [operator, system, account] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()];
  const unlimited = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const jetstream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const jwts = [
    [system, makeToken(operator, system, 'SYS', { type: 'account', limits: unlimited })],
    [account, makeToken(operator, account, 'PHAROS', { type: 'account', limits: { ...unlimited, ...jetstream } })],
  ] as const;
  return {
    settings: [
      `operator: ${makeToken(operator, operator, 'operator', { type: 'operator' })}`,
      `system_account: ${system.getPublicKey()}`,
      'resolver: MEMORY',
      `resolver_preload: { ${jwts.map(([pair, jwt]) => `${pair.getPublicKey()}: ${jwt}`).join(', ')} }`,
    ].join('\n'),
    credentials(expires) {
      const user = nkeys.createUser();
      const rights = { type: 'user', subs: -1, data: -1, payload: -1, pub: {}, sub: {} };
      const jwt = makeToken(account, user, 'node', rights, expires);
      return framed('NATS USER JWT', jwt) + framed('USER NKEY SEED', seedText(user));
    },
  };
}

export function seedText(pair: KeyPair): string {
  return Buffer.from(pair.getSeed()).toString();
}

function framed(name: string, text: string): string {
  return `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`;
}

/** A JWT of NATS, version 2: Ed25519 over the text before. */
function makeToken(issuer: KeyPair, subject: KeyPair, name: string, nats: object, expires?: number): string {
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    ...{
      jti: randomBytes(16).toString('hex'),
      iat: Math.floor(Date.now() / 1000),
      iss: issuer.getPublicKey(),
      name,
      sub: subject.getPublicKey(),
    },
    ...(expires === undefined ? {} : { exp: expires }),
    nats: { ...nats, version: 2 },
  };
  const text = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded(claims)}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`;
}

/** Files of a certificate and its key. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate authority of one's own, and whom it vouches for. */
export class CertificateAuthority {
  readonly certificate: string;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.certificate = `${folder}/ca.crt`;
  }

  static async create(folder: string): Promise<CertificateAuthority> {
    mkdirSync(folder, { recursive: true });
    const subject = ['-subj', '/CN=authority', '-addext', 'keyUsage=keyCertSign'];
    await succeed(
      'openssl',
      ['req', '-x509', ...NEW_KEY, '-days', '2', ...subject, '-keyout', 'ca.key', '-out', 'ca.crt'],
      { folder },
    );
    return new CertificateAuthority(folder);
  }

  /** `names` are such as `IP:127.0.0.1`. */
  async makeCertificate(who: string, names: string): Promise<CertificateFiles> {
    const folder = this.#folder;
    await succeed(
      'openssl',
      ['req', ...NEW_KEY, '-subj', `/CN=${who}`, '-keyout', `${who}.key`, '-out', `${who}.csr`],
      { folder },
    );
    writeFileSync(`${folder}/${who}.ext`, `subjectAltName=${names}\n`);
    const files = [
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-in',
      `${who}.csr`,
      '-out',
      `${who}.crt`,
      '-extfile',
      `${who}.ext`,
    ];
    await succeed('openssl', ['x509', '-req', '-CAcreateserial', '-days', '2', ...files], { folder });
    return { certificate: `${folder}/${who}.crt`, key: `${folder}/${who}.key` };
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
