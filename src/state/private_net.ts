import { refusals } from '../base/refusal.ts';
import type { ChainState } from './chain_state.ts';

const refuse = refusals({
  not_in_private_nets: {
    text: 'this chain is a private net, where no operation moves coins or votes',
    lineage: 'This operation is not available in private nets',
  },
});

/** The first check of operations that move coins or votes: a private net has neither. */
export function refuseInPrivateNet(state: ChainState): void {
  if (state.parameters.isPrivateNet) refuse.not_in_private_nets();
}
