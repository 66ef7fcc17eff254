import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { present } from '../../../src/base/assert.ts';
import { finalityProof, transactionProof, type FinalityProof } from '../../../src/blocks/finality/finality_proof.ts';
import { blockHeader, signedBlockHeader } from '../../../src/blocks/header.ts';
import { signedTransaction } from '../../../src/blocks/transaction.ts';
import type { Json } from '../../../src/codec/json.ts';
import { neutralEncoding, type EncodingOptions } from '../../../src/codec/encoding_options.ts';
import { readJson } from '../../../src/codec/json_reader.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { readAnswer, unwrapResult } from '../../../src/client/answer.ts';
import type { NodeConnection } from '../../../src/client/connection.ts';
import type { CertifiedChain } from './certified_chain.ts';
import { EPOCH_BLOCKS } from './certified_chain.ts';
import { TRUSTED, type Lie, type Members, type Worlds } from './lies.ts';

const words: EncodingOptions = { ...neutralEncoding, coinSymbol: 'COIN', vestsSymbol: 'VESTS', keyPrefix: 'PHR' };

/** Answers the methods of proofs, truly or not. */
export class LyingNode {
  readonly #worlds: Worlds;
  readonly #lie: Lie | undefined;
  readonly #shown: CertifiedChain;
  #final: number | undefined;

  /** Without a lie it is honest, and shows this world. */
  constructor(worlds: Worlds, lie?: Lie, world: keyof Worlds = 'honest') {
    this.#worlds = worlds;
    this.#lie = lie;
    this.#shown = worlds[lie?.world ?? world];
    this.#final = lie?.final;
  }

  /** From now on it tells of no later final block than this one. */
  goBack(final: number): void {
    this.#final = final;
  }

  /** The checkpoint that its clients have. */
  get checkpoint(): string {
    const { checkpointOf, trusted = TRUSTED } = this.#lie ?? {};
    return (checkpointOf === undefined ? this.#shown : this.#worlds[checkpointOf]).checkpoint(trusted);
  }

  /** The id of a transaction of the newest block. */
  get transaction(): string {
    return present(this.#shown.block(this.#shown.newest).transactions[0], 'a transaction').id;
  }

  /** The result of a method; undefined where the node has none. */
  answer(method: string, params: Json): Json | undefined {
    const name = method.replace(/^block_api\.(get_finality|get_transaction_proof)/, '$1');
    const members = this.#truth(name, params) ?? this.#told(name, params);
    return members === undefined ? undefined : (this.#lie?.json?.(name, members) ?? members);
  }

  #truth(name: string, params: Json): Members | undefined {
    const [number, id, trusted] = ['block_num', 'transaction_id', 'trusted_epoch'].map((member) =>
      getMember(params, member),
    );
    if (name === 'get_finality') return this.#finality();
    if (name === 'get_finality_proof')
      return getMembers(finalityProof.toJson(this.#proof(Number(number), Number(trusted)), neutralEncoding));
    if (name !== 'get_transaction_proof') return undefined;
    const honest = this.#shown.transactionProof(String(id), Number(trusted));
    if (honest === undefined) return undefined;
    const finality = this.#altered(honest.finality, this.#shown.newest, Number(trusted));
    const whole = { ...honest, finality };
    return getMembers(transactionProof.toJson(this.#lie?.transaction?.(whole, this.#worlds) ?? whole, neutralEncoding));
  }

  /** Answers other methods, without a proof. */
  #told(method: string, params: Json): Members | undefined {
    const param = (name: string): Json => getMember(params, name) ?? null;
    switch (method) {
      case 'alexandria_api.get_version':
        return { version_info: { chain_id: this.#shown.chain } };
      case 'database_api.get_config':
        return { COIN_CHAIN_ID: this.#shown.chain, COIN_SYMBOL: 'COIN' };
      case 'alexandria_api.get_transaction':
        return { tx: this.#transaction(String(param('tx_id'))) };
      case 'account_history_api.get_transaction':
        return getMembers(this.#transaction(String(param('id'))));
      case 'transaction_status_api.find_transaction':
        return {
          status: 'final',
          block_num: getMember(this.#transaction(String(param('transaction_id'))), 'block_num') ?? null,
        };
      case 'alexandria_api.get_block':
        return { block: this.#block(Number(param('num'))) };
      case 'block_api.get_block':
        return this.#block(Number(param('block_num')));
      case 'block_api.get_block_header':
        return getMembers(blockHeader.toJson(this.#shown.block(Number(param('block_num'))).header, words));
      default:
        return undefined;
    }
  }

  #transaction(id: string): Json {
    const number = this.#shown.blocks.findIndex(({ transactions }) => transactions.some((each) => each.id === id)) + 1;
    if (number === 0) return null;
    const { transactions } = this.#shown.block(number);
    const place = transactions.findIndex((each) => each.id === id);
    const json = signedTransaction.toJson(present(transactions[place], 'it').transaction, words);
    return { ...getMembers(json), transaction_id: id, block_num: number, transaction_num: place };
  }

  #block(number: number): Members {
    const { header, id, transactions } = this.#shown.block(number);
    return {
      ...getMembers(signedBlockHeader.toJson(header, words)),
      transactions: transactions.map(({ transaction }) => signedTransaction.toJson(transaction, words)),
      ...{ block_id: id, signing_key: `PHR${'1'.repeat(50)}`, transaction_ids: transactions.map((each) => each.id) },
    };
  }

  #finality(): Members {
    const { chain, newest } = this.#shown;
    return { chain_id: chain, epoch_blocks: EPOCH_BLOCKS, final_block_num: this.#final ?? newest };
  }

  #proof(number: number, trusted: number): FinalityProof {
    return this.#altered(this.#shown.proof(number, trusted), number, trusted);
  }

  #altered(proof: FinalityProof, number: number, trusted: number): FinalityProof {
    return this.#lie?.proof?.(proof, this.#worlds, { number, trusted }) ?? proof;
  }
}

/** A connection to a node of this process. */
export function makeConnection(node: LyingNode): NodeConnection {
  return {
    async call(method, params) {
      const { outcome } = readAnswer(answerCall(node, { id: 1, method, params }));
      return await Promise.resolve(unwrapResult(outcome));
    },
    close: () => undefined,
  };
}

/** Nodes of one server: each has a path of its own. Pages of any origin may ask them. */
export class NodesOverHttp {
  readonly #server: Server;
  readonly #nodes: ReadonlyMap<string, LyingNode>;

  constructor(nodes: ReadonlyMap<string, LyingNode>) {
    this.#nodes = nodes;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  url(name: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${encodeURIComponent(name)}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const allowed = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'content-type' };
    const node = this.#nodes.get(decodeURIComponent((request.url ?? '').slice(1)));
    if (request.method !== 'POST' || node === undefined) return void response.writeHead(204, allowed).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    response.writeHead(200, { ...allowed, 'Content-Type': 'application/json' });
    response.end(answerCall(node, readJson(Buffer.concat(chunks))));
  }
}

function answerCall(node: LyingNode, call: Json): string {
  const [id, method, params] = ['id', 'method', 'params'].map((member) => getMember(call, member) ?? null);
  const result = node.answer(String(method), params ?? null);
  const error = { code: -32003, message: 'not found', data: { name: 'transaction_not_found' } };
  return writeJson({ jsonrpc: '2.0', id: id ?? null, ...(result === undefined ? { error } : { result }) });
}

function getMember(json: Json, name: string): Json | undefined {
  return getMembers(json)[name];
}

function getMembers(json: Json): Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
}
