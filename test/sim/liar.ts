import { ByteBudget } from '../../src/wire/link/byte_budget.ts';
import { Channel } from '../../src/wire/link/channel.ts';
import type { MessageForm, MessageKind } from '../../src/wire/message_kind.ts';
import { ancestor } from '../../src/wire/messages/ancestor.ts';
import { ancestorRequest } from '../../src/wire/messages/ancestor_request.ts';
import { block } from '../../src/wire/messages/block.ts';
import { blockRequest } from '../../src/wire/messages/block_request.ts';
import { hello } from '../../src/wire/messages/hello.ts';
import { ping } from '../../src/wire/messages/ping.ts';
import { pong } from '../../src/wire/messages/pong.ts';
import { status, type Status } from '../../src/wire/messages/status.ts';
import type { Pipe } from '../../src/wire/link/pipe.ts';
import { present } from '../../src/base/assert.ts';
import { getBlockNumber } from '../../src/values/hash.ts';
import type { SimNode } from './sim_node.ts';
import type { SimWorld } from './sim_world.ts';

/** A dishonest peer: it says hello, answers pings, and leaves all else to its script. */
export class Liar {
  readonly channel: Channel;
  readonly world: SimWorld;
  readonly heard: string[] = [];
  /** Blocks that it gives to whoever asks, by their ids. */
  readonly blocks = new Map<string, Uint8Array>();
  isClosed = false;
  readonly #answers = new Map<MessageForm, (bytes: Uint8Array) => void>();

  constructor(world: SimWorld, pipe: Pipe, claimed: Status, { roles = 3 } = {}) {
    this.world = world;
    const clock = world.heap.clock(
      () => 0,
      (run) => (this.isClosed ? undefined : run()),
    );
    this.channel = new Channel(pipe, clock, new ByteBudget(1024 * 1024 * 1024), {
      isWanted: () => true,
      take: (form, bytes) => this.#take(form, bytes),
      malformed: () => undefined,
      overLimit: () => undefined,
      closed: () => {
        this.isClosed = true;
      },
    });
    const { chainId, profile } = present(world.nodes[0], 'a node').view;
    this.channel.send(hello, {
      protocol: 1,
      chain_id: chainId,
      profile,
      agent: 'liar',
      endpoints: [],
      roles,
      oldest_block: 1,
      status: claimed,
      clock_ms: BigInt(Math.trunc(world.heap.nowMs)),
    });
    this.on(ping, (value) => this.channel.send(pong, value));
    this.on(blockRequest, ({ id }) => {
      const packed = this.blocks.get(id);
      if (packed !== undefined) this.channel.send(block, packed);
    });
    // As far as it goes it agrees with everybody.
    this.on(ancestorRequest, ({ ids }) => this.channel.send(ancestor, { number: getBlockNumber(ids[0] ?? '') || 0 }));
  }

  /** Sets its reaction to a message of the kind. */
  on<T>(kind: MessageKind<T>, run: (value: T) => void): void {
    this.#answers.set(kind, (bytes) => run(kind.decode(bytes)));
  }

  /** Tells every so often where it stands. */
  claims(everyMs: number, next: () => Status): void {
    this.world.heap.at(this.world.heap.nowMs + everyMs, () => {
      if (this.isClosed) return;
      this.channel.send(status, next());
      this.claims(everyMs, next);
    });
  }

  #take(form: MessageForm, bytes: Uint8Array): void {
    this.heard.push(form.name);
    if (form.name === 'goodbye') this.isClosed = true;
    this.#answers.get(form)?.(bytes);
  }
}

/** Returns an honest node's status, or one that claims this many blocks more. */
export function standing({ chain }: Pick<SimNode, 'chain'>, more = 0): Status {
  const { number, id, lastIrreversible } = chain.head;
  const head_number = number + more;
  const head_id = more === 0 ? id : head_number.toString(16).padStart(8, '0') + 'f'.repeat(32);
  return {
    head_number,
    head_id,
    irreversible_number: lastIrreversible,
    irreversible_id: present(chain.block(lastIrreversible), 'a block').id,
  };
}
