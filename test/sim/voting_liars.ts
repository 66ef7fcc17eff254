import { present } from '../../src/base/assert.ts';
import type { Certificate } from '../../src/blocks/finality/certificate.ts';
import { voteDigest, type Vote, type VotersSignature, type VoteSubject } from '../../src/blocks/finality/vote.ts';
import { quorumSize, type Voters } from '../../src/blocks/finality/voters.ts';
import type { FinalityUpdate } from '../../src/p2p/finality/finality_relay.ts';
import { certificate as certificateMessage } from '../../src/wire/messages/certificate.ts';
import { votes as votesMessage } from '../../src/wire/messages/votes.ts';
import { testKey, testSecret } from '../builders/chain.ts';
import { quickSignature } from '../builders/quick_signature.ts';
import type { RandomSource } from '../builders/random_source.ts';
import type { SimNode } from './sim_node.ts';
import type { SimWorld } from './sim_world.ts';
import type { VotingLies } from './voting_lies.ts';

const SLOT_MS = 3000;
const LATE_MS = 20_000;
/** Hidden certificates that are still shown: honest nodes take them at any age. */
const MOST_HIDDEN = 8;
const JUST_BEFORE_MS = 400;
const OLD_BLOCKS = 6;

/** A vote that honest voters and liars have signed together. */
interface Ballot {
  readonly subject: VoteSubject;
  readonly voters: Voters;
  readonly signatures: Map<number, string>;
}

interface Lie {
  readonly node: SimNode;
  readonly vote: Vote;
}

/** A liar's reaction to a statement. */
export type Habit =
  | 'votes'
  | 'votes to some'
  | 'votes late'
  | 'votes for an old block'
  | 'names other voters'
  | 'hides'
  | 'is silent';

const habits: readonly Habit[] = [
  'votes',
  'votes to some',
  'votes late',
  'votes for an old block',
  'names other voters',
  'hides',
  'hides',
];

/**
 * Voters that lie together. Each knows what any of them hears, on whatever side of a partition: they sign whatever
 * others sign, to whom they like and when they like, and show the certificates that their hidden votes complete when a
 * slot begins.
 */
export class VotingLiars implements VotingLies {
  readonly nodes: SimNode[] = [];
  /** The habit of all of them; each statement of each liar gets another one where it is undefined. */
  habit: Habit | undefined;
  readonly #world: SimWorld;
  readonly #random: RandomSource;
  readonly #names = new Set<string>();
  readonly #ballots = new Map<string, Ballot>();
  #hidden: Certificate[] = [];

  constructor(world: SimWorld, random: RandomSource) {
    this.#world = world;
    this.#random = random;
    this.#wait();
  }

  /** A witness with its machine belongs to them. */
  join(node: SimNode): void {
    this.nodes.push(node);
    for (const witness of node.options.witnesses) this.#names.add(witness);
    this.#world.checks.liars.add(node.id);
  }

  /** True when a key is one of theirs. */
  have(key: string): boolean {
    return [...this.#names].some((name) => testKey(name) === key);
  }

  hear(nodeId: string, votes: readonly Vote[]): void {
    const node = present(
      this.nodes.find(({ id }) => id === nodeId),
      'the machine of a liar',
    );
    for (const { subject, voter, signature } of votes) {
      const voters = node.chain.voted.votersOf(subject.epoch);
      if (voters?.digest !== subject.voters) continue;
      const ballot = this.#ballotOf(node, subject, voters);
      const before = ballot.signatures.size;
      ballot.signatures.set(voter, signature);
      const quorum = quorumSize(voters);
      if (before < quorum && ballot.signatures.size >= quorum)
        this.#hidden = [...this.#hidden, makeCertificate(ballot)].slice(-MOST_HIDDEN);
    }
  }

  tells({ kind }: FinalityUpdate): boolean {
    return kind !== 'certificate' || this.habit === 'votes';
  }

  #ballotOf(node: SimNode, subject: VoteSubject, voters: Voters): Ballot {
    const key = JSON.stringify(subject);
    const known = this.#ballots.get(key);
    if (known !== undefined) return known;
    const ballot = { subject, voters, signatures: new Map<number, string>() };
    this.#ballots.set(key, ballot);
    for (const name of this.#names) {
      const voter = voters.keys.indexOf(testKey(name));
      if (voter < 0) continue;
      const vote = { subject, ...this.#signed(subject, voter, name) };
      ballot.signatures.set(voter, vote.signature);
      this.#lie({ node, vote }, name);
    }
    return ballot;
  }

  #lie({ node, vote }: Lie, name: string): void {
    const { subject, voter } = vote;
    switch (this.habit ?? this.#random.pick(habits)) {
      case 'votes':
        return node.network.finalityChanged({ kind: 'vote', vote });
      case 'votes to some':
        return this.#toSome({ node, vote });
      case 'votes late':
        return node.later(this.#random.roll(LATE_MS), () => node.network.finalityChanged({ kind: 'vote', vote }));
      case 'votes for an old block': {
        const number = Math.max(1, node.chain.head.number - 1 - this.#random.roll(OLD_BLOCKS));
        const old = { ...subject, ...node.chain.voted.statedAt(number) };
        return this.#toSome({ node, vote: { subject: old, ...this.#signed(old, voter, name) } });
      }
      case 'names other voters': {
        const member = this.#random.pick(['next_voters', 'root', 'header'] as const);
        const other = { ...subject, [member]: testKey(`${subject.view}`).slice(2) };
        return this.#toSome({ node, vote: { subject: other, ...this.#signed(other, voter, name) } });
      }
      case 'hides':
      case 'is silent':
        return;
    }
  }

  #toSome({ node, vote: { subject, voter, signature } }: Lie): void {
    for (const peer of node.network.connections.live)
      if (peer.relaysVotes && this.#random.chance(50))
        peer.send(votesMessage, { subject, votes: [{ voter, signature }] });
  }

  #signed(subject: VoteSubject, voter: number, name: string): VotersSignature {
    const digest = voteDigest(this.#world.parameters.chainId, subject);
    return { voter, signature: quickSignature(digest, testSecret(name)) };
  }

  /** Just before or after each slot begins, what was hidden is shown to a part of the network. */
  #wait(): void {
    const { heap } = this.#world;
    const next = (Math.trunc(heap.nowMs / SLOT_MS) + 2) * SLOT_MS;
    heap.at(next - JUST_BEFORE_MS + this.#random.roll(2 * JUST_BEFORE_MS), () => {
      this.#show();
      this.#wait();
    });
  }

  #show(): void {
    if (this.#hidden.length === 0 || this.habit === 'votes' || this.habit === 'is silent') return;
    const certificate = present(this.#random.pick(this.#hidden), 'a certificate');
    const percent = this.#random.roll(100);
    for (const { isRunning, network } of this.nodes)
      if (isRunning)
        for (const peer of network.connections.live)
          if (this.#random.chance(percent)) peer.send(certificateMessage, certificate);
  }
}

function makeCertificate({ subject, signatures }: Ballot): Certificate {
  const signed = [...signatures].map(([voter, signature]) => ({ voter, signature }));
  return { subject, signatures: signed.sort((one, other) => one.voter - other.voter) };
}
