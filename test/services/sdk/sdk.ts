import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { at, listMember, optionalMember, textMember, type Json } from '../../outside/json.ts';
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

/** The error of the JavaScript SDK. */
export class RpcError extends Error {
  readonly data: Json;

  constructor(error: Json) {
    super(textMember(error, 'message'));
    assert.equal(at(error, 'code'), 1);
    this.data = optionalMember(error, 'data') ?? null;
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

  /** Connects at once, as `api.setOptions({ url })` does. */
  async connect(): Promise<void> {
    this.#chainId = textMember(await this.call('about'), 'chain_id');
  }

  async call(method: string, ...params: readonly Json[]): Promise<Json> {
    const id = ++this.#lastId.id;
    const text = await this.#transport(JSON.stringify({ id, jsonrpc: '2.0', method, params }));
    const answer: Json = JSON.parse(text);
    assert.equal(at(answer, 'id'), id, `Invalid response id: ${text}`);
    const error = optionalMember(answer, 'error');
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
      ...requireObject(transaction),
      signatures: [...listMember(transaction, 'signatures'), this.sign(transaction, signer)],
    };
    return await this.call('broadcast_transaction', signed);
  }

  /** Tried until both halves have 32 bytes and begin with no 1, as the SDK does. */
  sign(transaction: Json, signer: string): string {
    const digest = signingDigest(this.#chainId, transaction);
    for (let attempt = 0; ; attempt++) {
      const more = attempt === 0 ? undefined : { data: Buffer.alloc(32, attempt) };
      const { signature, recid } = secp256k1.ecdsaSign(digest, testSecret(signer), more);
      const text = Buffer.from(signature).toString('hex');
      if ([0, 64].every((start) => /^(?:00[89a-f]|[1-7]|0[1-9a-f])/.test(text.slice(start))))
        return (31 + recid).toString(16) + text;
    }
  }
}

/** Returns the digest that the SDK signs. */
export function signingDigest(chainId: string, transaction: Json): Buffer {
  return createHash('sha256').update(Buffer.from(chainId, 'hex')).update(unsignedBytes(transaction)).digest();
}

/** Accounts of a development chain. */
function testSecret(name: string): Buffer {
  return createHash('sha256').update(name).digest();
}

export function requireObject(value: Json): { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
