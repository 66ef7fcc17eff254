import { promises } from 'node:fs';
import { errorMessage } from '../../base/error_message.ts';
import { UnusableStream } from '../sink.ts';
import type { NatsConnectionSettings } from './nats_settings.ts';

/** Of a user, wherever it stands in the text. */
export function findNatsSeed(text: string): string | undefined {
  return /(?<![\w])SU[A-Z2-7]{56}(?![\w])/.exec(text)?.[0];
}

/** Of a user, as nsc writes it. */
export function findNatsJwt(text: string): string | undefined {
  return /-----BEGIN NATS USER JWT-----\s+([\w-]+\.[\w-]+\.[\w-]+)\s+-+END NATS USER JWT-+/.exec(text)?.[1];
}

/** The credentials for a server; the files are read now. */
export interface NatsCredentials {
  readonly jwt: string | undefined;
  readonly seed: string | undefined;
}

/** Throws UnusableStream where a file says nothing any more. */
export async function readCredentials({ credentialsFile, nkeyFile }: NatsConnectionSettings): Promise<NatsCredentials> {
  const path = credentialsFile ?? nkeyFile;
  if (path === undefined) return { jwt: undefined, seed: undefined };
  const text = await promises.readFile(path, 'utf8').catch((error: unknown) => {
    throw new UnusableStream(`cannot read ${path}: ${errorMessage(error)}`);
  });
  const [jwt, seed] = [credentialsFile === undefined ? undefined : findNatsJwt(text), findNatsSeed(text)];
  if (seed !== undefined && (credentialsFile === undefined || jwt !== undefined)) return { jwt, seed };
  throw new UnusableStream(
    `${path} has no ${credentialsFile === undefined ? 'seed' : 'JWT and seed'} of a user any more: write it anew`,
  );
}
