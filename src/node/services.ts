import { present } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { signTransaction } from '../blocks/sign_transaction.ts';
import { randomBytes } from '../crypto/random.ts';
import { defaultDialect } from '../jsonrpc/dialect.ts';
import { notationOf } from '../rpc/notation_of.ts';
import type { CommittedState, DebugHead, DebugCommand, Services } from '../rpc/services.ts';
import { ChainSubscriptions } from '../rpc/notices/chain_subscriptions.ts';
import { SubscriptionCounts } from '../rpc/notices/subscription_counts.ts';
import { Subscriptions, type SubscriptionParts } from '../rpc/notices/subscriptions.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { AccountRows } from '../queries/records/account.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Digest } from '../values/hash.ts';
import { about } from './about.ts';
import { pendingChange } from './feed/pending_change.ts';
import type { FaultsOnDemand } from './dev/faults_on_demand.ts';
import { BlockIngress } from './block_ingress.ts';
import type { Places } from './threads/broadcast_answers.ts';
import type { Broadcasts } from './threads/broadcasts.ts';
import { TransactionChecks } from './threads/transaction_checks.ts';
import type { Verifiers } from './threads/verifier_pool.ts';
import type { WriterClient } from './threads/writer_client.ts';

/** What users of a development chain may take back, unless they ask for more (`--undo-blocks`). */
const REVERTIBLE_BLOCKS = 10_000;
// A few milliseconds each.
const BLOCKS_A_TASK = 32;

/** What the services of a node are built from. */
export interface ServiceParts {
  readonly parameters: ChainParameters;
  /** The committed rows. */
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly broadcasts: Broadcasts;
  readonly writer: WriterClient;
  readonly verifiers: Verifiers;
  readonly limits: SubscriptionParts['limits'];
  /** A development chain: no clock tells whether a block is from the future. */
  readonly ownsTime: boolean;
  /** It is made here, and users may move its time; as `ownsTime` unless said. */
  readonly movesTime?: boolean;
  readonly report: Services['report'];
  /** What is done wrong on command; nothing where it is left out. */
  readonly faults?: FaultsOnDemand | undefined;
  /** The secret of the chain's impersonator, where the node has it. */
  readonly impersonatorSecret?: Uint8Array | undefined;
  /** Where the node speaks to others. */
  readonly operations?: Services['network'];
  /** Where the node has witnesses. */
  readonly production?: Services['production'];
  /** Where the node writes snapshots. */
  readonly snapshots?: Services['snapshots'];
}

/** Everything that notifies clients. */
type AllSubscriptions = Pick<Subscriptions, 'size' | 'stop'>;

/** The services for methods, and the subscriptions that notify clients. Both follow the writer from now on. */
export function servicesOf(parts: ServiceParts): { readonly services: Services; readonly subscriptions: AllSubscriptions } {
  const {
    parameters,
    rows,
    clock,
    broadcasts,
    writer,
    verifiers,
    limits,
    ownsTime,
    movesTime = ownsTime,
    report,
    faults,
    impersonatorSecret,
    operations,
    production,
    snapshots,
  } = parts;
  const ingress = new BlockIngress({ parameters, clock, ownsTime, broadcasts, writer, verifiers });
  const notation = notationOf(parameters.profile, 'subscribe_api', defaultDialect);
  const checks = new TransactionChecks(verifiers, writer);
  const counts = new SubscriptionCounts(limits);
  const documents = new Subscriptions({ rows, clock, notation, limits, report, counts });
  const chain = new ChainSubscriptions({
    ...{ rows, clock, parameters, notation, limits, report, counts },
    revertibleBlocks: movesTime ? REVERTIBLE_BLOCKS : 0,
    watchPending: (isWatched) => writer.watch(isWatched),
  });
  const places = placesOf(rows, writer);
  writer.follow({ takeUpdate: (update) => broadcasts.takeUpdate(update), takeGap: (gap) => broadcasts.takeGap(gap, places) });
  writer.follow(documents);
  writer.follow(chain);
  writer.watchPending((message, taken) => chain.takePending(pendingChange(message), taken));
  const services: Services = {
    rows,
    parameters,
    words: parameters.profile,
    about,
    clock,
    randomBytes,
    recover: (digest, signatures) => verifiers.recover(digest, signatures),
    broadcast: faults === undefined ? (raw) => broadcasts.submit(raw) : broadcastWith(faults, broadcasts),
    faults,
    checkTransaction: (transaction) => checks.check(transaction),
    pushBlock: (block) => ingress.pushBlock(block),
    pushTransaction: (transaction) => ingress.pushTransaction(transaction),
    pendingAccounts: (names) => pendingAccounts(writer, names),
    ...(movesTime ? { debug: (command: DebugCommand) => debug(writer, command) } : {}),
    ...(impersonatorSecret === undefined ? {} : { impersonate: signingWith(parameters.chainId, impersonatorSecret) }),
    ...(operations === undefined ? {} : { network: operations }),
    ...{ production, snapshots },
    subscribe: (request) => documents.subscribe(request),
    followChain: (request) => chain.subscribe(request),
    unsubscribe: (subscriber, returnId) => chain.unsubscribe(subscriber, returnId) + documents.unsubscribe(subscriber, returnId),
    report,
  };
  const subscriptions: AllSubscriptions = {
    get size() {
      return counts.size;
    },
    stop() {
      documents.stop();
      chain.stop();
    },
  };
  return { services, subscriptions };
}

function broadcastWith(faults: FaultsOnDemand, broadcasts: Broadcasts): Services['broadcast'] {
  return async (raw) => {
    faults.beforeBroadcast(raw.method);
    return await broadcasts.submit(raw);
  };
}

function signingWith(chainId: Digest, secret: Uint8Array): NonNullable<Services['impersonate']> {
  return (transaction) => present(signTransaction(chainId, transaction, [secret]), 'a signature of a key of the chain');
}

/** Many blocks are several tasks of the writer, so that others who wait for it wait for a few blocks at most. */
async function debug(writer: WriterClient, command: DebugCommand): Promise<DebugHead> {
  if (command.kind !== 'produce_blocks') return await debugTask(writer, command);
  let { count } = command;
  for (; count > BLOCKS_A_TASK; count -= BLOCKS_A_TASK) await debugTask(writer, { ...command, count: BLOCKS_A_TASK });
  return await debugTask(writer, { ...command, count });
}

async function debugTask(writer: WriterClient, command: DebugCommand): Promise<DebugHead>;
async function debugTask(writer: WriterClient, command: DebugCommand): Promise<unknown> {
  return await writer.ask({ kind: 'debug', command });
}

function placesOf(rows: CommittedState, writer: WriterClient): Places {
  return {
    locate(id) {
      const place = rows.get(transactionLocations, id);
      return place && { number: place.block, index: place.index };
    },
    lost: (ids) => lostOf(writer, ids),
  };
}

async function lostOf(writer: WriterClient, ids: readonly string[]): Promise<readonly string[]>;
async function lostOf(writer: WriterClient, ids: readonly string[]): Promise<unknown> {
  return await writer.ask({ kind: 'lost', ids });
}

async function pendingAccounts(writer: WriterClient, names: readonly AccountName[]): Promise<readonly (AccountRows | undefined)[]>;
async function pendingAccounts(writer: WriterClient, names: readonly AccountName[]): Promise<unknown> {
  return await writer.ask({ kind: 'pending_accounts', names });
}
