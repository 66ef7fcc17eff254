import type { Clock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { chainView } from '../state/chain_view.ts';
import type { KeyValueStore } from '../storage/key_value.ts';
import { readParameters } from '../settings/chain_settings.ts';
import type { HttpServerKind } from '../jsonrpc/http/http_server.ts';
import { openFront, type Front, type ServedNode } from '../node/front.ts';
import type { Methods } from '../rpc/method.ts';
import { ProductionRecord } from '../node/http/production_record.ts';
import { StallTimes } from '../node/threads/stall_times.ts';
import { BatchVerifier } from '../verifiers/batch_verifier.ts';
import { FINALITY_MS } from '../node/threads/broadcasts/broadcast_answers.ts';
import { Broadcasts } from '../node/threads/broadcasts/broadcasts.ts';
import { directPorts } from '../system/direct_ports.ts';
import { directVerifiers } from '../verifiers/direct_verifiers.ts';
import type { FromWriter, ToWriter } from '../node/threads/messages.ts';
import { Writer } from '../node/threads/writer/writer.ts';
import { WriterClient } from '../node/threads/writer/writer_client.ts';
import type { BatchPool } from '../verifiers/verifier_report.ts';

/** A node in one thread, with nothing on disk. */
export interface OwnThreadNode {
  readonly front: Front;
  /** Resolves when a part has failed: nothing more is written. */
  readonly failed: Promise<Fault>;
  stop(): Promise<void>;
}

/** The limits of one test's concurrent work. */
const LIMITS = {
  queuedBroadcasts: 20_000,
  parkedBroadcasts: 20_000,
  waitingForFinality: 10_000,
  finalityMs: FINALITY_MS,
};
const CACHED_ROWS = 10_000;

export interface OwnThreadParts {
  /** In memory; empty for a new chain. */
  readonly store: KeyValueStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** The same settings for this process, which has loaded the methods and serves by this. */
export function withServer<T extends ServedNode>(settings: T, httpServer: HttpServerKind, methods: Methods): T {
  const { front } = settings;
  return {
    ...settings,
    front: { ...front, serving: { ...front.serving, httpServer }, methods: () => Promise.resolve(methods) },
  };
}

/**
 * Builds a node whose parts run in this thread and speak by calls: the same classes as of any other node, over a store
 * in memory.
 */
export async function startInOwnThread(
  settings: ServedNode,
  { store, clock, log }: OwnThreadParts,
): Promise<OwnThreadNode> {
  const parameters = readParameters(settings.writer.chain);
  const [stalls, production, broadcasts] = [new StallTimes(), new ProductionRecord(), new Broadcasts(LIMITS, clock)];
  let fail: (fault: Fault) => void = () => undefined;
  const failed = new Promise<Fault>((resolve) => {
    fail = resolve;
  });
  const [frontEnd, writerEnd] = directPorts<FromWriter, ToWriter>();
  const writer = new WriterClient(frontEnd, {
    verdicts: (bytes, beganMs) => broadcasts.takeVerdicts(bytes, beganMs),
    dropped: (bytes) => broadcasts.takeDropped(bytes),
    produced: (slot) => stalls.takeSlot(slot),
    production: (problems) => production.take(problems),
    // Verifiers are in the writer's thread already.
    verifierLoaded: () => undefined,
    unverified: () => undefined,
    // It speaks to no others.
    alive: () => undefined,
    finality: () => undefined,
    voting: () => undefined,
    finalised: () => undefined,
    standbySwitch: () => undefined,
    failed: fail,
  });
  new Writer(settings.writer, {
    ...{ parameters, store, clock, log, front: writerEnd, takeDelaySeconds: () => 0 },
    // Its port is closed by then: whoever waits for it is told by `failed`.
    die: () => undefined,
  });
  await writer.opened();
  const verifiers = directVerifiers(parameters, chainView(store, CACHED_ROWS));
  const parts = {
    dataFolder: undefined,
    store,
    threads: { broadcasts, writer, verifiers, network: undefined },
    reports: { stalls, production, network: undefined, sink: undefined },
    failed: fail,
  };
  const front = await openFront(settings, parts);
  broadcasts.start(ownVerifier());
  return { front, failed, stop };

  function ownVerifier(): BatchPool {
    const [verifierEnd, line] = directPorts<never, Uint8Array<ArrayBuffer>>();
    writer.connect(line);
    const verifier = new BatchVerifier({
      ...{ parameters, clock, view: chainView(store, CACHED_ROWS) },
      handOver: (bytes) => verifierEnd.post(bytes),
    });
    return {
      threads: 1,
      verify: async (batch) => await Promise.resolve({ ...verifier.verify(batch), elapsedMicros: 0 }),
    };
  }

  async function stop(): Promise<void> {
    broadcasts.stop();
    await front.close();
    await writer.stop();
  }
}
