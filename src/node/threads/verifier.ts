import { MessageChannel, parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { assert, present } from '../../base/assert.ts';
import { systemClock } from '../../base/clock.ts';
import { Refusal } from '../../base/refusal.ts';
import { writeJson } from '../../codec/json_writer.ts';
import type { Notation } from '../../codec/notation.ts';
import { packTransaction, signedTransaction, type PackedTransaction } from '../../blocks/transaction.ts';
import type { RequiredAuthorities } from '../../operations/operation.ts';
import { refuseBroadcast } from '../../rpc/broadcast_refusals.ts';
import type { BroadcastOrder, Methods } from '../../rpc/method.ts';
import { methodsOf } from '../../rpc/methods.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { chainView } from '../../state/chain_view.ts';
import { accountAuthorities } from '../../state/tables/account_authority.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { attachReader } from '../../storage/rocksdb.ts';
import type { View } from '../../storage/view.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { PublicKey } from '../../values/public_key.ts';
import { parametersOf } from '../chain_settings.ts';
import { MemoGuard } from './memo_guard.ts';
import type { SentRefusal, VerifierSettings } from './messages.ts';
import { encodeProvedBatch, type ProvedItem } from './proved_batch.ts';
import { decodeRawBatch, type RawItem } from './raw_batch.ts';
import { SourcedProof } from './sourced_proof.ts';
import { sentRefusal } from './verdicts.ts';
import { encodeVerifierReport, type VerifierReport } from './verifier_report.ts';

/** A broadcast that is handed to the writer. */
interface VerifiedItem {
  readonly ticket: number;
  readonly waitFor: 'accepted' | 'block';
  /** JSON text of the transaction as the chain reads it; empty for whoever doesn't wait for a block. */
  readonly transaction: string;
}

/** Account rows that stay decoded between blocks; one about 1 KiB. */
const CACHED_ROWS = 10_000;

interface Shaped {
  readonly item: VerifiedItem;
  readonly source: number;
  readonly packed: PackedTransaction;
}

interface Signed extends ProvedItem {
  readonly item: Shaped['item'];
}

/** One verifier: it reads broadcasts, checks their shape, finds out who signed, and hands them to the writer. */
class Verifier {
  readonly #parameters: ChainParameters;
  readonly #methods: Methods;
  readonly #view: View;
  readonly #writer: MessagePort;
  readonly #signers: SourcedProof;
  readonly #memos: MemoGuard;
  readonly #notations: Record<Notation['dialect'], Record<Notation['operationForm'], Notation>>;

  constructor({ chain, storeHandle }: VerifierSettings, writer: MessagePort) {
    this.#parameters = parametersOf(chain);
    this.#signers = new SourcedProof(this.#parameters.chainId);
    this.#methods = methodsOf(this.#parameters.profile);
    this.#view = chainView(attachReader(storeHandle), CACHED_ROWS);
    this.#memos = new MemoGuard(this.#view);
    this.#writer = writer;
    const { profile } = this.#parameters;
    const both = (dialect: Notation['dialect']): Record<Notation['operationForm'], Notation> => ({
      pair: { ...profile, dialect, operationForm: 'pair' },
      typed: { ...profile, dialect, operationForm: 'typed' },
    });
    this.#notations = { default: both('default'), legacy: both('legacy') };
    // Also a reason to import the register: without their numbers no table can be read.
  }

  verify(batch: Uint8Array): Omit<VerifierReport, 'elapsedMicros'> {
    const refused: { ticket: number; refusal: SentRefusal }[] = [];
    const shaped = this.#passing(decodeRawBatch(batch), refused, (raw) => this.#shape(raw));
    const proved = this.#passing(this.#prove(shaped), refused, (each) => (this.#memos.check(each.proved), each));
    this.#handOver(proved);
    return { waiting: proved.flatMap(({ item }) => (item.waitFor === 'block' ? [item] : [])), refused };
  }

  /** What becomes of those that are not refused in this step. */
  #passing<T extends { readonly ticket: number }, U>(
    some: Iterable<T>,
    refused: { ticket: number; refusal: SentRefusal }[],
    step: (one: T) => U,
  ): U[] {
    const passed: U[] = [];
    for (const one of some) {
      try {
        passed.push(step(one));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refused.push({ ticket: one.ticket, refusal: sentRefusal(error) });
      }
    }
    return passed;
  }

  /** Everything that can be found out without the state. */
  #shape(raw: RawItem): Shaped {
    const notation = this.#notations[raw.dialect][raw.operationForm];
    const order = this.#orderOf(raw, notation);
    this.#requireFreshHead(order.maxBlockAge);
    const { transaction } = order;
    const packed = packTransaction(transaction);
    // Who doesn't wait for a block isn't shown the transaction either.
    const text = order.waitFor === 'block' ? writeJson(signedTransaction.toJson(transaction, notation)) : '';
    return { item: { ticket: raw.ticket, waitFor: order.waitFor, transaction: text }, source: raw.source, packed };
  }

  #orderOf({ method, dialect, params }: RawItem, notation: Notation): BroadcastOrder {
    const declared = present(this.#methods.get(method), `method ${method}`);
    assert(declared.run.thread === 'broadcast', 'a broadcast is handed to a verifier');
    return declared.run.order(params, dialect === 'legacy', notation);
  }

  #requireFreshHead(maxBlockAge: number): void {
    if (maxBlockAge < 0) return;
    const ageSeconds = Math.trunc(systemClock.nowMs() / 1000) - this.#view.only(dynamicGlobalProperties).time;
    if (ageSeconds > maxBlockAge) refuseBroadcast.head_too_old({ ageSeconds });
  }

  /** Of each the first key of whoever must sign: as good as always the only one. Rows are read in one call, a third cheaper than each alone. */
  #expectedSigners(transactions: readonly PackedTransaction[]): (PublicKey | undefined)[] {
    const required = transactions.map(({ transaction }) => transaction.operations[0]?.authorities());
    const names = [...new Set(required.flatMap((each) => firstName(each) ?? []))];
    const rows = new Map(this.#view.getMany(accountAuthorities, names).map((row, index) => [names[index], row]));
    return required.map((each) => {
      const row = rows.get(firstName(each));
      return (each?.active?.[0] === undefined ? row?.owner : row?.active)?.key_auths[0]?.[0];
    });
  }

  #prove(shaped: readonly Shaped[]): Signed[] {
    if (shaped.length === 0) return [];
    const transactions = shaped.map(({ packed }) => packed);
    const sources = shaped.map(({ source }) => source);
    const signers = this.#signers.prove({ transactions, sources, expected: this.#expectedSigners(transactions) });
    return shaped.map(({ item, packed: { transaction, packed, unsignedBytes, id, leaf } }, index) => {
      // In straight code: a spread costs as much as a hash.
      const proved = { transaction, packed, unsignedBytes, id, leaf, signers: present(signers[index], 'who signed') };
      return { ticket: item.ticket, item, proved };
    });
  }

  #handOver(items: readonly Signed[]): void {
    if (items.length === 0) return;
    const bytes = encodeProvedBatch(items);
    this.#writer.postMessage(bytes, [bytes.buffer]);
  }
}

function firstName({ active = [], owner = [] }: RequiredAuthorities = {}): AccountName | undefined {
  return active[0] ?? owner[0];
}

/** The verifier of this thread, with a line of its own to the writer: the front hands the other end over. */
function startVerifier(): Verifier {
  const settings = settingsOfThread();
  const { port1, port2 } = new MessageChannel();
  present(parentPort ?? undefined, 'the port of a worker').postMessage(port2, [port2]);
  port1.unref();
  return new Verifier(settings, port1);
}

const verifier = startVerifier();

/** What the pool calls; answers an encoded VerifierReport. */
export function verify(batch: Uint8Array): Uint8Array {
  const startedMs = performance.now();
  const report = verifier.verify(batch);
  return encodeVerifierReport({ ...report, elapsedMicros: Math.round((performance.now() - startedMs) * 1000) });
}

/** What the front started this thread with. */
function settingsOfThread(): VerifierSettings;
function settingsOfThread(): unknown {
  const settings: unknown = workerData;
  return settings;
}
