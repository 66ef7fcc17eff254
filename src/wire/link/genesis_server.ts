import { ZERO_HASH160 } from '../../values/hash.ts';
import type { Channel } from './channel.ts';
import { genesis, type Genesis } from '../messages/genesis.ts';
import { messageNumber } from '../messages/index.ts';
import { unavailable } from '../messages/unavailable.ts';

/** Tells a peer what a development chain was made of. Once: it is a hundred thousand times what it takes to ask. */
export class GenesisServer {
  #own: Genesis | undefined;

  /** Nothing where the chain is no development chain. */
  constructor(own: Genesis | undefined) {
    this.#own = own;
  }

  answer(channel: Pick<Channel, 'send'>): void {
    const own = this.#own;
    this.#own = undefined;
    if (own === undefined) channel.send(unavailable, { kind: messageNumber(genesis), id: ZERO_HASH160 });
    else channel.send(genesis, own);
  }
}
