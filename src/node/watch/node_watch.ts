import { MEBIBYTE } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { WriteLine } from '../../base/log_events/index.ts';
import type { CallsByClient, ClientShare } from '../../jsonrpc/limits/calls_by_client.ts';
import type { MethodTimes } from '../../jsonrpc/limits/method_times.ts';
import { FEW_FREE_BYTES, freeBytes } from '../../data_folder/folder_size.ts';
import { DiskRoom } from './disk_room.ts';
import { MethodLoad, type MethodShare } from './method_load.ts';
import type { NetworkState } from '../network/network_messages.ts';
import { busySentence, groupSentence, networkProblems } from '../network/network_problems.ts';
import type { HardforkStanding } from '../../queries/hardfork_standing.ts';
import { hardforkWarnings, warningSentence, type HardforkWarningName } from '../../queries/hardfork_warnings.ts';
import type { VotingNews } from '../../voting/voting_news.ts';
import { NetworkLoad, type NetworkShare } from '../network/network_load.ts';
import { toPercent, type ProcessorLoad } from './processor_load.ts';
import { SaidSeldom } from './said_seldom.ts';

const EVERY_MS = 10_000;
const LOOKS_OF_A_MINUTE = 6;
/** Above it what comes waits for what is there already. */
const BUSY = 0.9;
/** The processors are all in use, and more of them by others than by this node. */
const MACHINE_BUSY = 0.95;
/** A program that comes to its limit now and then is no news. */
const MANY_REFUSED = 100;
const CLIENTS_SAID = 3;
const DAY_SECONDS = 86_400;
/** Warnings about this program, which are told whether or not anybody votes. */
const OF_PROGRAM: ReadonlySet<string> = new Set<HardforkWarningName>([
  'unknown_hardfork',
  'unknown_version',
  'moved_hardfork',
]);
const HOUR_SECONDS = 3600;
/** Ten slots without a block: no accident. */
const OLD_SLOTS = 10;

/** The part of a node's standing that is looked at. */
export type WatchedPeers = Pick<
  NetworkState,
  'sync' | 'behindBy' | 'contest' | 'contestedByInbound' | 'unproved' | 'voices' | 'inbound' | 'outbound'
> & {
  readonly work: Readonly<Record<string, number>>;
};

/** The parts of a node that are watched. */
export interface WatchedParts {
  readonly clock: Clock;
  readonly log: Pick<Log, 'warning' | 'notice'>;
  readonly times: Pick<MethodTimes, 'counts' | 'inFlight'>;
  readonly clients: CallsByClient;
  readonly processors: Pick<ProcessorLoad, 'shares' | 'look'>;
  readonly callsPerSecond: number;
  /** True if answers of a method wait for something, so that their time is not the node's. */
  readonly waits: (method: string) => boolean;
  /** Its path; undefined where nothing is on a disk. */
  readonly dataFolder: string | undefined;
  readonly blockIntervalSeconds: number;
  readonly head: () => { readonly number: number; readonly time: number };
  /** False on chains that set their own time: there no head is old. */
  readonly isTimed: boolean;
  /** Undefined where the node speaks to no other. */
  readonly peers: () => WatchedPeers | undefined;
  readonly finality: () => WatchedFinality;
  readonly hardforks: () => HardforkStanding;
}

/** The irreversible block, and the state of votes. */
export interface WatchedFinality {
  readonly irreversible: number;
  /** The last block that enough witnesses have built on; undefined where that is the irreversible one. */
  readonly confirmed: number | undefined;
  /** Undefined where confirmations make blocks irreversible, and before the first slot. */
  readonly voting:
    | Pick<VotingNews, 'epoch' | 'voters' | 'quorum' | 'missing' | 'missingNames' | 'stalledSince'>
    | undefined;
}

/**
 * Looks each ten seconds for what an operator asks at three in the morning: why is it slow, who hammers it, when is the
 * disk full, why is it behind.
 */
export class NodeWatch {
  readonly parts: WatchedParts;
  readonly disk = new DiskRoom();
  readonly #methods: MethodLoad;
  readonly #warnings: SaidSeldom;
  readonly #network: NetworkLoad;
  #cancel: () => void = () => {};
  #isStopped = false;
  #whyOld = '';

  constructor(parts: WatchedParts) {
    this.parts = parts;
    this.#methods = new MethodLoad(parts.times, LOOKS_OF_A_MINUTE);
    this.#methods.look();
    this.#network = new NetworkLoad(parts.clock.elapsedMs());
    this.#warnings = new SaidSeldom();
    void this.#lookAtDisk();
    this.#wait();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** The methods called in the last minute, the heaviest first. */
  methods(): readonly MethodShare[] {
    return this.#methods.since(LOOKS_OF_A_MINUTE, this.parts.waits);
  }

  /** The load of the network's thread in the last 10 seconds; undefined where the node has no network. */
  networkShare(): NetworkShare | undefined {
    return this.parts.peers() && this.#network.share;
  }

  #wait(): void {
    this.#cancel = this.parts.clock.after(EVERY_MS, () => this.#look(), false);
  }

  #look(): void {
    this.parts.processors.look();
    this.#lookAtCalls();
    this.#lookAtMachine();
    this.#lookAtClients();
    this.#lookAtNetwork();
    this.#lookAtHead();
    this.#lookAtHardforks();
    this.#methods.look();
    void this.#lookAtDisk();
    this.#wait();
  }

  #lookAtCalls(): void {
    const { thread, threadUsed = thread, threadWaited } = this.parts.processors.shares;
    if (thread < BUSY) return;
    const busyFields = { busy_percent: toPercent(thread) };
    // A thread that was held up would have had time to spare: neither a method nor a caller is to blame.
    if (threadUsed < BUSY * thread)
      return this.#say(heldUp(threadUsed, threadWaited ?? 0, thread), 'calls_wait', busyFields);
    const [heaviest] = this.#methods.since(1, this.parts.waits);
    const { clients, weight } = this.parts.clients.busiest(1);
    const what = heaviest === undefined ? '' : `; most of it took ${heaviest.method}, called ${heaviest.calls} times`;
    const who = clients.map(
      (client) =>
        `; of the last minute's calls ${percent(client.weight / Math.max(1, weight))} were those of ${client.address}`,
    );
    const busy = `calls wait: the thread that answers them was busy ${percent(thread)} of the last 10 seconds`;
    this.#say(`${busy}${what}${who.join('')}; pharos top shows more`, 'calls_wait', busyFields);
  }

  #lookAtMachine(): void {
    const { machine, process: own } = this.parts.processors.shares;
    if (machine < MACHINE_BUSY || own > machine / 2) return;
    this.#say(
      `the processors of this machine were busy ${percent(machine)} of the last 10 seconds, with this node ${percent(own)}: other programs take the time that it may need`,
      'machine_busy',
      { busy_percent: toPercent(machine) },
    );
  }

  #lookAtClients(): void {
    const { clients, callsPerSecond } = this.parts;
    const greedy = clients.busiest(CLIENTS_SAID).clients.filter(({ refused }) => refused >= MANY_REFUSED);
    if (greedy.length === 0) return;
    this.#say(
      `max-calls-per-second is ${callsPerSecond}, and more was asked for in the last minute by ${greedy.map(clientSummary).join(', ')}`,
      'calls_refused',
      { limit: callsPerSecond },
    );
  }

  #lookAtNetwork(): void {
    const network = this.parts.peers();
    if (network === undefined) return;
    this.#network.look(network.work, this.parts.clock.elapsedMs());
    const busy = busySentence(this.#network.share);
    if (busy !== undefined) {
      const busy_percent = toPercent(this.#network.share.busy);
      this.#say(busy, 'network_busy', { busy_percent });
    }
  }

  #lookAtHead(): void {
    const { isTimed, clock, head, blockIntervalSeconds, peers, log } = this.parts;
    if (!isTimed) return;
    const { number, time } = head();
    const ageSeconds = Math.trunc(clock.nowMs() / 1000 - time);
    const network = peers();
    if (ageSeconds < OLD_SLOTS * blockIntervalSeconds) {
      if (this.#warnings.forget('head_old')) log.notice('blocks come again', 'head_fresh', { block: number });
      return;
    }
    // Then it tells its progress.
    if (network?.sync === 'behind') return;
    const why = whyOld(network);
    // Another reason is news.
    if (this.#whyOld !== why) this.#warnings.forget('head_old');
    this.#whyOld = why;
    this.#say(`the last block, ${number}, is ${ageSeconds} seconds old: ${why}`, 'head_old', {
      ...{ block: number, age_seconds: ageSeconds },
    });
  }

  /** A threshold is of no interest while nobody votes. */
  #lookAtHardforks(): void {
    const standing = this.parts.hardforks();
    for (const warning of hardforkWarnings(standing)) {
      if (!OF_PROGRAM.has(warning.name) && standing.votes.length === 0) continue;
      if (this.#warnings.isDue(warning.name, this.#nowSeconds(), HOUR_SECONDS))
        this.parts.log.warning(warningSentence(warning), 'hardfork_warned', { warning: warning.name });
    }
  }

  async #lookAtDisk(): Promise<void> {
    const { dataFolder } = this.parts;
    if (dataFolder === undefined) return;
    this.disk.take(await freeBytes(dataFolder), this.#nowSeconds());
    const { freeBytes: free } = this.disk;
    const fullInSeconds = this.disk.fullInSeconds() ?? Infinity;
    if (this.#isStopped || free === undefined || (free >= FEW_FREE_BYTES && fullInSeconds >= DAY_SECONDS)) return;
    const when = Number.isFinite(fullInSeconds)
      ? `, and none in ${hours(fullInSeconds)} if it goes on as in the last hour`
      : '';
    const left = `the disk of ${dataFolder} has ${Math.trunc(free / MEBIBYTE)} MiB left${when}`;
    if (!this.#warnings.isDue('disk_low', this.#nowSeconds(), HOUR_SECONDS)) return;
    const free_mib = Math.trunc(free / MEBIBYTE);
    this.parts.log.warning(`${left}: make room; a node without room stops`, 'disk_low', { free_mib });
  }

  readonly #say: WriteLine<'warning'> = (sentence, event, fields) => {
    if (this.#warnings.isDue(event, this.#nowSeconds())) this.parts.log.warning(sentence, event, fields);
  };

  #nowSeconds(): number {
    return this.parts.clock.elapsedMs() / 1000;
  }
}

/** The known reason, and no more than that. */
function whyOld(network: WatchedPeers | undefined): string {
  if (network === undefined) return 'nobody makes blocks here';
  const { behindBy, inbound, outbound, voices, unproved } = network;
  const count = inbound + outbound;
  const [contested] = networkProblems(network);
  if (contested !== undefined) return contested;
  if (count === 0) return 'this node has no peers; pharos peers shows them';
  if (behindBy > 0) return `its ${count} peers have ${behindBy} blocks more that have not come`;
  const claimed = unproved.peers === 0 ? '' : `; ${unproved.peers} of them claim later ones and have delivered none`;
  const grouped = groupSentence(network);
  if (grouped !== undefined) return `its ${count} peers have given none later${claimed}; ${grouped}`;
  return `its ${count} peers, of ${voices} groups, have given none later${claimed}: the chain stands, or all of these are cut off with this node`;
}

/** A thread that calls wait for, and that did not get the time itself. */
function heldUp(used: number, waited: number, busy: number): string {
  const calls = `calls wait: the thread that answers them was held up; of the last 10 seconds it had a processor for ${percent(used)}`;
  const isOfProcessors = waited >= (busy - used) / 2;
  return isOfProcessors
    ? `${calls} and waited ${percent(waited)} for one, which other programs or threads had; no call is to blame`
    : `${calls} and was blocked for ${percent(busy - used - waited)}, as by a slow disk; no call is to blame`;
}

function clientSummary({ address, calls, refused }: ClientShare): string {
  return `${address} (${calls} calls, ${refused} refused)`;
}

function percent(part: number): string {
  return `${toPercent(part)} %`;
}

function hours(seconds: number): string {
  return seconds < 2 * HOUR_SECONDS
    ? `${Math.ceil(seconds / 60)} minutes`
    : `${Math.round(seconds / HOUR_SECONDS)} hours`;
}
