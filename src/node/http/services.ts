import type { CommittedState } from '../../queries/committed_state.ts';
import { present } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import { signTransaction } from '../../blocks/sign_transaction.ts';
import { randomBytes } from '../../crypto/random.ts';
import { defaultDialect } from '../../jsonrpc/envelope/dialect.ts';
import { irreversibleTime } from '../../queries/transaction_status.ts';
import { makeEncoding } from '../../rpc/make_encoding.ts';
import type {
  DebugHead,
  DebugCommand,
  DevelopmentServices,
  IntakeServices,
  NoticeServices,
  OperatorServices,
  Services,
  UnplacedTransaction,
} from '../../rpc/services.ts';
import { ChainSubscriptions } from '../../notices/chain_subscriptions.ts';
import { SubscriptionCounts } from '../../notices/subscription_counts.ts';
import { Subscriptions, type SubscriptionParts } from '../../notices/subscriptions.ts';
import { lastSettled } from '../../state/last_irreversible.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { KeyValueReader } from '../../storage/key_value.ts';
import { transactionLocations } from '../../state/tables/transaction_location.ts';
import type { Digest, TransactionId } from '../../values/hash.ts';
import { CommittedFinality } from '../network/committed_finality.ts';
import { about } from './about.ts';
import { pendingChange } from '../../feed/pending_change.ts';
import type { FaultsOnDemand } from './faults_on_demand.ts';
import { BlockIngress } from '../threads/broadcasts/block_ingress.ts';
import type { Places } from '../threads/broadcasts/broadcast_answers.ts';
import type { Broadcasts } from '../threads/broadcasts/broadcasts.ts';
import { TransactionChecks } from '../threads/broadcasts/transaction_checks.ts';
import type { Verifiers } from '../../verifiers/verifier_pool.ts';
import type { WriterClient } from '../threads/writer/writer_client.ts';

/** The number of blocks that users of a development chain may take back, unless they ask for more (`--undo-blocks`). */
const REVERTIBLE_BLOCKS = 10_000;
// A few milliseconds each.
const BLOCKS_A_TASK = 32;

/** The parts that services use. */
export interface ServiceParts {
  readonly chain: ServedChain;
  readonly threads: ServiceThreads;
  readonly limits: SubscriptionParts['limits'];
  readonly operator?: OperatorServices;
  readonly development?: DevelopmentParts;
  readonly report: Services['report'];
}

/** The chain as services read it. */
interface ServedChain {
  readonly parameters: ChainParameters;
  /** The committed rows, and the store in which they are. */
  readonly rows: CommittedState;
  readonly store: KeyValueReader;
  readonly clock: Clock;
  /** A development chain: no clock tells whether a block is from the future. */
  readonly ownsTime: boolean;
}

/** The threads that services call. */
interface ServiceThreads {
  readonly broadcasts: Broadcasts;
  readonly writer: WriterClient;
  readonly verifiers: Verifiers;
}

/** The parts with which users of a development chain move it. */
interface DevelopmentParts {
  /** The chain is made here, and users may move its time. */
  readonly movesTime: boolean;
  readonly faults?: FaultsOnDemand | undefined;
  /** The secret of the chain's impersonator, where the node has it. */
  readonly impersonatorSecret?: Uint8Array | undefined;
}

/** Everything that notifies clients. */
type AllSubscriptions = Pick<Subscriptions, 'size' | 'stop'>;

/** The services for methods, and the subscriptions that notify clients. Both follow the writer from now on. */
export function makeServices(parts: ServiceParts): {
  readonly services: Services;
  readonly subscriptions: AllSubscriptions;
} {
  const { chain, threads, development, report } = parts;
  const { parameters, rows, clock } = chain;
  const { notices, subscriptions } = makeNotices(parts);
  const services: Services = {
    ...{ rows, parameters, symbols: parameters.profile, about, clock, randomBytes },
    finality: makeFinality(chain),
    ...makeIntake(chain, threads, development?.faults),
    notices,
    operator: parts.operator ?? {},
    development: development === undefined ? {} : makeDevelopment(development, parameters.chainId, threads.writer),
    report,
  };
  return { services, subscriptions };
}

function makeFinality({ parameters, rows, store }: ServedChain): Services['finality'] {
  const [version, settled] = [(): number => rows.version(), (): number => lastSettled(rows)];
  return parameters.hasFinality ? new CommittedFinality({ parameters, store, version, settled }) : undefined;
}

function makeIntake(
  { parameters, clock, ownsTime }: ServedChain,
  threads: ServiceThreads,
  faults?: FaultsOnDemand,
): Pick<Services, 'verifiers' | 'intake'> {
  const { broadcasts, writer, verifiers } = threads;
  const ingress = new BlockIngress({ parameters, clock, ownsTime, broadcasts, writer, verifiers });
  const checks = new TransactionChecks(verifiers, (verified) => writer.ask({ kind: 'check', verified }));
  return {
    verifiers: {
      recover: (digest, signatures) => verifiers.recover(digest, signatures),
      checkTransaction: (transaction) => checks.check(transaction),
      pushBlock: (block) => ingress.pushBlock(block),
    },
    intake: {
      broadcast: faults === undefined ? (raw) => broadcasts.submit(raw) : broadcastOrFail(faults, broadcasts),
      unplaced: (id) => unplaced(id, writer, broadcasts),
      pendingTransaction: (id) => writer.ask({ kind: 'pending_transaction', id }),
      pushTransaction: (transaction) => ingress.pushTransaction(transaction),
      pendingAccounts: (names) => writer.ask({ kind: 'pending_accounts', names }),
    },
  };
}

/**
 * The subscriptions follow the writer behind those whose broadcasts wait for a block: an answer is never later than a
 * notice.
 */
function makeNotices({
  chain: { parameters, rows, clock },
  threads: { broadcasts, writer },
  limits,
  development,
  report,
}: ServiceParts): {
  readonly notices: NoticeServices;
  readonly subscriptions: AllSubscriptions;
} {
  const encoding = makeEncoding(parameters.profile, 'subscribe_api', defaultDialect);
  const counts = new SubscriptionCounts(limits);
  const documents = new Subscriptions({ rows, clock, encoding, limits, report, counts });
  const chain = new ChainSubscriptions({
    ...{ rows, clock, parameters, encoding, limits, report, counts },
    revertibleBlocks: development?.movesTime === true ? REVERTIBLE_BLOCKS : 0,
    watchPending: (isWatched) => writer.watch(isWatched),
  });
  const places = makePlaces(rows, writer);
  writer.follow({
    takeUpdate: (update) => broadcasts.takeUpdate(update, places),
    takeGap: (gap) => broadcasts.takeGap(gap, places),
  });
  writer.follow(documents);
  writer.follow(chain);
  writer.watchPending((message, taken) => chain.takePending(pendingChange(message), taken));
  return {
    notices: {
      subscribe: (request) => documents.subscribe(request),
      followChain: (request) => chain.subscribe(request),
      unsubscribe: (subscriber, returnId) =>
        chain.unsubscribe(subscriber, returnId) + documents.unsubscribe(subscriber, returnId),
    },
    subscriptions: {
      get size() {
        return counts.size;
      },
      stop() {
        documents.stop();
        chain.stop();
      },
    },
  };
}

function makeDevelopment(
  { movesTime, faults, impersonatorSecret }: DevelopmentParts,
  chainId: Digest,
  writer: WriterClient,
): DevelopmentServices {
  return {
    faults,
    ...(movesTime ? { debug: (command: DebugCommand) => debug(writer, command) } : {}),
    ...(impersonatorSecret === undefined ? {} : { impersonate: makeImpersonation(chainId, impersonatorSecret) }),
  };
}

function broadcastOrFail(faults: FaultsOnDemand, broadcasts: Broadcasts): IntakeServices['broadcast'] {
  return async (raw) => {
    faults.beforeBroadcast(raw.method);
    return await broadcasts.submit(raw);
  };
}

function makeImpersonation(chainId: Digest, secret: Uint8Array): NonNullable<DevelopmentServices['impersonate']> {
  return (transaction) => present(signTransaction(chainId, transaction, [secret]), 'a signature of a key of the chain');
}

/** Many blocks are several tasks of the writer, so that others who wait for it wait for a few blocks at most. */
async function debug(writer: WriterClient, command: DebugCommand): Promise<DebugHead> {
  if (command.kind !== 'produce_blocks') return await writer.ask({ kind: 'debug', command });
  let { count } = command;
  for (; count > BLOCKS_A_TASK; count -= BLOCKS_A_TASK)
    await writer.ask({ kind: 'debug', command: { ...command, count: BLOCKS_A_TASK } });
  return await writer.ask({ kind: 'debug', command: { ...command, count } });
}

async function unplaced(id: TransactionId, writer: WriterClient, broadcasts: Broadcasts): Promise<UnplacedTransaction> {
  const where = await writer.ask({ kind: 'whereabouts', id });
  // The front knows by now of transactions that the writer dropped before it answered.
  return { where, dropped: broadcasts.dropped.get(id) };
}

function makePlaces(rows: CommittedState, writer: WriterClient): Places {
  return {
    locate(id) {
      const place = rows.get(transactionLocations, id);
      return place && { number: place.block, index: place.index };
    },
    lost: (ids) => writer.ask({ kind: 'lost', ids }),
    finalTime: () => irreversibleTime(rows),
  };
}
