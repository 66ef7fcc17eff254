import { systemClock } from '../../src/base/clock.ts';
import { nodeCertificate } from '../../src/crypto/node_certificate.ts';
import { randomBytes } from '../../src/crypto/random.ts';
import { ByteBudget } from '../../src/wire/link/byte_budget.ts';
import { Channel } from '../../src/wire/link/channel.ts';
import { range } from '../../src/wire/messages/range.ts';
import type { Pipe } from '../../src/wire/link/pipe.ts';
import { TlsLinks } from '../../src/wire/link/tls_link.ts';
import { atMostMicros, row, type BenchOptions, type Measured, type Row } from '../bench.ts';

const SECRET_BYTES = 32;
const MESSAGE_BYTES = 1024 * 1024;
const KIBIBYTE = 1024;
const BUDGET_BYTES = 1024 * 1024 * 1024;

/** Links as peers have them, both ends in this process: TLS, frames, lanes, the window. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const [here, there] = [makeLinks(), makeLinks()];
  let accept: (pipe: Pipe) => Channel = () => openChannel(undefined);
  const port = await there.listen('127.0.0.1', 0, {
    admit: () => ({ connected: (pipe) => accept(pipe), ended: () => undefined }),
  });
  const connections = quick ? 5 : 400;
  const handshakes = await measured(connections, async () => {
    accept = (far) => openChannel(far);
    for (let count = 0; count < connections; count++) (await connected(here, port)).close();
  });
  const messages = quick ? 2 : 300;
  const carried = await measured((messages * MESSAGE_BYTES) / KIBIBYTE, () =>
    carry(here, port, messages, (take) => (accept = take)),
  );
  await here.close();
  await there.close();
  const note = 'both ends together';
  return [
    row('link, sent and received', 'KiB in messages of 1 MiB', carried, { budget: atMostMicros(3), note }),
    row('connections', 'handshake with both certificates', handshakes, { budget: atMostMicros(4000), note }),
  ];
}

function makeLinks(): TlsLinks {
  return new TlsLinks({ identity: nodeCertificate(randomBytes(SECRET_BYTES)), clock: systemClock });
}

async function connected(here: TlsLinks, port: number): Promise<Pipe> {
  return await new Promise((resolve) => {
    const taken = (pipe: Pipe): Channel => {
      resolve(pipe);
      return openChannel(pipe);
    };
    here.dial({ host: '127.0.0.1', port }, { connected: taken, failed: fail });
  });
}

/** Sends so many messages over one link, and waits until the other end has them. */
async function carry(
  here: TlsLinks,
  port: number,
  messages: number,
  listenWith: (take: (pipe: Pipe) => Channel) => void,
): Promise<void> {
  const body = new Uint8Array(MESSAGE_BYTES);
  await new Promise<void>((resolve) => {
    let near: Channel | undefined;
    let [sent, came] = [0, 0];
    const send = (): void => {
      if (sent++ < messages) near?.sendEncoded(range, body);
    };
    listenWith((pipe) =>
      openChannel(pipe, () => {
        if (++came === messages) resolve();
        send();
      }),
    );
    const start = (): void => {
      send();
      send();
    };
    here.dial(
      { host: '127.0.0.1', port },
      {
        connected: (pipe) => {
          near = openChannel(pipe);
          // The other end listens once its handshake is done, too.
          setImmediate(start);
          return near;
        },
        failed: fail,
      },
    );
  });
}

function openChannel(pipe: Pipe | undefined, took: () => void = () => undefined): Channel {
  if (pipe === undefined) return fail('nobody was expected');
  return new Channel(pipe, systemClock, new ByteBudget(BUDGET_BYTES), {
    isWanted: () => true,
    take: took,
    malformed: ({ message }) => fail(message),
    overLimit: ({ message }) => fail(message),
    closed: () => undefined,
  });
}

function fail(reason: string): never {
  throw new Error(reason);
}

async function measured(work: number, carryOut: () => Promise<void>): Promise<Measured> {
  const before = process.cpuUsage();
  await carryOut();
  const { user, system } = process.cpuUsage(before);
  return { work, cpuMicros: user + system };
}
