import { createConnection, type Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { Alive } from '../../blocks/alive.ts';
import type { BlockHeader } from '../../blocks/header.ts';
import type { KeySwitch } from '../../blocks/key_switch.ts';
import type { Digest, Signature } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { BlockSigner } from '../block_signer.ts';
import type { SignAnswer } from '../sign_answer.ts';
import type { LockableSlots, SlotToSign } from '../signing_journal.ts';
import type { ShownVote } from '../voting_journal.ts';
import type { VotingSigner } from '../voting_signer.ts';
import { JournalMirror } from './journal_mirror.ts';
import { InFlight } from '../../system/in_flight.ts';
import {
  lineOfMessage,
  parseSignerMessage,
  type FromSigner,
  type SigningQuestions,
  type ToSigner,
} from './signer_messages.ts';
import { RemoteVoting } from './remote_voting.ts';
import { readLines } from './socket_lines.ts';

/** The signer's socket, and the chain to sign for. */
export interface RemoteSignerOptions {
  readonly path: string;
  readonly chain: Digest;
  readonly intervalSeconds: number;
  readonly clock: Clock;
  readonly log: Log;
}

const RETRY_MS = 1000;
const OPEN_MS = 5000;

/** A request of one kind more than this makes the signer's answers to the earlier ones useless. */
const MOST_IN_FLIGHT: Readonly<Record<keyof SigningQuestions, number>> = {
  /** The slot of an earlier one is over. */
  sign: 1,
  /** A witness for each slot of a round. */
  sign_alive: 64,
  /** A witness has few standbys, and each is asked for again when no answer comes. */
  switch: 64,
  /** A prepare and a commit for a slot; those of earlier slots are of no use any more. */
  sign_votes: 4,
};

/** Has a process beside the node sign, which holds keys and journal. While it is gone nothing is signed. */
export class RemoteSigner implements BlockSigner {
  readonly keys: ReadonlySet<PublicKey>;
  readonly journal: LockableSlots;
  readonly #options: RemoteSignerOptions;
  readonly #mirror: JournalMirror;
  readonly #votes = new RemoteVoting({
    begin: (key, slot, signedFirstBlock) => this.#send({ kind: 'begin_votes', key, slot, signedFirstBlock }),
    sign: (votes, done) => this.#signVotes(votes, done),
  });
  /** True when the signer's version signs votes. */
  #hasVotes: boolean;
  readonly #inFlight = new InFlight<SigningQuestions>();
  #socket: Socket | undefined;
  #isClosed = false;
  #cancelRetry: () => void = () => undefined;

  private constructor(options: RemoteSignerOptions, socket: Socket, opened: Opened) {
    this.#options = options;
    this.keys = new Set(opened.keys);
    this.#mirror = new JournalMirror(options.chain, (foreign) => this.#send({ kind: 'lock', foreign }));
    this.journal = this.#mirror;
    this.#mirror.take(opened);
    this.#hasVotes = opened.votes !== undefined;
    this.#use(socket);
    this.#votes.opened(opened.votes ?? []);
  }

  /** Fault `configuration` when the signer is not there, or serves somebody else. */
  static async connect(options: RemoteSignerOptions): Promise<RemoteSigner> {
    const { path } = options;
    return await new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        socket.destroy();
        cancel();
        reject(new Fault('configuration', `signer-socket: no signer at ${path}: ${why}`));
      };
      const cancel = options.clock.after(OPEN_MS, () => fail('it does not answer'));
      const socket = begin(options, (message) => {
        if (message?.kind !== 'opened')
          return fail(message?.kind === 'closed' ? message.message : 'it says something else');
        cancel();
        forget(socket);
        resolve(new RemoteSigner(options, socket, message));
      });
      socket.once('error', ({ message }) => fail(message));
      socket.once('close', () => fail('it has closed the connection'));
    });
  }

  /** Fault `configuration` for a signer of a version that signs no votes. */
  voting(): VotingSigner {
    if (!this.#hasVotes)
      throw new Fault(
        'configuration',
        `signer-socket: the signer at ${this.#options.path} is of a version that signs no votes, and this chain has finality; start pharos signer of this version, with the same signing journal`,
      );
    return this.#votes;
  }

  signBlock({ key }: SlotToSign, header: BlockHeader, done: (answer: SignAnswer) => void): void {
    if (this.#socket === undefined) return;
    const number = this.#await('sign', done);
    this.#send({ kind: 'sign', number, key, header });
  }

  signAlive(_chain: Digest, alive: Alive, done: (signature: Signature) => void): void {
    if (this.#socket === undefined) return;
    const number = this.#await('sign_alive', (answer) => void (answer.kind === 'signed' && done(answer.signature)));
    this.#send({ kind: 'sign_alive', number, alive });
  }

  signSwitch(_chain: Digest, terms: KeySwitch, done: (answer: SignAnswer) => void): void {
    if (this.#socket === undefined) return;
    const number = this.#await('switch', done);
    this.#send({ kind: 'switch', number, terms });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRetry();
    this.#socket?.destroy();
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    readLines(socket, (line) => this.#take(parseSignerMessage(line)));
    this.#watch(socket);
  }

  #take(message: FromSigner | undefined): void {
    if (message?.kind === 'signed') this.#mirror.note(message.slot);
    switch (message?.kind) {
      case 'signed':
        return this.#inFlight.answer('sign', message.number, { kind: 'signed', signature: message.signature });
      case 'alive_signed':
        return this.#inFlight.answer('sign_alive', message.number, { kind: 'signed', signature: message.signature });
      case 'switch_signed':
        return this.#inFlight.answer('switch', message.number, { kind: 'signed', signature: message.signature });
      case 'votes_signed':
        this.#votes.voted(message.records);
        return this.#inFlight.answer('sign_votes', message.number, message.answers);
      case 'votes_begun':
        return this.#votes.begun(message.record);
      case 'refused':
        for (const kind of ['sign', 'sign_alive', 'switch'] as const)
          this.#inFlight.answer(kind, message.number, message);
        return;
      case 'locks':
        for (const { key } of message.locks) this.#votes.end(key);
        return this.#mirror.takeLocks(message.locks);
      default:
        this.#socket?.destroy();
    }
  }

  #signVotes(votes: readonly ShownVote[], done: (answers: readonly SignAnswer[]) => void): void {
    if (this.#socket === undefined) return;
    if (this.#inFlight.sizeOf('sign_votes') >= MOST_IN_FLIGHT.sign_votes) this.#inFlight.forget('sign_votes');
    this.#send({ kind: 'sign_votes', number: this.#inFlight.add('sign_votes', done), votes });
  }

  #await(kind: Exclude<keyof SigningQuestions, 'sign_votes'>, done: (answer: SignAnswer) => void): number {
    if (this.#inFlight.sizeOf(kind) >= MOST_IN_FLIGHT[kind]) this.#inFlight.forget(kind);
    return this.#inFlight.add(kind, done);
  }

  #watch(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#socket = undefined;
      this.#inFlight.forget('switch');
      if (this.#isClosed) return;
      this.#options.log.error(
        `the signer at ${this.#options.path} is gone: nothing is signed until it is there again`,
        'signer_lost',
        {
          path: this.#options.path,
        },
      );
      this.#retry();
    });
  }

  #retry(): void {
    this.#cancelRetry = this.#options.clock.after(RETRY_MS, () => {
      const socket = begin(this.#options, (message) => {
        if (message?.kind === 'opened') this.#startServing(socket, message);
        else socket.destroy();
      });
      socket.once('error', () => socket.destroy());
      socket.once('close', () => this.#retry());
    });
  }

  #startServing(socket: Socket, opened: Opened): void {
    forget(socket);
    this.#mirror.take(opened);
    this.#hasVotes = opened.votes !== undefined;
    this.#use(socket);
    this.#votes.opened(opened.votes ?? []);
    this.#mirror.tellUntold();
    this.#options.log.notice(`the signer at ${this.#options.path} is there again`, 'signer_found', {
      path: this.#options.path,
    });
  }

  #send(message: ToSigner): void {
    this.#socket?.write(lineOfMessage(message));
  }
}

type Opened = Extract<FromSigner, { kind: 'opened' }>;

/** Connects, and calls `first` with the first thing that the signer says. */
function begin(
  { path, chain, intervalSeconds }: RemoteSignerOptions,
  first: (message: FromSigner | undefined) => void,
): Socket {
  const socket = createConnection(
    path,
    () => void socket.write(lineOfMessage({ kind: 'open', chain, intervalSeconds })),
  );
  let isFirst = true;
  readLines(socket, (line) => {
    if (!isFirst) return;
    isFirst = false;
    first(parseSignerMessage(line));
  });
  return socket;
}

/** Removes the listeners that waited for the signer's answer; Node's own listeners stay. */
function forget(socket: Socket): void {
  for (const event of ['data', 'error', 'close']) socket.removeAllListeners(event);
}
