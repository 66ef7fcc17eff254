import { MEBIBYTE } from '../../base/bytes.ts';
import type { Page, PageRequestSource } from '../../jsonrpc/http/http_server.ts';
import { networkProblems, networkWarnings } from '../network/network_problems.ts';
import { timeText } from '../../values/time.ts';
import type { NodeWatch, WatchedFinality } from './node_watch.ts';
import { toPercent } from './processor_load.ts';
import { localJsonPage } from '../../jsonrpc/http/json_page.ts';

/** The path that `pharos top` asks. */
export const TOP_PATH = '/node/top.json';
const MOST_METHODS = 20;
const MOST_CLIENTS = 20;
const MOST_KINDS = 5;

/** The work of a node in the last minute, and its clients. */
export interface Top {
  readonly head_block_number: number;
  /** -1 where the chain sets its own time. */
  readonly head_age_seconds: number;
  readonly irreversible_block_number: number;
  /** The last block that enough witnesses have built on; -1 where that is the irreversible one. */
  readonly confirmed_block_number: number;
  /** The state of votes; null when confirmations make blocks irreversible. */
  readonly finality: TopFinality | null;
  /** -1 where the node speaks to no other. */
  readonly peers: number;
  readonly blocks_behind: number;
  /** Address groups that the node has dialled, and nodes that its operator has named. */
  readonly peer_groups: number;
  /** Reasons to doubt the node's standing, and further news of its network; as in /health. */
  readonly network_problems: readonly string[];
  /** Of the network's thread, in the last 10 seconds, and of the kinds of work that took most of it. */
  readonly network_percent: number;
  readonly network_kinds: readonly { readonly kind: string; readonly percent: number }[];
  /**
   * Of the thread that answers calls, of this machine's processors, and of these by the node; of the last 10 seconds.
   */
  readonly thread_percent: number;
  readonly machine_percent: number;
  readonly process_percent: number;
  readonly memory_mib: number;
  readonly calls_waiting: number;
  /** -1 where it is not known. */
  readonly disk_free_mib: number;
  /** At the rate of the last hour; -1 where it is not known, or never. */
  readonly disk_full_in_hours: number;
  readonly methods: readonly {
    readonly method: string;
    readonly calls: number;
    readonly repeated: number;
    readonly refused: number;
    readonly seconds: number;
    readonly waits: boolean;
  }[];
  readonly clients: readonly {
    readonly address: string;
    readonly calls: number;
    readonly refused: number;
    readonly percent: number;
  }[];
}

/** The state of votes, as in /health. */
export interface TopFinality {
  readonly epoch: number;
  readonly voters: number;
  readonly quorum: number;
  readonly missing: number;
  readonly missing_names: readonly string[];
  /** Since when no block has become irreversible; null where that is not too long. */
  readonly stalled_since: string | null;
}

/** The page for programs of the node's own machine: clients are nobody else's business. */
export function topPage(
  watch: NodeWatch,
): (path: string, requestSource: Pick<PageRequestSource, 'isLocal'>) => Page | undefined {
  const refusal = 'who calls the node is told to programs of its own machine that come through no proxy';
  return (path, requestSource) =>
    path === TOP_PATH ? localJsonPage(requestSource, refusal, () => JSON.stringify(makeTop(watch))) : undefined;
}

function makeTop(watch: NodeWatch): Top {
  const { parts, disk } = watch;
  const { number, time } = parts.head();
  const { thread, machine, process: own } = parts.processors.shares;
  const { clients, weight } = parts.clients.busiest(MOST_CLIENTS);
  const network = parts.peers();
  const share = watch.networkShare();
  const { irreversible, confirmed = -1, voting } = parts.finality();
  return {
    head_block_number: number,
    head_age_seconds: parts.isTimed ? Math.round(parts.clock.nowMs() / 1000 - time) : -1,
    irreversible_block_number: irreversible,
    confirmed_block_number: confirmed,
    finality: voting === undefined ? null : topFinality(voting),
    peers: network === undefined ? -1 : network.inbound + network.outbound,
    blocks_behind: network?.behindBy ?? 0,
    peer_groups: network?.voices ?? 0,
    network_problems: network === undefined ? [] : [...networkProblems(network), ...networkWarnings(network, share)],
    network_percent: toPercent(share?.busy ?? 0),
    network_kinds: (share?.kinds ?? [])
      .slice(0, MOST_KINDS)
      .map(({ kind, share: part }) => ({ kind, percent: toPercent(part) })),
    thread_percent: toPercent(thread),
    machine_percent: toPercent(machine),
    process_percent: toPercent(own),
    memory_mib: Math.round(process.memoryUsage.rss() / MEBIBYTE),
    calls_waiting: parts.times.inFlight,
    disk_free_mib: Math.trunc((disk.freeBytes ?? -MEBIBYTE) / MEBIBYTE),
    disk_full_in_hours: Math.round(((disk.fullInSeconds() ?? -3600) / 3600) * 10) / 10,
    methods: watch
      .methods()
      .slice(0, MOST_METHODS)
      .map(({ method, calls, repeated, refused, seconds }) => ({
        method,
        calls,
        repeated,
        refused,
        seconds: Math.round(seconds * 1000) / 1000,
        waits: parts.waits(method),
      })),
    clients: clients.map((client) => ({
      address: client.address,
      calls: client.calls,
      refused: client.refused,
      percent: toPercent(client.weight / Math.max(1, weight)),
    })),
  };
}

function topFinality({
  epoch,
  voters,
  quorum,
  missing,
  missingNames,
  stalledSince,
}: NonNullable<WatchedFinality['voting']>): TopFinality {
  const stalled_since = stalledSince === undefined ? null : timeText(stalledSince);
  return { epoch, voters, quorum, missing, missing_names: missingNames, stalled_since };
}
