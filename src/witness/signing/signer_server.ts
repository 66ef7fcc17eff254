import { existsSync, lstatSync, unlinkSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { headerDigest } from '../../blocks/header.ts';
import type { LocalSigner } from '../local_signer.ts';
import type { ForeignBlock } from '../signing_journal.ts';
import type { SigningJournalFile } from './signing_journal_file.ts';
import { lineOfMessage, parseNodeMessage, type FromSigner, type ToSigner } from './signer_messages.ts';
import { readLines } from './socket_lines.ts';
import type { PublicKey } from '../../values/public_key.ts';
import { slotNumber } from '../../values/time.ts';
import type { KeyRecord } from '../voting_journal.ts';

export interface SignerServerParts {
  readonly path: string;
  readonly signer: LocalSigner;
  readonly journal: SigningJournalFile;
  /** The length of slots: a node that claims another one could have one slot signed twice under two numbers. */
  readonly intervalSeconds: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with what ends the process: after a failed write nothing is signed any more. */
  readonly failed: (error: unknown) => void;
}

/** An operator's unlocking reaches the node within this time. */
const LOCKS_READ_MS = 1000;
const FOR_GROUP = 0o117; // taken away from a new socket: its user and group may connect

/** Signs what one node on this machine asks it to, over a socket that no network reaches. */
export class SignerServer {
  readonly #parts: SignerServerParts;
  readonly #server: Server;
  /** A second node would see blocks that it knows nothing of, and lock the key. */
  #served: Socket | undefined;
  #chain = '';
  #toldLocks: readonly ForeignBlock[] = [];
  #cancelLook: () => void = () => undefined;

  constructor(parts: SignerServerParts) {
    this.#parts = parts;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Fault `configuration` when another signer listens there, or something else lies there. */
  async listen(): Promise<void> {
    const { path } = this.#parts;
    if (existsSync(path)) {
      // A mistyped flag must not cost somebody a key file.
      if (!lstatSync(path).isSocket())
        throw new Fault('configuration', `socket: ${path} is there and is no socket; name another path`);
      if (await answers(path)) throw new Fault('configuration', `another signer listens on ${path}`);
      unlinkSync(path);
    }
    const mask = process.umask(FOR_GROUP);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen(path, resolve);
      });
    } finally {
      process.umask(mask);
    }
  }

  async close(): Promise<void> {
    this.#cancelLook();
    this.#served?.destroy();
    await new Promise((resolve) => void this.#server.close(resolve));
    this.#parts.signer.close();
  }

  #serve(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    if (this.#served !== undefined) return turnAway(socket, 'it serves another node already');
    this.#served = socket;
    this.#chain = '';
    socket.on('close', () => {
      this.#served = undefined;
      this.#cancelLook();
    });
    readLines(socket, (line) => this.#guarded(() => this.#take(socket, parseNodeMessage(line))));
  }

  #take(socket: Socket, message: ToSigner | undefined): void {
    if (message?.kind === 'open') this.#open(socket, message);
    else if (message?.kind === 'sign' && this.#chain !== '') this.#sign(socket, message);
    else if (message?.kind === 'sign_alive' && this.#chain !== '') this.#signAlive(socket, message);
    else if (message?.kind === 'switch' && this.#chain !== '') this.#signSwitch(socket, message);
    else if (message?.kind === 'sign_votes' && this.#chain !== '') this.#signVotes(socket, message);
    else if (message?.kind === 'begin_votes' && this.#chain !== '') this.#beginVotes(socket, message);
    else if (message?.kind === 'lock' && this.#chain !== '') this.#lock(socket, message.foreign);
    else socket.destroy();
  }

  #open(socket: Socket, { chain, intervalSeconds }: Extract<ToSigner, { kind: 'open' }>): void {
    const { signer, journal, intervalSeconds: own, log } = this.#parts;
    if (intervalSeconds !== own)
      return turnAway(socket, `slots of ${own} seconds are signed; start it with --block-interval`);
    this.#chain = chain;
    log.notice(`a node of chain ${chain} is served`, 'signer_serves', { chain });
    const keys = [...signer.keys];
    const locks = this.#locks();
    for (const { key } of locks) this.#endVotes(key);
    const signed = journal.signedOf(chain).filter(({ key }) => signer.keys.has(key));
    const votes = signer.voting(chain) === undefined ? undefined : keys.flatMap((key) => this.#keyRecords(key));
    send(socket, { kind: 'opened', keys, signed, locks, isDamaged: journal.isDamaged, votes });
    this.#toldLocks = locks;
    this.#lookAtLocks(socket);
  }

  /** A key of the chain that is served, whatever else the node says: no node can lock those of others. */
  #lock(socket: Socket, foreign: ForeignBlock): void {
    const { signer, journal } = this.#parts;
    if (foreign.chain !== this.#chain || !signer.keys.has(foreign.key)) return void socket.destroy();
    journal.lock(foreign);
    this.#endVotes(foreign.key);
    this.#tellLocks(socket);
  }

  #endVotes(key: PublicKey): void {
    if (this.#keyRecords(key).length > 0) this.#parts.signer.voting(this.#chain)?.end(key);
  }

  #locks(): ForeignBlock[] {
    const { signer, journal } = this.#parts;
    return [...signer.keys].flatMap((key) => journal.foreignLock(this.#chain, key) ?? []);
  }

  #tellLocks(socket: Socket): void {
    this.#toldLocks = this.#locks();
    send(socket, { kind: 'locks', locks: this.#toldLocks });
  }

  /** The operator unlocks keys in the journal's file, from another process. */
  #lookAtLocks(socket: Socket): void {
    this.#cancelLook();
    const look = (): void => {
      if (this.#toldLocks.length > 0 && this.#locks().length < this.#toldLocks.length) this.#tellLocks(socket);
      this.#lookAtLocks(socket);
    };
    this.#cancelLook = this.#parts.clock.after(LOCKS_READ_MS, () => this.#guarded(look), false);
  }

  /** A journal that can't be read or written ends the process. */
  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#parts.failed(error);
    }
  }

  /** By its own digest: whatever the node makes up, it gets no signature of a block or a transaction. */
  #signAlive(socket: Socket, { number, alive }: Extract<ToSigner, { kind: 'sign_alive' }>): void {
    const { signer } = this.#parts;
    if (!signer.keys.has(alive.key))
      return send(socket, { kind: 'refused', number, code: 'unknown_key', message: 'the signer has no such key' });
    signer.signAlive(this.#chain, alive, (signature) => send(socket, { kind: 'alive_signed', number, signature }));
  }

  #sign(socket: Socket, { number, key, header }: Extract<ToSigner, { kind: 'sign' }>): void {
    const { signer, intervalSeconds, log } = this.#parts;
    const refuse = (code: string, message: string): void => send(socket, { kind: 'refused', number, code, message });
    if (!signer.keys.has(key)) return refuse('unknown_key', 'the signer has no such key');
    const slot = { chain: this.#chain, key, timestamp: header.timestamp, intervalSeconds };
    signer.signBlock(slot, header, (answer) => {
      if (answer.kind === 'refused') {
        log.error(answer.message, 'signature_refused', {});
        return refuse(answer.code, answer.message);
      }
      const digest = Buffer.from(headerDigest(header)).toString('hex');
      const signed = { key, slot: slotNumber(header.timestamp, intervalSeconds), digest };
      send(socket, { kind: 'signed', number, signature: answer.signature, slot: signed });
    });
  }

  /** Signs votes: whatever the node makes up, votes of a key rise, and none leaves before the journal has it. */
  #signVotes(socket: Socket, { number, votes }: Extract<ToSigner, { kind: 'sign_votes' }>): void {
    const { signer, log } = this.#parts;
    const voting = signer.voting(this.#chain, log.warning);
    const keys = new Set(votes.map(({ key }) => key));
    if (voting === undefined || keys.size !== votes.length || ![...keys].every((key) => signer.keys.has(key)))
      return void socket.destroy();
    voting.sign(votes, (signed) => {
      for (const answer of signed) if (answer.kind === 'refused') log.error(answer.message, 'signature_refused', {});
      send(socket, {
        kind: 'votes_signed',
        number,
        answers: signed,
        records: [...keys].flatMap((key) => this.#keyRecords(key)),
      });
    });
  }

  /** A node that does not know of a lock yet asks again once it does. */
  #beginVotes(socket: Socket, { key, slot, signedFirstBlock }: Extract<ToSigner, { kind: 'begin_votes' }>): void {
    const { signer, journal } = this.#parts;
    if (!signer.keys.has(key)) return void socket.destroy();
    if (journal.foreignLock(this.#chain, key) !== undefined) return;
    signer.voting(this.#chain)?.begin(key, slot, signedFirstBlock);
    for (const record of this.#keyRecords(key)) send(socket, { kind: 'votes_begun', record });
  }

  #keyRecords(key: PublicKey): KeyRecord[] {
    const record = this.#parts.signer.voting(this.#chain)?.votingRecord(key);
    return record === undefined ? [] : [{ key, record }];
  }

  #signSwitch(socket: Socket, { number, terms }: Extract<ToSigner, { kind: 'switch' }>): void {
    const { signer, log } = this.#parts;
    const refuse = (code: string, message: string): void => send(socket, { kind: 'refused', number, code, message });
    if (!signer.keys.has(terms.key)) return refuse('unknown_key', 'the signer has no such key');
    signer.signSwitch(this.#chain, terms, (answer) => {
      if (answer.kind === 'signed') return send(socket, { kind: 'switch_signed', number, signature: answer.signature });
      log.error(answer.message, 'signature_refused', {});
      refuse(answer.code, answer.message);
    });
  }
}

function send(socket: Socket, message: FromSigner): void {
  if (socket.writable) socket.write(lineOfMessage(message));
}

/** Says why, and doesn't wait until the other side closes. */
function turnAway(socket: Socket, message: string): void {
  socket.end(lineOfMessage({ kind: 'closed', message }), () => socket.destroy());
}

/** True when a process listens on a socket, false for one that was left behind. */
async function answers(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
