import { ZERO_HASH160 } from '../../values/hash.ts';
import { addressGroup } from '../../wire/addresses.ts';
import type { FollowedChain } from './followed_chain.ts';
import { ancestor } from '../../wire/messages/ancestor.ts';
import { ancestorRequest } from '../../wire/messages/ancestor_request.ts';
import type { Status } from '../../wire/messages/status.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';
import type { Voices } from './voices.ts';
import type { NodeId } from '../../wire/wire_values.ts';

export interface ContestParts {
  readonly environment: Environment;
  readonly voices: Voices;
  readonly followed: FollowedChain;
  /** The highest block whose id the operator has given. */
  readonly checkpoint: number;
}

/** Contradictions of voices about a block that is irreversible here. */
export interface ContestReport {
  readonly number: number;
  /** Voices that have the same block, and those that have another one. */
  readonly agreeing: number;
  readonly contradicting: number;
  /** A node whose id the operator has given is among those that contradict. */
  readonly isContradictedByPinned: boolean;
  /** The node can't tell which one is right, and fetches nothing. */
  readonly isOpen: boolean;
}

/** Contradictions of inbound strangers: a warning for the operator, and nothing else. */
export interface InboundContest {
  /** The newest block that one of them contradicts. */
  readonly number: number;
  /** The number of their address groups. */
  readonly groups: number;
}

/** The time for which a peer with another final block is refused. */
export const REFUSED_MS = 10 * 60_000;
/** The time for which a statement about a final block counts: a peer that is let in again repeats it before. */
const SAID_MS = 2 * REFUSED_MS;
const MOST_REMEMBERED = 1024;
const ASK_EACH_MS = 5000;
/** One other hand may lie; two that this node has chosen, and twice as many as contradict, are the others. */
const ENOUGH_AGREEING = 2;

interface Said {
  readonly isOurs: boolean;
  readonly isPinned: boolean;
  readonly number: number;
  readonly atMs: number;
}

/**
 * Peers that say another block is final than we do are let go. Where the node has followed the chain, that is all.
 * Where it has not, it can't tell an old key's branch from the chain: it stops until a pinned peer, a checkpoint or
 * most of the others agree.
 */
export class Contest {
  readonly #parts: ContestParts;
  readonly #refused = new Map<NodeId, number>();
  /** By voice: what it said last. */
  readonly #said = new Map<string, Said>();
  /** By address group: what strangers contradict. */
  readonly #saidByStrangers = new Map<string, Pick<Said, 'number' | 'atMs'>>();
  readonly #asked = new Map<Peer, { readonly number: number; readonly atMs: number }>();
  #askedMs = -Infinity;
  #openNumber: number | undefined;

  constructor(parts: ContestParts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#openNumber !== undefined;
  }

  /** Undefined while nobody with a voice contradicts. */
  get report(): ContestReport | undefined {
    const contradicting = this.#current.filter(({ isOurs }) => !isOurs);
    const number = this.#openNumber ?? Math.max(0, ...contradicting.map((said) => said.number));
    if (number === 0) return undefined;
    return {
      number,
      agreeing: this.#current.filter((said) => said.isOurs && said.number >= number).length,
      contradicting: contradicting.length,
      isContradictedByPinned: contradicting.some(({ isPinned }) => isPinned),
      isOpen: this.isOpen,
    };
  }

  /** Undefined while no stranger contradicts. */
  get inbound(): InboundContest | undefined {
    const nowMs = this.#nowMs;
    const current = [...this.#saidByStrangers.values()].filter(({ atMs }) => nowMs - atMs <= SAID_MS);
    return current.length === 0
      ? undefined
      : { number: Math.max(...current.map(({ number }) => number)), groups: current.length };
  }

  /** Returns whether the peer was refused lately. */
  isRefused(id: NodeId): boolean {
    return (this.#refused.get(id) ?? 0) > this.#nowMs;
  }

  /** False when the peer is on another chain than we are; then it has been let go. */
  check(peer: Peer, { irreversible_number: number, irreversible_id: id }: Status): boolean {
    const { view } = this.#parts.environment;
    // A claim is no evidence where certificates are.
    if (view.finality !== undefined || number > view.head.irreversible) return true;
    const own = number === 0 ? ZERO_HASH160 : view.blockId(number);
    if (own === undefined) return true;
    if (own !== id) {
      this.contradicted(peer, number);
      return false;
    }
    this.#note(peer, number, true);
    return true;
  }

  /** The peer has another block in the place of one that is final here. */
  contradicted(peer: Peer, number: number): void {
    const { log } = this.#parts.environment;
    log.error(
      `a peer has another block ${number} than this node, where it is irreversible: the peer is let go for ten minutes`,
      'irreversible_block_contradicted',
      {
        block: number,
        peer: peer.id,
        host: peer.pipe.address.host,
      },
    );
    this.#refused.delete(peer.id);
    this.#refused.set(peer.id, this.#nowMs + REFUSED_MS);
    forgetOldest(this.#refused);
    this.#note(peer, number, false);
    this.#openAt(number);
    peer.close('other_final_block', `block ${number} is another one here`);
  }

  /** The peer has closed the link because another block is final there. A peer that is further ahead sees it first. */
  noteClaim(peer: Peer): void {
    const { view, log } = this.#parts.environment;
    const { irreversible } = view.head;
    if (irreversible === 0 || view.finality !== undefined) return;
    log.warning(
      'a peer has let this node go: it says that another block is final there',
      'disconnected_as_contradicting',
      {
        peer: peer.id,
        host: peer.pipe.address.host,
      },
    );
    this.#note(peer, irreversible, false);
    this.#openAt(irreversible);
  }

  left(peer: Peer): void {
    this.#asked.delete(peer);
  }

  /** Ends the contest when those who have a voice agree. */
  tick(): void {
    if (this.#openNumber !== undefined && this.#isDecided(this.#openNumber)) this.#end(this.#openNumber);
  }

  /** Asks voices for the contradicted block: a peer that is further ahead does not mention it by itself. */
  ask(live: readonly Peer[]): void {
    const nowMs = this.#nowMs;
    if (nowMs - this.#askedMs < ASK_EACH_MS) return;
    const { number } = this.report ?? {};
    const id = number === undefined ? undefined : this.#parts.environment.view.blockId(number);
    if (number === undefined || id === undefined) return;
    this.#askedMs = nowMs;
    for (const peer of this.#parts.voices.speakers(live)) {
      if ((peer.status?.irreversible_number ?? 0) < number || this.#hasSaid(peer, number)) continue;
      this.#asked.set(peer, { number, atMs: nowMs });
      peer.ask(ancestorRequest, { ids: [id] }, ancestor);
    }
  }

  /** Returns whether the peer owes an answer of the kind that others ask for, too. */
  isAsking(peer: Peer): boolean {
    const { atMs = -Infinity } = this.#asked.get(peer) ?? {};
    return this.#nowMs - atMs <= ASK_EACH_MS;
  }

  /** Returns whether it was the answer to a question of this contest, which the peer's word has then been noted for. */
  takeAncestor(peer: Peer, number: number): boolean {
    if (!this.isAsking(peer)) return false;
    const asked = this.#asked.get(peer)?.number ?? 0;
    this.#asked.delete(peer);
    if (number === asked) this.#note(peer, asked, true);
    // A peer that has pruned the block can't tell.
    else if ((peer.hello?.oldest_block ?? 0) <= asked) this.contradicted(peer, asked);
    return true;
  }

  #openAt(number: number): void {
    const { environment, checkpoint, followed } = this.#parts;
    if (this.isOpen || checkpoint >= number || followed.has(number) || this.#isDecided(number)) return;
    this.#openNumber = number;
    environment.log.error(
      `peers contradict each other about block ${number}: this node fetches nothing until they agree; name a checkpoint or a seed with its id (id@host:port) that you trust`,
      'chain_contested',
      { block: number },
    );
  }

  /** Returns whether those who count have this node's block. */
  #isDecided(number: number): boolean {
    const [agreeing, contradicting] = [true, false].map((isOurs) =>
      this.#current.filter((said) => said.isOurs === isOurs && (!isOurs || said.number >= number)),
    );
    if (agreeing === undefined || contradicting === undefined || contradicting.length === 0) return true;
    const pinned = [agreeing, contradicting].map((some) => some.filter(({ isPinned }) => isPinned).length);
    if (pinned.some((count) => count > 0)) return (pinned[0] ?? 0) > (pinned[1] ?? 0);
    return agreeing.length >= ENOUGH_AGREEING && agreeing.length >= 2 * contradicting.length;
  }

  #end(number: number): void {
    this.#openNumber = undefined;
    const agreeing = this.#current.filter(({ isOurs }) => isOurs).length;
    this.#parts.environment.log.notice(
      `nobody that counts contradicts block ${number} any more, ${agreeing} peers have it: this node goes on`,
      'contest_ended',
      { block: number, agreeing },
    );
  }

  /**
   * Notes the statement of a voice. Strangers have none, or anybody could stop a newcomer: their contradictions are
   * only reported.
   */
  #note(peer: Peer, number: number, isOurs: boolean): void {
    const { voices } = this.#parts;
    const voice = voices.of(peer);
    if (voice === undefined) return isOurs ? undefined : this.#noteStranger(peer, number);
    const said = { isOurs, isPinned: voices.isPinned(peer), number, atMs: this.#nowMs };
    this.#said.delete(voice);
    this.#said.set(voice, said);
    forgetOldest(this.#said);
  }

  #noteStranger({ pipe }: Peer, number: number): void {
    const group = addressGroup(pipe.address.host);
    this.#saidByStrangers.delete(group);
    this.#saidByStrangers.set(group, { number, atMs: this.#nowMs });
    forgetOldest(this.#saidByStrangers);
  }

  /** Lately enough, so that it needs not be asked again. */
  #hasSaid(peer: Peer, number: number): boolean {
    const said = this.#said.get(this.#parts.voices.of(peer) ?? '');
    return said !== undefined && said.number >= number && this.#nowMs - said.atMs <= REFUSED_MS;
  }

  get #current(): Said[] {
    const nowMs = this.#nowMs;
    return [...this.#said.values()].filter(({ atMs }) => nowMs - atMs <= SAID_MS);
  }

  get #nowMs(): number {
    return this.#parts.environment.clock.elapsedMs();
  }
}

function forgetOldest<Key>(values: Map<Key, unknown>): void {
  if (values.size <= MOST_REMEMBERED) return;
  for (const oldest of values.keys()) return void values.delete(oldest);
}
