import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { FinalityView } from '../../../src/p2p/environment/chain_access.ts';
import { PeerClaims } from '../../../src/p2p/sync/peer_claims.ts';
import { Standing } from '../../../src/p2p/sync/standing.ts';
import { Voices } from '../../../src/p2p/sync/voices.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { madeUpId, quietWorld, StillChain } from '../../builders/still_chain.ts';
import { House } from '../house.ts';

const HEAD = 100;
const LONGER = madeUpId(HEAD + 5, 9);

/** A chain that has the blocks of a longer branch, and does not follow it. */
class LeftBranch extends StillChain {
  readonly finality: FinalityView | undefined;
  readonly isHere: boolean;

  constructor(hasFinality: boolean, isHere: boolean) {
    super(HEAD);
    this.finality = hasFinality ? { epoch: 0, votersOf: () => undefined, boundaryFrom: () => undefined } : undefined;
    this.isHere = isHere;
  }

  override knows(id: string): boolean {
    return (this.isHere && id === LONGER) || super.knows(id);
  }
}

/** Makes the standing of a node whose head is old, while a chosen peer claims the longer branch. */
function makeStanding(view: LeftBranch): Standing {
  const house = new House();
  house.comes('0', '77.1.1.1');
  const [peer = assert.fail('nobody came')] = house.joined;
  const claims = new PeerClaims(1000);
  claims.note(peer, HEAD + 5, LONGER, HEAD, 0);
  const voices = new Voices({ pinned: new Set(), allowed: new Set([peer.id]) });
  const environment = quietWorld(new HandClock((view.head.time + 30) * 1000), view);
  return new Standing({ environment, voices, claims, live: () => [peer], checkpoint: 0, followed: undefined });
}

test('a node that follows a shorter branch because it is certified is not behind those whose longer branch it has', () => {
  const left = makeStanding(new LeftBranch(true, true));
  assert.deepEqual([left.behindBy, left.state, left.isSynced], [0, 'live', true]);
  const lacking = makeStanding(new LeftBranch(true, false));
  assert.deepEqual([lacking.behindBy, lacking.state], [5, 'behind']);
  const without = makeStanding(new LeftBranch(false, true));
  assert.deepEqual([without.behindBy, without.state], [5, 'behind']);
});
