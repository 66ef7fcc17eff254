import type { Clock } from '../base/clock.ts';
import { refusals } from '../base/refusal.ts';
import { signTransaction } from '../blocks/sign_transaction.ts';
import { signedTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import type { Json } from '../codec/json.ts';
import type { Notation } from '../codec/notation.ts';
import { decodeWif, wifFault } from '../crypto/wif.ts';
import { operationCodec } from '../operations/index.ts';
import { blockReference } from '../values/hash.ts';
import { secondsAfter } from '../values/time.ts';
import type { NodeConnection } from './connection.ts';
import { DocumentSubscription, type DocumentListener, type Subscription } from './document_subscription.ts';
import { methodCodec } from './method_codecs.ts';
import type { MethodName, Params, Result } from '../rpc/method_types.ts';
import { member } from './chain_of_node.ts';

const refuse = refusals({
  not_a_private_key: 'the private key {fault}',
  no_notices: 'documents are followed over a WebSocket only; connect to ws:// or wss://',
});

/** An operation as `[name, body]`. Without a `fee`, the one that the node returns is used. */
export type GivenOperation = readonly [name: string, body: { readonly [member: string]: Json }];

/** Default lifetime of transactions: about as long as a user waits who was told to try again. */
const EXPIRATION_SECONDS = 300;
/** Ten times the duration of the slowest documented read. */
const CALL_MS = 15_000;
/** A broadcast is answered when it is in a block or expires. */
const BROADCAST_MARGIN_MS = 60_000;

/** The chain that a node is on. */
export interface ChainOfClient {
  readonly chainId: string;
  readonly notation: Notation;
}

/** A client of one node. Keys never leave this program: it builds and signs transactions itself. */
export class Client {
  readonly chainId: string;
  readonly #connection: NodeConnection;
  readonly #clock: Clock;
  readonly #notation: Notation;
  readonly #followed = new Map<number, DocumentSubscription>();

  constructor(connection: NodeConnection, clock: Clock, { chainId, notation }: ChainOfClient) {
    this.#connection = connection;
    this.#clock = clock;
    this.chainId = chainId;
    this.#notation = notation;
    connection.listen?.({
      notice: (returnId, pairs) => this.#followed.get(Number(returnId))?.receive(pairs),
      lost: () => {
        for (const followed of this.#followed.values()) void followed.subscribe();
      },
    });
  }

  /** The result of a method. Throws the node's Refusal, or Fault when it doesn't answer. A read is repeated after a lost connection. */
  async call<N extends MethodName>(name: N, params: Params<N>): Promise<Result<N>>;
  async call(name: string, params: object): Promise<unknown> {
    const codec = await methodCodec(name);
    const isRead = !/broadcast|push_|send_and_sign/.test(name);
    const json = await this.#connection.call(
      name,
      codec.writeParams(params, this.#notation),
      isRead ? CALL_MS : CALL_MS + BROADCAST_MARGIN_MS,
      isRead,
    );
    return codec.readResult(json, this.#notation);
  }

  /** An unsigned transaction of these operations that refers to the head block. */
  async build(operations: readonly GivenOperation[], expirationSeconds = EXPIRATION_SECONDS): Promise<SignedTransaction> {
    const { properties } = await this.call('alexandria_api.get_dynamic_global_properties', {});
    const priced = await Promise.all(operations.map((operation) => this.#withFee(operation)));
    return {
      ...blockReference(properties.head_block_id),
      expiration: secondsAfter(properties.time, expirationSeconds),
      operations: priced.map((operation) => operationCodec.fromJson(operation, this.#notation)),
      extensions: [],
      signatures: [],
    };
  }

  /** The transaction with a signature of each key (wallet import format) added. */
  sign(transaction: SignedTransaction, keys: readonly string[]): SignedTransaction {
    const secrets = keys.map((wif) => decodeWif(wif) ?? refuse.not_a_private_key({ fault: wifFault(wif) }));
    return (
      signTransaction(this.chainId, transaction, secrets) ?? refuse.not_a_private_key({ fault: 'is 0 or not below the order of the curve' })
    );
  }

  /** Sends a signed transaction; resolves when it is in a block or has expired. */
  async broadcast(trx: SignedTransaction): Promise<Result<'network_broadcast_api.broadcast_transaction_synchronous'>> {
    const lifetimeMs = Math.max(0, trx.expiration * 1000 - this.#clock.nowMs());
    const params = { trx: signedTransaction.toJson(trx, this.#notation), max_block_age: -1 };
    const name = 'network_broadcast_api.broadcast_transaction_synchronous';
    const json = await this.#connection.call(name, params, lifetimeMs + BROADCAST_MARGIN_MS, false);
    return this.#broadcastResult((await methodCodec(name)).readResult(json, this.#notation));
  }

  /** Builds, signs and sends. */
  async send(
    operations: readonly GivenOperation[],
    keys: readonly string[],
    expirationSeconds = EXPIRATION_SECONDS,
  ): ReturnType<Client['broadcast']> {
    return await this.broadcast(this.sign(await this.build(operations, expirationSeconds), keys));
  }

  /** Subscribes to documents, existing ones first; resumes after a lost connection. Resolves when the node has accepted it. */
  async follow(subscription: Subscription, listener: DocumentListener): Promise<{ stop(): void }> {
    if (this.#connection.listen === undefined) return refuse.no_notices();
    const returnId = Math.max(0, ...this.#followed.keys()) + 1;
    const followed = new DocumentSubscription(this.#connection, this.#clock, this.#notation, returnId, subscription, listener);
    this.#followed.set(returnId, followed);
    await followed.subscribe();
    return {
      stop: () => {
        followed.stop();
        this.#followed.delete(returnId);
      },
    };
  }

  close(): void {
    for (const followed of this.#followed.values()) followed.stop();
    this.#followed.clear();
    this.#connection.close();
  }

  #broadcastResult(result: unknown): Result<'network_broadcast_api.broadcast_transaction_synchronous'>;
  #broadcastResult(result: unknown): unknown {
    return result;
  }

  async #withFee([name, body]: GivenOperation): Promise<Json> {
    if (body['fee'] !== undefined) return [name, { ...body }];
    const params = { op: [name, { ...body }], symbol: this.#notation.coinSymbol };
    const fee = member(await this.#connection.call('alexandria_api.calculate_fee', params, CALL_MS, true), 'fee');
    return [name, { fee: fee ?? null, ...body }];
  }
}
