import { readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { nearest } from '../base/nearest.ts';
import type { Json } from '../codec/json.ts';
import { readJson } from '../codec/json_reader.ts';
import { defaultLimits } from '../jsonrpc/limits/limits.ts';
import { WAIT_FOR, type WaitFor } from '../rpc/wait_for.ts';
import { MAX_MEMO_BYTES } from '../values/limits.ts';
import { operationMakers } from './operation_makers.ts';

/** One form of call in a mix: what it is, and how it is sent. */
export interface Form {
  /** Under this name it stands in reports. */
  readonly name: string;
  /** Of all calls, in relation to the shares of the other forms. */
  readonly share: number;
  readonly asks: AskedOperation | AskedMethod;
  /** Calls in one post; 1 is a call that is no batch. */
  readonly batch: number;
}

/** A transaction with an operation of this kind. */
export interface AskedOperation {
  readonly operation: string;
  /** Operations of the kind in one transaction. */
  readonly operations: number;
  /** The length of memos, documents: anything between these bounds. */
  readonly bytes: Bounds;
  /** The share of a text that is the same in all of them, 0 to 1. */
  readonly likeness: number;
  /** Signatures that a transaction needs: accounts with so many keys send it. */
  readonly signers: number;
  /** Accounts with keys of their own send it, or such as another account acts for. */
  readonly authority: 'keys' | 'account';
  /** The number of receiving accounts, from the first on; 0 is all. */
  readonly recipients: number;
  /** When the node answers: once it has accepted the transaction, once that is in a block, or once the block is final. */
  readonly waitFor: WaitFor;
  /** In the order of the declaration, or in another one each time. */
  readonly members: 'declared' | 'any';
}

/** A read; `{account}` in the params is replaced by the name of an account. */
export interface AskedMethod {
  readonly method: string;
  readonly params: Json;
}

export type Bounds = readonly [least: number, most: number];

/** The composition of a load. */
export interface Mix {
  readonly name: string;
  readonly forms: readonly Form[];
}

/** A transfer without a memo. */
export const plainTransfer: AskedOperation = {
  operation: 'transfer',
  operations: 1,
  bytes: [0, 0],
  likeness: 0,
  signers: 1,
  authority: 'keys',
  recipients: 0,
  waitFor: 'accepted',
  members: 'declared',
};
const MEMO: Bounds = [12, 80];
const anyOrder = { ...plainTransfer, members: 'any' } as const;

/** The traffic of a network that people use: most memos are different, and most programs send a transaction a post. */
const real: Mix = {
  name: 'real',
  forms: [
    { name: 'transfers with memos', share: 40, batch: 20, asks: { ...anyOrder, bytes: MEMO } },
    { name: 'custom_json', share: 25, batch: 10, asks: { ...anyOrder, operation: 'custom_json', bytes: [100, 4096] } },
    { name: 'transfers, one a post', share: 15, batch: 1, asks: { ...anyOrder, bytes: MEMO } },
    { name: 'multi-signature transfers', share: 10, batch: 5, asks: { ...anyOrder, bytes: MEMO, signers: 2 } },
    { name: 'votes', share: 4, batch: 1, asks: { ...anyOrder, operation: 'account_witness_vote' } },
    { name: 'vesting', share: 3, batch: 1, asks: { ...anyOrder, operation: 'transfer_to_vesting' } },
    { name: 'escrow', share: 2, batch: 1, asks: { ...anyOrder, operation: 'escrow_transfer' } },
    { name: 'feeds', share: 1, batch: 1, asks: { ...anyOrder, operation: 'feed_publish' } },
  ],
};

const plain: Mix = { name: 'plain', forms: [{ name: 'transfers', share: 1, batch: 100, asks: plainTransfer }] };

/** Traffic of shops and exchanges on chains with finality: they wait for each payment before goods go out. */
const payments: Mix = {
  name: 'payments',
  forms: [
    { name: 'until final', share: 60, batch: 1, asks: { ...anyOrder, bytes: MEMO, waitFor: 'final' } },
    { name: 'until in a block', share: 30, batch: 1, asks: { ...anyOrder, bytes: MEMO, waitFor: 'block' } },
    { name: 'until accepted', share: 10, batch: 1, asks: { ...anyOrder, bytes: MEMO } },
  ],
};

const readForm = (method: string, params: Json, share: number): Form => ({
  name: method,
  share,
  batch: 1,
  asks: { method, params },
});

const reads: Mix = {
  name: 'reads',
  forms: [
    readForm('alexandria_api.get_account', { account_name: '{account}' }, 40),
    readForm('alexandria_api.get_dynamic_global_properties', {}, 20),
    readForm('alexandria_api.get_account_history', { account: '{account}', start: -1, limit: 20 }, 20),
    readForm('alexandria_api.get_account_balance', { account_name: '{account}' }, 10),
    readForm('database_api.find_accounts', { accounts: ['{account}', '{account}'] }, 10),
  ],
};

/** The mixes that have a name. */
const mixes: Readonly<Record<string, Mix>> = { real, plain, payments, reads };

/** The mix of that name, or in that file. Throws Fault `configuration`. */
export function mixNamed(given: string): Mix {
  return mixes[given] ?? mixInFile(given);
}

function mixInFile(file: string): Mix {
  const known = Object.keys(mixes).join(', ');
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Fault('configuration', `a mix is one of ${known} or a file; ${file} cannot be read`, error);
  }
  try {
    return parseMix(readJson(bytes), file);
  } catch (error) {
    if (error instanceof Error)
      throw new Fault(
        'configuration',
        `the mix ${file}: ${error.message}; correct it there, the guide "Load test" shows one`,
        error,
      );
    throw error;
  }
}

/** The mix that a JSON value describes; every mistake in it is told with its place. */
function parseMix(json: Json, name: string): Mix {
  const forms = new Members(json, 'mix', ['forms']).list('forms');
  if (forms.length === 0) throw new Fault('configuration', 'forms is empty');
  return { name, forms: forms.map((form, index) => parseForm(form, `forms[${index}]`)) };
}

const SENT = ['name', 'share', 'batch'];
const OPERATION = [
  'operation',
  'operations',
  'bytes',
  'likeness',
  'signers',
  'authority',
  'recipients',
  'wait_for',
  'members',
];
const MOST_OPERATIONS = 100;
const MOST_SIGNERS = 3;
const MOST_ACCOUNTS = 1_000_000;

function parseForm(json: Json, place: string): Form {
  const members = new Members(json, place, [...SENT, ...OPERATION, 'method', 'params']);
  const isRead = members.has('method');
  members.refuse(isRead ? OPERATION : ['params'], isRead ? 'a read' : 'an operation');
  const asks = isRead ? askedMethod(members) : askedOperation(members);
  return {
    name: members.text('name', 'method' in asks ? asks.method : asks.operation),
    share: members.number('share', 1, [Number.MIN_VALUE, Number.MAX_SAFE_INTEGER]),
    batch: members.whole('batch', 1, [1, defaultLimits.batchElements]),
    asks,
  };
}

function askedMethod(members: Members): AskedMethod {
  const params = members.json('params') ?? {};
  if (typeof params !== 'object') throw members.wrong('params', 'an object or a list');
  return { method: members.text('method', ''), params };
}

function askedOperation(members: Members): AskedOperation {
  const operation = members.text('operation', 'transfer');
  if (!(operation in operationMakers)) {
    throw members.wrong(
      'operation',
      `one of ${Object.keys(operationMakers).join(', ')}; ${nearest(operation, Object.keys(operationMakers))} is the nearest`,
    );
  }
  return {
    operation,
    operations: members.whole('operations', 1, [1, MOST_OPERATIONS]),
    bytes: members.bounds('bytes', [0, operation.startsWith('custom') ? defaultLimits.bodyBytes : MAX_MEMO_BYTES - 1]),
    likeness: members.number('likeness', 0, [0, 1]),
    signers: members.whole('signers', 1, [1, MOST_SIGNERS]),
    authority: members.choice('authority', ['keys', 'account']),
    recipients: members.whole('recipients', 0, [0, MOST_ACCOUNTS]),
    waitFor: members.choice('wait_for', WAIT_FOR),
    members: members.choice('members', ['any', 'declared']),
  };
}

/** Reads the members of an object; each may be missing, none may be unknown. */
class Members {
  readonly #json: { [member: string]: Json };
  readonly #place: string;

  constructor(json: Json, place: string, known: readonly string[]) {
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      throw new Fault('configuration', `${place} is no object`);
    const unknown = Object.keys(json).find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw new Fault('configuration', `${place} has no member ${unknown}; the nearest is ${nearest(unknown, known)}`);
    this.#json = json;
    this.#place = place;
  }

  has(name: string): boolean {
    return this.json(name) !== undefined;
  }

  json(name: string): Json | undefined {
    return this.#json[name];
  }

  /** Members that would be left unheard. */
  refuse(names: readonly string[], what: string): void {
    const unheard = names.find((name) => this.has(name));
    if (unheard !== undefined) throw new Fault('configuration', `${this.#place}.${unheard} says nothing of ${what}`);
  }

  wrong(name: string, expected: string): Fault {
    return new Fault('configuration', `${this.#place}.${name}: ${expected} expected`);
  }

  list(name: string): readonly Json[] {
    const value = this.json(name);
    if (!Array.isArray(value)) throw this.wrong(name, 'a list');
    return value;
  }

  text(name: string, fallback: string): string {
    const value = this.json(name) ?? fallback;
    if (typeof value !== 'string') throw this.wrong(name, 'a text');
    return value;
  }

  number(name: string, fallback: number, [least, most]: Bounds): number {
    const value = this.json(name) ?? fallback;
    if (typeof value !== 'number' || value < least || value > most)
      throw this.wrong(name, `a number from ${least} to ${most}`);
    return value;
  }

  whole(name: string, fallback: number, bounds: Bounds): number {
    const value = this.number(name, fallback, bounds);
    if (!Number.isInteger(value)) throw this.wrong(name, 'a whole number');
    return value;
  }

  /** One number for both bounds, or a list of two. */
  bounds(name: string, [least, most]: Bounds): Bounds {
    const value = this.json(name) ?? 0;
    const [from, to] = Array.isArray(value) ? value : [value, value];
    const isBound = (one: Json | undefined): one is number =>
      typeof one === 'number' && Number.isInteger(one) && one >= least && one <= most;
    if (!isBound(from) || !isBound(to) || from > to)
      throw this.wrong(name, `a number of bytes from ${least} to ${most}, or [least, most],`);
    return [from, to];
  }

  /** One of these; the first when it is missing. */
  choice<T extends Json>(name: string, [first, ...others]: readonly [T, ...T[]]): T {
    const value = this.json(name) ?? first;
    const chosen = [first, ...others].find((one) => one === value);
    if (chosen === undefined) throw this.wrong(name, [first, ...others].join(' or '));
    return chosen;
  }
}
