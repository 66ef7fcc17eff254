import { writeJson } from '../../codec/json_writer.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
import { AssertionFailure, present } from '../../base/assert.ts';
import { DecodeError } from '../../codec/decode_error.ts';
import { accountCreate } from '../../operations/account_create.ts';
import { operationKindNamed } from '../../operations/index.ts';
import { operationBody, type Operation } from '../../operations/operation.ts';
import { transfer } from '../../operations/transfer.ts';
import { NULL_ACCOUNT } from '../../values/reserved_accounts.ts';
import { nameFromSeed } from '../../values/account_name.ts';
import { timeText, parseTime } from '../../values/time.ts';
import type { SourceBlock, SourceChain, SourceOperation } from '../chain_source.ts';
import { UnreadableRecord } from '../unreadable_record.ts';
import type { Balances } from './balances.ts';
import { CopyText, type Cell } from './copy_text.ts';
import { documentCells } from './document_cells.ts';
import type { BookedEscrow, EscrowBook } from './escrow_book.ts';
import { refundEscrow, tellMoves, type Moves } from './money.ts';
import type { BlockTable } from './schema/index.ts';
import { parseAnsweredAsset } from '../../values/asset.ts';
import { fillVestingWithdraw } from '../../operations/virtual/fill_vesting_withdraw.ts';
import { withdrawVesting } from '../../operations/withdraw_vesting.ts';
import { adminWitnessUpdate } from '../../operations/admin_witness_update.ts';
import { shutdownWitness } from '../../operations/virtual/shutdown_witness.ts';
import { witnessSetProperties } from '../../operations/witness_set_properties.ts';
import { witnessStop } from '../../operations/witness_stop.ts';
import { witnessUpdate } from '../../operations/witness_update.ts';
import { NULL_KEY, publicKeyText, type PublicKey } from '../../values/public_key.ts';
import { unpackProperties } from '../../values/witness_properties.ts';

/** 2³² − 1: not in a transaction. */
const OUTSIDE = 0xffff_ffff;

/** A block whose operations are understood. */
export interface ReadBlock {
  readonly block: SourceBlock;
  readonly operations: readonly Operation[];
}

/** Returns the encoding of a chain's operations. */
export function chainEncoding({ coinSymbol, vestsSymbol, keyPrefix, coinName: word }: SourceChain): EncodingOptions {
  const lineage = word === 'coin' ? {} : { readsLineage: true, answersLineage: true };
  return {
    coinSymbol,
    vestsSymbol,
    keyPrefix,
    coinName: word,
    dialect: 'default',
    operationForm: 'pair',
    readsAnswers: true,
    ...lineage,
  };
}

/** Reads the operations of a block. Throws UnreadableRecord, which says where. */
export function readBlock(block: SourceBlock, encoding: EncodingOptions): ReadBlock {
  return { block, operations: block.operations.map((operation, k) => readOperation(block, k, operation, encoding)) };
}

function readOperation(
  { number: block }: SourceBlock,
  k: number,
  { kind, body, ...at }: SourceOperation,
  encoding: EncodingOptions,
): Operation {
  const inTransaction = at.trx_in_block === OUTSIDE ? {} : { transaction: at.trx_in_block, operation: at.op_in_trx };
  const place = { block, ...inTransaction, op_in_block: k, kind };
  const known = operationKindNamed(kind);
  if (known === undefined)
    throw new UnreadableRecord(place, 'this program knows no such operation: use the version that the chain runs');
  try {
    return known.bodyFromJson(body, encoding);
  } catch (error) {
    if (error instanceof AssertionFailure || !(error instanceof Error)) throw error;
    const member = error instanceof DecodeError ? error.path : undefined;
    const said = member === undefined ? error.message : error.message.replace(`${member}: `, '');
    throw new UnreadableRecord({ ...place, member }, said, error);
  }
}

/**
 * The accounts whose balances blocks may change, or whose history they enter: those of escrows that lapse meanwhile,
 * too.
 */
export function* accountNames(blocks: readonly ReadBlock[], book: EscrowBook): Generator<string> {
  yield NULL_ACCOUNT;
  yield* book.names();
  for (const { block, operations } of blocks)
    for (const [k, operation] of operations.entries()) {
      yield* operation.impacted();
      const { fee_payer = '' } = block.operations[k] ?? {};
      if (fee_payer !== '') yield fee_payer;
    }
}

/** The rows of blocks, for all tables, in order. What accounts have must be known before. */
export class BlockRows {
  readonly tables: Readonly<Record<BlockTable, CopyText>> = {
    blocks: new CopyText(),
    transactions: new CopyText(),
    operations: new CopyText(),
    transfers: new CopyText(),
    account_history: new CopyText(),
    documents: new CopyText(),
    witness_changes: new CopyText(),
    vesting_withdrawals: new CopyText(),
    escrow_changes: new CopyText(),
  };
  readonly #chain: SourceChain;
  readonly #encoding: EncodingOptions;
  readonly #balances: Balances;
  readonly #book: EscrowBook;
  /** Of the operation at hand: what it changes of whom. */
  readonly #changes = new Map<string, { coins: bigint; shares: bigint }>();
  readonly #moves: Moves;
  #at: readonly [block: number, op: number] = [0, 0];

  constructor(chain: SourceChain, balances: Balances, book: EscrowBook) {
    this.#chain = chain;
    this.#encoding = chainEncoding(chain);
    this.#balances = balances;
    this.#book = book;
    this.#moves = {
      coins: (account, change) => void (this.#balanceChange(account).coins += change),
      shares: (account, change) => void (this.#balanceChange(account).shares += change),
      escrow: (escrow, isOpen) => this.#addEscrow(escrow, isOpen),
    };
  }

  /** `timeBefore` is that of the block before, or of the genesis. */
  add({ block, operations }: ReadBlock, timeBefore: string): void {
    const { number, id, previous, timestamp, witness, transaction_count } = block;
    const seconds = (Date.parse(`${timestamp}Z`) - Date.parse(`${timeBefore}Z`)) / 1000;
    // The first block may come any time after the genesis.
    const missed = number === 1 ? 0 : Math.max(0, Math.round(seconds / this.#chain.blockIntervalSeconds) - 1);
    this.tables.blocks.add(number, id, previous, utc(timestamp), witness, missed, transaction_count, operations.length);
    let lastTransaction = -1;
    for (const [k, operation] of operations.entries()) {
      const source = present(block.operations[k], 'the operation');
      if (source.trx_in_block !== OUTSIDE && source.trx_in_block !== lastTransaction) {
        lastTransaction = source.trx_in_block;
        this.tables.transactions.add(number, lastTransaction, source.trx_id, k);
      }
      this.#addOperation(number, k, source, operation);
    }
    this.#addSilent(number, operations.length, timestamp);
  }

  #addOperation(number: number, k: number, source: SourceOperation, operation: Operation): void {
    const { kind } = source;
    const cost = operationCost(source, operation, this.#chain);
    const { payer } = cost;
    this.#at = [number, k];
    for (const name of operation.impacted()) this.#balanceChange(name);
    for (const name of [source.fee_payer, payer]) if (name !== '') this.#balanceChange(name);
    this.#pay(cost);
    this.#noteNewAccount(number, source, operation);
    tellMoves(operation, this.#moves, this.#book, this.#chain.coinSymbol, this.#at);
    const inBlock = source.trx_in_block === OUTSIDE ? null : source.trx_in_block;
    const time = utc(source.timestamp);
    const [payerOrNone, paid] = [payer === '' ? null : payer, cost.paid ?? null];
    const body = { json: source.bodyText ?? writeJson(source.body) };
    this.tables.operations.add(
      number,
      k,
      inBlock,
      source.op_in_trx,
      source.virtual_op,
      time,
      kind,
      payerOrNone,
      paid,
      body,
    );
    this.#addOfKind([number, k, time], operation);
    this.#addHistory();
  }

  #pay({ payer, paid, receiver, given, isFree }: Cost): void {
    if (payer === '' || isFree) return;
    if (paid === undefined) this.#balances.doubt(payer);
    else this.#moves.coins(payer, -paid);
    if (receiver === undefined) return;
    if (given === undefined) this.#balances.doubt(receiver);
    else this.#moves.coins(receiver, given);
  }

  /** Adds the effects of a block that no operation tells. */
  #addSilent(number: number, count: number, timestamp: string): void {
    let next = count;
    const now = parseTime(timestamp) ?? 0;
    for (const escrow of this.#book.lapsed(now)) {
      this.#at = [number, next++];
      refundEscrow(escrow, this.#moves);
      this.#addHistory();
    }
    const { coins, shares } = this.#balances.of(NULL_ACCOUNT);
    if (this.#chain.isPrivateNet || (coins <= 0n && shares <= 0n)) return;
    this.#at = [number, next];
    this.#moves.coins(NULL_ACCOUNT, -coins);
    this.#moves.shares(NULL_ACCOUNT, -shares);
    this.#addHistory();
  }

  #addOfKind(place: readonly [number, number, string], operation: Operation): void {
    const { transfers, documents, witness_changes, vesting_withdrawals } = this.tables;
    const sent = operationBody(transfer, operation);
    if (sent !== undefined) return transfers.add(...place, sent.from, sent.to, sent.amount.amount, sent.memo);
    const document = documentCells(operation);
    if (document !== undefined) return documents.add(...place, ...document);
    const vesting = vestingCells(operation);
    if (vesting !== undefined) return vesting_withdrawals.add(...place, ...vesting);
    const witness = witnessCells(operation, this.#encoding);
    if (witness !== undefined) witness_changes.add(...place, ...witness);
  }

  #noteNewAccount(createdBlock: number, { timestamp }: SourceOperation, operation: Operation): void {
    const created = operationBody(accountCreate, operation);
    if (created === undefined) return;
    this.#balances.create(nameFromSeed(created.name_seed), {
      createdBlock,
      created: utc(timestamp),
      creator: created.creator,
    });
  }

  #addEscrow(escrow: BookedEscrow, isOpen: boolean): void {
    if (isOpen) this.#book.put(escrow);
    else this.#book.close(escrow);
    const { from, escrowId, to, agent, coinBalance, pendingFee, toApproved, agentApproved, disputed } = escrow;
    this.tables.escrow_changes.add(
      ...this.#at,
      ...[from, escrowId, to, agent, coinBalance, pendingFee, toApproved, agentApproved, disputed],
      ...[utc(timeText(escrow.ratificationDeadline)), utc(timeText(escrow.escrowExpiration)), isOpen],
    );
  }

  #addHistory(): void {
    const [number, k] = this.#at;
    for (const [account, change] of this.#changes) {
      if (account === '') continue;
      const { coins, shares, isExact } = this.#balances.change(account, change.coins, change.shares);
      this.tables.account_history.add(account, number, k, coins, shares, change.coins, change.shares, isExact);
    }
    this.#changes.clear();
  }

  #balanceChange(account: string): { coins: bigint; shares: bigint } {
    const known = this.#changes.get(account);
    if (known !== undefined) return known;
    const change = { coins: 0n, shares: 0n };
    this.#changes.set(account, change);
    return change;
  }
}

/** A time of the API as PostgreSQL reads it. */
export function utc(time: string): string {
  return `${time}Z`;
}

/** The cost of an operation, in units of the smallest coin. */
interface Cost {
  /** Empty for what the chain does itself. */
  readonly payer: string;
  /** Undefined where there is no fee, and where nobody can say what it was in COIN. */
  readonly paid: bigint | undefined;
  /** The account that it creates, which gets what its creator pays beyond the price of an account. */
  readonly receiver?: string;
  /** Undefined where nobody can say it. */
  readonly given?: bigint | undefined;
  /** The fee stands there, and nothing is taken. */
  readonly isFree: boolean;
}

/**
 * Fees in COIN stand in the operation. Prices, and what an account costs, are known to the state of their time alone,
 * so the source has to tell.
 */
function operationCost({ fee_payer, charge }: SourceOperation, operation: Operation, chain: SourceChain): Cost {
  const { fee } = operation;
  if (fee_payer === '' || fee === undefined) return { payer: fee_payer, paid: undefined, isFree: true };
  const offered = fee.symbol === chain.coinSymbol ? fee.amount : undefined;
  const paid = charge === undefined ? offered : parseAnsweredAsset(charge.paid)?.amount;
  const created = operationBody(accountCreate, operation);
  if (created === undefined) return { payer: fee_payer, paid, isFree: chain.isPrivateNet };
  // Sponsors don't pay for accounts. In a private net these cost nothing, and all that is offered goes to them.
  const rest = chain.isPrivateNet ? paid : undefined;
  const given = charge === undefined ? rest : parseAnsweredAsset(charge.given)?.amount;
  return { payer: created.creator, paid, receiver: nameFromSeed(created.name_seed), given, isFree: false };
}

/**
 * The columns of a withdrawal of vesting shares, or of an instalment, behind its place and time; undefined for other
 * operations.
 */
function vestingCells(operation: Operation): readonly Cell[] | undefined {
  const wish = operationBody(withdrawVesting, operation);
  if (wish !== undefined) return [wish.account, wish.vesting_shares.amount, false];
  const paid = operationBody(fillVestingWithdraw, operation);
  return paid && [paid.from_account, paid.withdrawn.amount, true];
}

/** The columns of what changes a witness, behind its place and time; undefined for other operations. */
function witnessCells(operation: Operation, encoding: EncodingOptions): readonly Cell[] | undefined {
  const { name } = operation.kind;
  const told = operationBody(witnessUpdate, operation) ?? operationBody(adminWitnessUpdate, operation);
  if (told !== undefined) return [told.owner, name, told.url, ...keyCells(told.block_signing_key, encoding)];
  const stopped = operationBody(witnessStop, operation) ?? operationBody(shutdownWitness, operation);
  if (stopped !== undefined) return [stopped.owner, name, null, ...keyCells(NULL_KEY, encoding)];
  const set = operationBody(witnessSetProperties, operation);
  if (set === undefined) return undefined;
  const { url, new_signing_key: key } = unpackProperties(set.props);
  return [set.owner, name, url ?? null, ...(key === undefined ? [null, null] : keyCells(key, encoding))];
}

/** A witness without a key makes no blocks. */
function keyCells(key: PublicKey, { keyPrefix }: EncodingOptions): readonly [key: string, isStopped: boolean] {
  return [publicKeyText(key, keyPrefix), key === NULL_KEY];
}
