import { request } from 'node:https';
import { checkServerIdentity, TLSSocket } from 'node:tls';

/** The answer of a proxy of this machine to a TLS client. */
export interface ProxyAnswer {
  /** Of GET /livez. */
  readonly status: number;
  readonly certificateEnds: Date;
  /** The reason why the certificate is not of the name; undefined when it is. */
  readonly unnamed: string | undefined;
  /** The reason why no authority that this machine knows vouches for it. */
  readonly unvouched: string | undefined;
}

/** The address of a proxy, and the name that clients use for it. */
export interface ProxyPlace {
  readonly host: string;
  readonly port: number;
  readonly name: string | undefined;
}

const ANSWER_MS = 3000;

/**
 * Asks for the node's sign of life, as a client would; the certificate is looked at and not believed. Resolves to why
 * none came.
 */
export async function askProxy({ host, port, name }: ProxyPlace): Promise<ProxyAnswer | Error> {
  return await new Promise((resolve) => {
    const named = name === undefined ? {} : { servername: name, headers: { host: name } };
    const asked = request({
      host,
      port,
      path: '/livez',
      rejectUnauthorized: false,
      timeout: ANSWER_MS,
      agent: false,
      ...named,
    });
    asked.once('response', (answer) => {
      const { socket, statusCode = 0 } = answer;
      const shown = socket instanceof TLSSocket ? makeAnswer(socket, statusCode, name) : new Error('no TLS');
      answer.destroy();
      resolve(shown);
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', resolve);
    asked.end();
  });
}

function makeAnswer(socket: TLSSocket, status: number, name = ''): ProxyAnswer {
  const certificate = socket.getPeerCertificate();
  // Null where it is vouched for, whatever the types say.
  const unvouched = socket.authorized ? undefined : String(socket.authorizationError);
  return {
    status,
    certificateEnds: new Date(certificate.valid_to),
    unnamed: checkServerIdentity(name, certificate)?.message,
    unvouched,
  };
}
