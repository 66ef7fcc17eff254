import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { timeText } from '../../src/values/time.ts';

/** A block that a test makes up. */
export interface ToldBlock {
  readonly branch: number;
  readonly ids: readonly string[];
}

interface AskedCall {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly num?: number; readonly block_num?: number; readonly tx_id?: string };
}

/** A server of the tests' own that tells of the blocks it is given, in the words of a node. */
export class ToldChain {
  /** From block 1 on; tests change it. */
  blocks: ToldBlock[] = [];
  irreversible = 0;
  /** Seconds since 1970. */
  time = 1_800_000_000;
  maximumBlockBytes = 262_144;
  /** Blocks that are too large to be sent. */
  readonly tooLarge = new Set<number>();
  /** Packed sizes by number, as the explorer's page tells them; undefined where there is no such page. */
  packed: ReadonlyMap<number, number> | undefined;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      if (request.method === 'GET') {
        const blocks = [...(this.packed ?? [])].map(([number, bytes]) => ({ number, bytes }));
        response.writeHead(this.packed === undefined ? 404 : 200).end(JSON.stringify({ blocks }));
        return;
      }
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        const asked: AskedCall | readonly AskedCall[] = JSON.parse(body);
        const answers = 'length' in asked ? asked.map((call) => this.#answer(call)) : this.#answer(asked);
        response.end(JSON.stringify(answers));
      });
    });
  }

  static async start(): Promise<ToldChain> {
    const chain = new ToldChain();
    chain.#server.listen(0, '127.0.0.1');
    await once(chain.#server, 'listening');
    return chain;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer({ id, method, params }: AskedCall): object {
    if (method.endsWith('get_block') && this.tooLarge.has(params.num ?? 0))
      return { jsonrpc: '2.0', id, error: { code: -32000, message: 'too large' } };
    return { jsonrpc: '2.0', id, result: this.#result(method, params) };
  }

  #result(method: string, { num = 0, block_num = 0, tx_id = '' }: AskedCall['params']): object {
    if (method.endsWith('get_block_header')) return { previous: this.#id(block_num - 1) };
    if (method.endsWith('get_block')) return this.#block(num);
    if (method.endsWith('get_transaction')) {
      const place = this.blocks.findIndex(({ ids }) => ids.includes(tx_id));
      return place < 0 ? {} : { tx: { block_num: place + 1 } };
    }
    return { properties: this.#properties() };
  }

  #properties(): object {
    const number = this.blocks.length;
    return {
      head_block_number: number,
      head_block_id: this.#id(number),
      time: timeText(this.time),
      current_aslot: number + 2,
      last_irreversible_block_num: this.irreversible,
      maximum_block_size: this.maximumBlockBytes,
      average_block_size: 1000,
    };
  }

  #block(number: number): object {
    const block = this.blocks[number - 1];
    if (block === undefined) return {};
    const memo = '"block_id":"no id","transaction_ids":["no id"],"previous":"no id"';
    const transactions = [{ memo }];
    return {
      block: {
        previous: this.#id(number - 1),
        timestamp: this.#blockTime(number),
        transactions,
        block_id: this.#id(number),
        signing_key: 'K',
        transaction_ids: block.ids,
      },
    };
  }

  /** The head's is `time`. */
  #blockTime(number: number): string {
    return timeText(this.time - (this.blocks.length - number) * 3);
  }

  #id(number: number): string {
    const branch = this.blocks[number - 1]?.branch ?? 0;
    return `${number.toString(16).padStart(8, '0')}${branch.toString(16).padStart(32, '0')}`;
  }
}

/** An id as transactions have one. */
export function blockId(number: number): string {
  return (number * 7919).toString(16).padStart(40, (number % 16).toString(16));
}
