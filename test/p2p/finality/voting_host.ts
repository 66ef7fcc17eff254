import { present } from '../../../src/base/assert.ts';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import { NO_VOTERS, voteDigest, type Vote, type VoteSubject } from '../../../src/blocks/finality/vote.ts';
import { quorumSize, epochVoters, type Voters } from '../../../src/blocks/finality/voters.ts';
import { encodeFrame, HEADER_BYTES } from '../../../src/wire/link/frame.ts';
import { hello, RELAYS_VOTES } from '../../../src/wire/messages/hello.ts';
import { messageNumber } from '../../../src/wire/messages/index.ts';
import type { BoundaryCertificate } from '../../../src/wire/messages/finality.ts';
import { Network } from '../../../src/p2p/network.ts';
import type { FinalityView } from '../../../src/p2p/environment/chain_access.ts';
import type { PipeListener } from '../../../src/wire/link/pipe.ts';
import { AddressBook } from '../../../src/p2p/peers/address_book.ts';
import { Bans } from '../../../src/p2p/peers/bans.ts';
import type { MessageKind } from '../../../src/wire/message_kind.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { networkSettings } from '../../builders/network_settings.ts';
import { HandPipe, makeNodeId } from '../../builders/pipes.ts';
import { CHAIN_ID, madeUpId, PROFILE, quietWorld, StillChain } from '../../builders/still_chain.ts';

/** The head's number is its slot: every slot had a block. */
export const HEAD = 900;
/** Rounds of ten. */
export const EPOCH = 89;
export const KEYS = Array.from({ length: 10 }, (_, index) => `02${index.toString(16).padStart(64, '0')}`);

export function madeUpVoters(epoch: number, keys = KEYS): Voters {
  return epochVoters(CHAIN_ID, epoch, keys);
}

/** A vote for the head in its slot, varied. */
export function makeSubject(varied: Partial<VoteSubject> = {}): VoteSubject {
  const epoch = varied.epoch ?? EPOCH;
  return {
    epoch,
    voters: madeUpVoters(epoch).digest,
    view: HEAD,
    kind: 'prepare',
    block: madeUpId(HEAD),
    header: '01'.repeat(32),
    root: '02'.repeat(32),
    next_voters: NO_VOTERS,
    ...varied,
  };
}

/** Stands for a signature: the key and the digest. */
function signWithKey(key: string, digest: Uint8Array): string {
  return `1f${key.slice(2)}${Buffer.from(digest).toString('hex')}`;
}

export function makeVote(voter: number, subject = makeSubject(), keys: readonly string[] = KEYS): Vote {
  return { subject, voter, signature: signWithKey(present(keys[voter], 'a voter'), voteDigest(CHAIN_ID, subject)) };
}

export function makeCertificate(subject = makeSubject(), count = quorumSize({ keys: KEYS })): Certificate {
  return {
    subject,
    signatures: KEYS.slice(0, count).map((_, voter) => ({ voter, signature: makeVote(voter, subject).signature })),
  };
}

export class Guest {
  readonly pipe: HandPipe;
  readonly #listener: PipeListener;

  constructor(pipe: HandPipe, listener: PipeListener) {
    this.pipe = pipe;
    this.#listener = listener;
  }

  says<T>(kind: MessageKind<T>, value: T): void {
    this.#listener.received(encodeFrame(messageNumber(kind), kind.lane, kind.encode(value), false));
  }

  /** The messages of a kind that it was sent since this was last called; others are dropped. */
  heard<T>(kind: MessageKind<T>): T[] {
    const all = Buffer.from(this.pipe.take());
    const found: T[] = [];
    for (let at = 0; at < all.length; at += HEADER_BYTES + all.readUInt32LE(at))
      if (all[at + 4] === messageNumber(kind))
        found.push(kind.decode(all.subarray(at + HEADER_BYTES, at + HEADER_BYTES + all.readUInt32LE(at))));
    return found;
  }
}

/** A node whose chain stands at a made-up block, with peers that the test plays. */
export class VotingHost {
  readonly clock = new HandClock(HEAD * 3000);
  readonly bans = new Bans();
  readonly network: Network;
  readonly votes: Vote[] = [];
  readonly certificates: Certificate[] = [];
  /** The epoch that has begun. */
  epoch = EPOCH;
  /** The number of verified signatures, and the time of each. */
  verified = 0;
  verifyMs = 0;
  /** Voters by epoch, and boundaries by epoch. */
  readonly voters = new Map<number, Voters>([EPOCH, EPOCH + 1].map((epoch) => [epoch, madeUpVoters(epoch)]));
  readonly boundaries = new Map<number, BoundaryCertificate>();

  constructor({ relaysVotes = true, hasFinality = true } = {}) {
    const chain = new StillChain(HEAD);
    const currentEpoch = (): number => this.epoch;
    const view: FinalityView = {
      votersOf: (epoch) => this.voters.get(epoch),
      boundaryFrom: (epoch) => [...this.boundaries.values()].find(({ voters }) => voters.epoch >= epoch),
      get epoch() {
        return currentEpoch();
      },
    };
    const world = quietWorld(this.clock, hasFinality ? Object.assign(chain, { finality: view }) : chain);
    const intake = {
      ...world.intake,
      isVoteSigned: (digest: Uint8Array, signature: string, key: string) => {
        this.verified++;
        this.clock.stall(this.verifyMs);
        return signature === signWithKey(key, digest);
      },
      takeVotes: (votes: readonly Vote[]) => void this.votes.push(...votes),
      takeCertificate: (certificate: Certificate) => void this.certificates.push(certificate),
    };
    const settings = networkSettings({
      introduction: { agent: 'us', endpoints: [], takesTransactions: true, relaysVotes },
    });
    this.network = new Network(
      { ...world, intake },
      { settings, book: new AddressBook(false), bans: this.bans, anchors: [], checkpoint: 0, syncRate: 1 },
    );
    this.network.start();
  }

  guest(name: string, roles = RELAYS_VOTES, isInbound = true): Guest {
    const pipe = new HandPipe(makeNodeId(name), isInbound, {
      host: `93.${name.length}.${name.charCodeAt(name.length - 1)}.${name.charCodeAt(0)}`,
      port: 1,
    });
    const place = present(
      this.network.admit(pipe.address.host, () => undefined),
      'a place',
    );
    const listener = present(this.network.accept(pipe, place), 'a listener');
    pipe.listener = listener;
    const guest = new Guest(pipe, listener);
    guest.says(hello, {
      ...{
        protocol: 1,
        chain_id: CHAIN_ID,
        profile: PROFILE,
        agent: name,
        endpoints: [],
        roles,
        oldest_block: 1,
        clock_ms: 0n,
      },
      status: { head_number: HEAD, head_id: madeUpId(HEAD), irreversible_number: 890, irreversible_id: madeUpId(890) },
    });
    return guest;
  }

  /** Somebody whom this node has dialled. */
  dialled(name: string): Guest {
    return this.guest(name, RELAYS_VOTES, false);
  }

  /** Ten guests that relay votes. Their handshakes are paid for: so many at once cost more than a second's credit. */
  relays(count = 10): Guest[] {
    const guests = Array.from({ length: count }, (_, index) =>
      this.guest(`relay-${'abcdefghijklmnopqrstuvwxyz'.charAt(index)}`),
    );
    this.clock.pass(1000);
    return guests;
  }
}
