import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readNet } from '../../../src/cli/net/net_folder.ts';
import { findProcess } from '../../../src/cli/net/node_processes.ts';
import { nkeys } from '@nats-io/transport-node';
import { Fault } from '../../../src/base/fault.ts';
import { readConfig } from '../../../src/settings/read_config.ts';
import { requireCredentials, requireSeed, readTlsFiles } from '../../../src/settings/nats_files.ts';
import { passwordInFile } from '../../../src/cli/index/password_file.ts';
import { shapedReport } from '../../load_test/shaped_report.ts';
import { readReport } from '../../../src/load_test/read_report.ts';
import { mixNamed } from '../../../src/load_test/mix.ts';
import { passwordFileAdvice, passwordLine } from '../../../src/system/password_line.ts';
import { readSigningKeys, writeKeyFile } from '../../../src/witness/signing/signing_keys.ts';
import { readSigner, writeSignature } from '../../../src/snapshot/signature_file.ts';
import { readPrice } from '../../../src/cli/witness/price_source.ts';
import { readCredentials } from '../../../src/sinks/nats/nats_credentials.ts';
import type { NatsConnectionSettings } from '../../../src/sinks/nats/nats_settings.ts';
import { UnusableStream } from '../../../src/sinks/sink.ts';
import { typedArguments } from '../../../src/wallet/arguments.ts';
import { commands } from '../../../src/wallet/commands/index.ts';
import { readKeyFile } from '../../../src/wallet/key_file/read_key_file.ts';
import { readToken } from '../../../src/wallet/token_file.ts';
import { foreignCertificate } from '../../builders/foreign_certificate.ts';
import { sealedKeys } from '../../builders/sealed_keys.ts';
import { testSecret } from '../../outside/signer.ts';
import { place, type Kind, type Read } from './kind.ts';
import { appendHistory, readHistory } from '../../../src/wallet/prompt.ts';

// Files that people write, give to a command, or keep secrets in.

const SUM = '12'.repeat(32);
const FOR_OWNER = { mode: 0o600 };

/** Makes a sound file of each kind. */
export async function peopleKinds(): Promise<Readonly<Record<string, Kind>>> {
  return {
    ...(await ofPeople()),
    ...(await ofNats()),
    ...ofDatabase(),
    ...ofWallet(),
    ...ofLoad(),
    ...ofNet(),
    ...ofPrices(),
  };
}

async function ofPeople(): Promise<Readonly<Record<string, Kind>>> {
  const settings = place('node.ini');
  writeFileSync(
    settings,
    'webserver-http-endpoint = 127.0.0.1:9193\nmax-connections = 100\nwitness = "alice"\nwitness = "bob"\n',
  );
  const wif = place('signing.key');
  await writeKeyFile(wif, testSecret('alice'), undefined);
  const password = place('password');
  writeFileSync(password, 'pw\n', { mode: 0o600 });
  const wallet = place('wallet.json');
  writeFileSync(wallet, await sealedKeys('pw', [testSecret('alice')]), FOR_OWNER);
  const tls = foreignCertificate();
  const [certificate, privateKey] = [place('cert.pem'), place('key.pem')];
  writeFileSync(certificate, tls.certificate);
  writeFileSync(privateKey, tls.key, { mode: 0o600 });
  const snapshot = place('signed.avro');
  writeSignature(snapshot, SUM, testSecret('alice'));
  const pair = (): Read => {
    readTlsFiles(undefined, certificate, privateKey);
    return { value: 'they belong together' };
  };
  return {
    'settings file': {
      path: settings,
      read: () => ({ value: readConfig({ iniFile: settings, environment: {}, flags: {} }).values }),
      code: 2,
      remedy: /expected|nearest known key|pharos settings|any of/,
      meansOther: /empty|half|byte is gone|flipped|appended|doubled/,
    },
    'key file of a witness': {
      path: wif,
      read: async () => ({ value: (await readSigningKeys([wif], undefined))[0] }),
      code: 2,
      remedy: /pharos keys --key-file|put back a copy/,
    },
    'encrypted key file of a witness': {
      path: wallet,
      read: async () => ({ value: (await readSigningKeys([wallet], password))[0] }),
      code: 2,
      remedy: /put back a copy|expected/,
    },
    'password file of a key': {
      path: password,
      read: async () => ({ value: (await readSigningKeys([wallet], password))[0] }),
      code: 2,
      remedy: /correct it there|write the password there again/,
    },
    'password file of a wallet': {
      path: password,
      async read() {
        const found = readKeyFile(wallet);
        return { value: (await found?.file.open(passwordLine(password)).catch(namingFile))?.secrets };
      },
      code: 2,
      remedy: /correct it there|write the password there again/,
    },
    'wallet file': {
      path: wallet,
      async read() {
        const found = readKeyFile(wallet);
        return { value: (await found?.file.open('pw'))?.secrets };
      },
      code: 3,
      remedy: /put back a copy/,
    },
    certificate: {
      path: certificate,
      read: pair,
      code: 2,
      remedy: /expected, in PEM|not the key of the certificate/,
      meansOther: /flipped|appended|doubled|gone/,
    },
    'key of a certificate': {
      path: privateKey,
      read: pair,
      code: 2,
      remedy: /expected, in PEM|not the key of the certificate/,
      meansOther: /appended|doubled|gone/,
    },
    'signature of a snapshot': {
      path: `${snapshot}.sig`,
      read: () => ({ value: readSigner(snapshot, SUM) }),
      code: 2,
      remedy: /signature|signs another file/,
      meansOther: /flipped/,
    },
  };
}

/** As `pharos wallet` tells of it. */
function namingFile(error: unknown): never {
  const advice = passwordFileAdvice(error, place('password'));
  throw advice === '' ? error : new Fault('configuration', advice);
}

async function ofNats(): Promise<Readonly<Record<string, Kind>>> {
  const seed = Buffer.from(nkeys.createUser().getSeed()).toString();
  const [credentials, nkey] = [place('user.creds'), place('user.nk')];
  const jwt = '-----BEGIN NATS USER JWT-----\neyJ0eXAi.eyJqdGki.c2ln\n------END NATS USER JWT------\n\n';
  writeFileSync(
    credentials,
    `${jwt}-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
    FOR_OWNER,
  );
  writeFileSync(nkey, `${seed}\n`, FOR_OWNER);
  const settings = (own: Partial<NatsConnectionSettings>): NatsConnectionSettings => ({
    servers: ['127.0.0.1:4222'],
    ...own,
  });
  // What is another seed or JWT the server refuses, which names the file.
  const meansOther = /flipped|appended|doubled|beginning|last byte/;
  return {
    'credentials of NATS': {
      path: credentials,
      read: () => (requireCredentials(credentials), { value: 'they are some' }),
      code: 2,
      remedy: /credentials expected as nsc writes them/,
      meansOther,
    },
    'seed of a user of NATS': {
      path: nkey,
      read: () => (requireSeed(nkey), { value: 'it is one' }),
      code: 2,
      remedy: /58 characters that begin with SU/,
      meansOther,
    },
    'credentials of NATS while a node runs': {
      path: credentials,
      read: async () => await whileItRuns(settings({ credentialsFile: credentials })),
      code: 2,
      remedy: /write it anew/,
      meansOther,
    },
    'seed of a user of NATS while a node runs': {
      path: nkey,
      read: async () => await whileItRuns(settings({ nkeyFile: nkey })),
      code: 2,
      remedy: /write it anew/,
      meansOther,
    },
  };
}

/** A running node says it in its log and in `/health`, and goes on when the file is mended. */
async function whileItRuns(settings: NatsConnectionSettings): Promise<Read> {
  try {
    return { value: await readCredentials(settings) };
  } catch (error) {
    if (error instanceof UnusableStream) return { value: undefined, warning: error.message };
    throw error;
  }
}

function ofDatabase(): Readonly<Record<string, Kind>> {
  const path = place('.pgpass');
  writeFileSync(path, '# the index\ndb.example:5432:chain:indexer:s3cret\n', FOR_OWNER);
  const login = { host: 'db.example', port: '5432', database: 'chain', user: 'indexer' };
  return {
    'password file of PostgreSQL': {
      path,
      read() {
        const { password: value, advice } = passwordInFile(login, { PGPASSFILE: path });
        return { value, ...(value === undefined && { warning: advice }) };
      },
      code: 2,
      remedy: /write one|correct it/,
      // A password that is another one is refused by the server, and the line is told.
      meansOther: /flipped|appended|last byte/,
    },
  };
}

function ofWallet(): Readonly<Record<string, Kind>> {
  const [token, history, json] = [place('wallet.json.token'), place('wallet.history'), place('transaction.json')];
  readToken(token);
  for (const line of ['info', 'list_my_accounts', 'get_account alice']) appendHistory(history, line);
  writeFileSync(json, '{"operations": [["transfer", {"memo": "a memo"}]]}\n');
  const command = commands.find(({ name }) => name === 'sign_transaction');
  return {
    'token of the RPC of a wallet': {
      path: token,
      read: () => ({ value: readToken(token) }),
      code: 2,
      remedy: /delete it, and a new one is made/,
      meansOther: /flipped/,
    },
    'history of a wallet': {
      path: history,
      read: () => ({ value: readHistory(history).length >= 0 }),
      code: 3,
      remedy: /./,
      harmless: 'lines that were typed before, which nothing depends on',
    },
    'JSON that a command of the wallet is given': {
      path: json,
      read: () => ({ value: command && typedArguments(command, [{ kind: 'bare', text: `@${json}` }]) }),
      code: 2,
      remedy: /put it back from a copy, or write it anew/,
      meansOther: /flipped|other file/,
    },
  };
}

function ofLoad(): Readonly<Record<string, Kind>> {
  const [mix, report] = [place('mix.json'), place('report.json')];
  writeFileSync(mix, '{"forms": [{"name": "transfers", "operation": "transfer", "bytes": [12, 80]}]}\n');
  writeFileSync(report, `${JSON.stringify(shapedReport({ perSecond: 10, p99: 20 }))}\n`);
  return {
    'mix of a load': {
      path: mix,
      read: () => ({ value: mixNamed(mix) }),
      code: 2,
      remedy: /correct it there/,
      meansOther: /flipped/,
    },
    'report of a load': {
      path: report,
      read: () => ({ value: readReport(report) }),
      code: 2,
      remedy: /name another/,
      meansOther: /flipped/,
    },
  };
}

function ofNet(): Readonly<Record<string, Kind>> {
  const net = place('net');
  const [size, started] = [join(net, 'net.json'), join(net, 'node1', 'started.json')];
  mkdirSync(dirname(started), { recursive: true });
  writeFileSync(size, '{"nodes": 2, "witnesses": 3, "interval_seconds": 3, "ports": [8001, 8002, 8003, 8004]}\n');
  writeFileSync(started, '{"pid": 4000000, "began": "17"}\n');
  const node = { number: 1, folder: dirname(started), port: 8001, p2pPort: 8002, witnesses: [] };
  return {
    'size of a net': {
      path: size,
      read: () => ({ value: readNet(net) }),
      code: 2,
      remedy: /name another folder by --dir/,
      meansOther: /flipped/,
    },
    'process of a node of a net': {
      path: started,
      read: () => ({ value: findProcess(node) }),
      code: 3,
      remedy: /./,
      harmless: 'a node that runs holds the lock of its folder, which names its process',
    },
  };
}

function ofPrices(): Readonly<Record<string, Kind>> {
  const path = place('price.txt');
  writeFileSync(path, 'a COIN costs 0.125 USD\n');
  return {
    'price of a feed': {
      path,
      read: async () => ({ value: await readPrice({ file: path }) }),
      code: 1,
      remedy: /it has to say one|correct it there/,
      // A first number that is another one is limited by what the price may change at once.
      meansOther: /half|zeros stand|flipped|beginning/,
    },
  };
}
