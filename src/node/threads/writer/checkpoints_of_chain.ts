import { Fault } from '../../../base/fault.ts';
import type { Chain } from '../../../chain/chain.ts';

/**
 * Fault `configuration` for a chain that has another irreversible block than the operator has named: nothing that comes
 * later would be compared with it again, and peers could not tell either.
 */
export function requireCheckpoints(
  chain: Pick<Chain, 'settled' | 'block'>,
  checkpoints: readonly (readonly [number, string])[],
): void {
  for (const [number, id] of checkpoints) {
    if (number > chain.settled) continue;
    const own = chain.block(number)?.id;
    if (own === undefined || own === id) continue;
    throw new Fault(
      'configuration',
      `checkpoint: block ${number} is ${own} in this data folder, where it is irreversible, and the checkpoint says ${id}; mend the checkpoint, or start over in an empty folder`,
    );
  }
}
