import { present } from '../base/assert.ts';
import { refusals } from '../base/refusal.ts';
import type { ProvedBlock } from '../blocks/block.ts';
import type { BlockId } from '../values/hash.ts';

const refuse = refusals({
  block_too_old: 'attempting to push a block that is too old',
  unlinkable_block: { text: 'block does not link to known chain', lineageCode: 4_080_000 },
  too_many_forks: 'this node keeps {bytes} bytes of competing blocks, as many as it can',
});

/** A block in the tree. Of blocks on the main branch the body may be on the disk alone. */
export interface ForkBlock {
  readonly id: BlockId;
  readonly number: number;
  readonly previous: BlockId;
  body: ProvedBlock | undefined;
}

// Anybody can send blocks that link somewhere; beyond this they are refused instead of filling the memory.
const LARGEST_SIDE_BYTES = 128 * 1024 * 1024;
// Bodies of the newest blocks of the main branch: enough for every ordinary change of branch.
const BODIES_KEPT = 4;

/** The blocks that are not final: a tree, of which one branch is the chain (chain.md 5.7). */
export class ForkTree {
  readonly #blocks = new Map<BlockId, ForkBlock>();
  #head: ForkBlock;
  #bytes = 0;

  constructor(root: Omit<ForkBlock, 'body'>) {
    this.#head = { ...root, body: undefined };
    this.#blocks.set(root.id, this.#head);
  }

  /** The first block that was seen with the greatest number. */
  get head(): ForkBlock {
    return this.#head;
  }

  get(id: BlockId): ForkBlock | undefined {
    return this.#blocks.get(id);
  }

  /** Adds a block of the main branch that lies on the disk. */
  restore(block: Omit<ForkBlock, 'body'>): void {
    this.#head = { ...block, body: undefined };
    this.#blocks.set(block.id, this.#head);
  }

  /** Whether a block could be added: it is neither too old nor unlinked. False when it is known already. */
  admits({ id, number, header }: ProvedBlock, oldest: number): boolean {
    if (this.#blocks.has(id)) return false;
    if (number <= oldest) refuse.block_too_old();
    if (!this.#blocks.has(header.previous)) refuse.unlinkable_block({ previous: header.previous });
    if (header.previous !== this.#head.id && this.#bytes > LARGEST_SIDE_BYTES) refuse.too_many_forks({ bytes: this.#bytes });
    return true;
  }

  /** Adds a block that is admitted; it becomes the head of the tree when its number is greater than all others. */
  insert(body: ProvedBlock): ForkBlock {
    const block = { id: body.id, number: body.number, previous: body.header.previous, body };
    this.#blocks.set(body.id, block);
    this.#bytes += body.packed.length;
    if (body.number > this.#head.number) this.#head = block;
    return block;
  }

  /** Removes a block that turned out to be invalid and everything that was built on it; `head` is the head from now on. */
  remove(id: BlockId, head: ForkBlock): void {
    const gone = new Set([id]);
    const byNumber = [...this.#blocks.values()].sort((a, b) => a.number - b.number);
    for (const block of byNumber) if (gone.has(block.previous)) gone.add(block.id);
    for (const each of gone) this.#drop(this.#blocks.get(each));
    this.#head = head;
  }

  /** The blocks from the common ancestor up to each of two heads, oldest first. */
  branches(left: ForkBlock, right: ForkBlock): { readonly left: ForkBlock[]; readonly right: ForkBlock[] } {
    const [lefts, rights]: [ForkBlock[], ForkBlock[]] = [[], []];
    let [a, b] = [left, right];
    while (a.id !== b.id) {
      if (a.number >= b.number) {
        lefts.unshift(a);
        a = this.#parent(a);
      } else {
        rights.unshift(b);
        b = this.#parent(b);
      }
    }
    return { left: lefts, right: rights };
  }

  /** The block is on the disk as head of the chain; what is final is forgotten, and old bodies with it. */
  settle(block: ForkBlock, lastIrreversible: number): void {
    let at: ForkBlock | undefined = block;
    for (let kept = 0; at !== undefined && kept < BODIES_KEPT; kept++) at = this.#blocks.get(at.previous);
    if (at?.body !== undefined) this.#forgetBody(at);
    for (const each of this.#blocks.values()) if (each.number < lastIrreversible) this.#drop(each);
  }

  #parent({ previous }: ForkBlock): ForkBlock {
    return present(this.#blocks.get(previous), 'a block that is not final');
  }

  #drop(block: ForkBlock | undefined): void {
    if (block === undefined) return;
    this.#forgetBody(block);
    this.#blocks.delete(block.id);
  }

  #forgetBody(block: ForkBlock): void {
    this.#bytes -= block.body?.packed.length ?? 0;
    block.body = undefined;
  }
}
