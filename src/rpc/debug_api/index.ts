import type { Method } from '../method.ts';
import { delayAnswers } from './delay_answers.ts';
import { fork } from './fork.ts';
import { jumpAhead } from './jump_ahead.ts';
import { missSlots } from './miss_slots.ts';
import { produceBlocks } from './produce_blocks.ts';
import { refuseBroadcasts } from './refuse_broadcasts.ts';
import { revert } from './revert.ts';
import { sendUnsigned } from './send_unsigned.ts';
import { setPrice } from './set_price.ts';
import { setMining } from './set_mining.ts';
import { snapshot } from './snapshot.ts';

/** Moves the chain on command; served by development chains only. */
export const debugApi = [
  produceBlocks,
  jumpAhead,
  setMining,
  snapshot,
  revert,
  sendUnsigned,
  missSlots,
  setPrice,
  fork,
  delayAnswers,
  refuseBroadcasts,
] as const satisfies readonly Method[];
