import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { at, listAt, maybeAt, textAt, type Json } from '../../outside/json.ts';
import { unsignedBytes } from './serializer.ts';
import type { Transport } from './transports.ts';

interface Secp256k1 {
  ecdsaSign(
    digest: Uint8Array,
    secret: Uint8Array,
    options?: { readonly data: Uint8Array },
  ): { signature: Uint8Array; recid: number };
}
const secp256k1: Secp256k1 = createRequire(import.meta.url)('secp256k1');

/** What the JavaScript SDK throws. */
export class RpcError extends Error {
  readonly data: Json;

  constructor(error: Json) {
    super(textAt(error, 'message'));
    assert.equal(at(error, 'code'), 1);
    this.data = maybeAt(error, 'data') ?? null;
  }
}

/** The JavaScript SDK of the lineage, version 1.0.18: bare names, params by position, its own bytes and signatures. */
export class Sdk {
  readonly #transport: Transport;
  readonly #lastId: { id: number };
  #chainId = '';

  /** The C# SDK counts from 0. */
  constructor(transport: Transport, firstId = 1) {
    this.#transport = transport;
    this.#lastId = { id: firstId - 1 };
  }

  /** What `api.setOptions({ url })` does at once. */
  async connect(): Promise<void> {
    this.#chainId = textAt(await this.call('about'), 'chain_id');
  }

  async call(method: string, ...params: readonly Json[]): Promise<Json> {
    const id = ++this.#lastId.id;
    const text = await this.#transport(JSON.stringify({ id, jsonrpc: '2.0', method, params }));
    const answer: Json = JSON.parse(text);
    assert.equal(at(answer, 'id'), id, `Invalid response id: ${text}`);
    const error = maybeAt(answer, 'error');
    if (error !== undefined) throw new RpcError(error);
    return at(answer, 'result');
  }

  /**
   * Every writing function of it: a helper, create_simple_transaction, a signature made here, broadcast_transaction.
   */
  async write(helper: string, params: readonly Json[], signer: string): Promise<Json> {
    return await this.send(await this.call(helper, ...params), signer);
  }

  async send(operation: Json, signer: string): Promise<Json> {
    const transaction = await this.call('create_simple_transaction', operation);
    const signed = {
      ...objectOf(transaction),
      signatures: [...listAt(transaction, 'signatures'), this.sign(transaction, signer)],
    };
    return await this.call('broadcast_transaction', signed);
  }

  /** Tried until both halves have 32 bytes and begin with no 1, as the SDK does. */
  sign(transaction: Json, signer: string): string {
    const digest = digestOf(this.#chainId, transaction);
    for (let attempt = 0; ; attempt++) {
      const more = attempt === 0 ? undefined : { data: Buffer.alloc(32, attempt) };
      const { signature, recid } = secp256k1.ecdsaSign(digest, secretOf(signer), more);
      const text = Buffer.from(signature).toString('hex');
      if ([0, 64].every((start) => /^(?:00[89a-f]|[1-7]|0[1-9a-f])/.test(text.slice(start))))
        return (31 + recid).toString(16) + text;
    }
  }
}

/** What the SDK signs. */
export function digestOf(chainId: string, transaction: Json): Buffer {
  return createHash('sha256').update(Buffer.from(chainId, 'hex')).update(unsignedBytes(transaction)).digest();
}

/** Accounts of a development chain. */
function secretOf(name: string): Buffer {
  return createHash('sha256').update(name).digest();
}

export function objectOf(value: Json): { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
