import { createServer, type Server } from 'node:http';
import { at, optionalMember, textMember, type Json } from '../outside/json.ts';
import { truth, type Lie } from './lies.ts';

/** A proxy before a real node that alters the answers of the node. */
export class LyingProxy {
  lie: Lie = truth;
  /** Transactions that passed the proxy, whatever the call. */
  passed: Json[] = [];
  /** The real node's answers to the last command. */
  heard: { readonly method: string; readonly result: Json }[] = [];
  readonly #nodePort: number;
  readonly #server: Server;

  constructor(nodePort: number) {
    this.#nodePort = nodePort;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        void this.#answered(JSON.parse(Buffer.concat(chunks).toString())).then((text) =>
          response.writeHead(200, { 'Content-Type': 'application/json' }).end(text),
        );
      });
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  /** Asks the real node. */
  async real(method: string, params: Json): Promise<Json> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const options = { method: 'POST', body, headers: { Connection: 'close' } };
    return JSON.parse(await (await fetch(`http://127.0.0.1:${this.#nodePort}/`, options)).text());
  }

  async trueChainId(): Promise<string> {
    return textMember(await this.real('alexandria_api.about', {}), 'result.about.chain_id');
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answered(request: Json): Promise<string> {
    const method = textMember(request, 'method');
    const params = optionalMember(request, 'params') ?? {};
    const tx = optionalMember(params, 'tx') ?? optionalMember(params, 'trx');
    if (tx !== undefined) this.passed.push(tx);
    // Nothing is really sent, so the chain stays as it is.
    const isSent = method.endsWith('broadcast_transaction');
    const answer = isSent ? { result: { tx: { block_num: 1, transaction_num: 0 } } } : await this.real(method, params);
    const result = optionalMember(answer, 'result');
    if (result !== undefined) this.heard.push({ method, result });
    const shown = result === undefined ? answer : { jsonrpc: '2.0', result: this.lie.alter(method, result) };
    return JSON.stringify({ ...Object(shown), id: at(request, 'id') });
  }
}
