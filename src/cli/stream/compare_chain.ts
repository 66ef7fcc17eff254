import { Fault } from '../../base/fault.ts';
import { member } from '../../client/chain_of_node.ts';
import type { ToldBlock } from '../../sinks/stream_check.ts';
import { NodeBlocks } from './node_blocks.ts';

const MOST_DIFFERENCES = 20;

/** The end of a node's chain. */
export interface ChainAtNode {
  readonly number: number;
  readonly id: string;
  readonly irreversible: number;
}

/**
 * The chain of a node, with which blocks of a stream are compared. Any call may throw a Fault, or a Refusal of the
 * node.
 */
export class ComparedChain {
  /** The differences, each as a sentence. */
  readonly differences: string[] = [];
  readonly #blocks: NodeBlocks;

  constructor(url: string) {
    this.#blocks = new NodeBlocks(url);
  }

  /** Returns the end of the node's chain. */
  async end(): Promise<ChainAtNode> {
    const state = await this.#blocks.ask('database_api.get_dynamic_global_properties');
    const [number, id, irreversible] = ['head_block_number', 'head_block_id', 'last_irreversible_block_num'].map(
      (name) => member(state, name),
    );
    if (typeof number !== 'number' || typeof id !== 'string' || typeof irreversible !== 'number')
      throw new Fault('protocol', 'the node does not say where its chain ends');
    return { number, id, irreversible };
  }

  /** Compares these blocks; none any more once many differ. */
  async compare(blocks: readonly ToldBlock[]): Promise<void> {
    if (this.differences.length >= MOST_DIFFERENCES) return;
    const head = await this.end();
    const numbers = blocks.map(({ number }) => number).filter((number) => number <= head.number);
    const own = await this.#blocks.read(new Set(numbers));
    for (const block of blocks) {
      const what = difference(block, own.get(block.number), head);
      if (what !== undefined && this.differences.length < MOST_DIFFERENCES)
        this.differences.push(block.number > head.irreversible ? `${what} (it is not irreversible: ask again)` : what);
    }
  }

  close(): void {
    this.#blocks.close();
  }
}

function difference(
  { number, id, operations }: ToldBlock,
  own: ToldBlock | undefined,
  head: ChainAtNode,
): string | undefined {
  if (own === undefined) return `block ${number}, ${id}: the chain ends with block ${head.number}`;
  if (own.id !== id) return `block ${number}, ${id}: the chain has another one`;
  return own.operations === operations ? undefined : `block ${number}, ${id}: its operations are others`;
}
