import assert from 'node:assert/strict';
import { test } from 'node:test';

import { clockDifferenceMs, medianClockAheadMs } from '../../../src/p2p/sync/peer_clocks.ts';
import { Voices } from '../../../src/p2p/sync/voices.ts';
import { encodeFrame } from '../../../src/wire/link/frame.ts';
import { hello } from '../../../src/wire/messages/hello.ts';
import { HandPipe, makeNodeId } from '../../builders/pipes.ts';
import { GREETING, House } from '../house.ts';

const VOICES = new Voices({ pinned: new Set(), allowed: new Set() });

/** A node whose peers have clocks that are ahead by so much. */
function withClocks(dialled: readonly number[], came: readonly number[]): House {
  const house = new House();
  const greeting = (aheadMs: number): Uint8Array =>
    encodeFrame(
      0,
      0,
      hello.encode({ ...hello.decode(GREETING), clock_ms: BigInt(house.clock.nowMs() + aheadMs) }),
      false,
    );
  const meet = (isInbound: boolean) => (aheadMs: number, index: number) => {
    const pipe = new HandPipe(makeNodeId(`${isInbound} ${index}`), isInbound, {
      host: `${isInbound ? 50 : 60}.${index}.1.1`,
      port: 9290,
    });
    house.connections.accept(pipe)?.received(greeting(aheadMs));
  };
  dialled.forEach(meet(false));
  came.forEach(meet(true));
  return house;
}

test('by how much clocks differ is known of five peers that we have chosen, in the middle, whatever those say who came', () => {
  const liars = Array.from({ length: 20 }, () => 600_000);
  const differs = (dialled: readonly number[]): number | undefined =>
    clockDifferenceMs(VOICES.speakers(withClocks(dialled, liars).connections.live));
  assert.equal(differs([5000, 5000, 5000, 5000]), undefined);
  assert.equal(differs([5000, 100, 4000, -900_000, 6000]), 4000);
  assert.equal(differs([-3000, -3000, -3000, 600_000, 600_000]), -3000);
});

test('a witness without chosen peers knows no clock but its own, however many strangers tell the time', () => {
  const house = withClocks([], [3_600_000, 3_600_000, 3_600_000]);
  assert.equal(medianClockAheadMs(VOICES.speakers(house.connections.live)), undefined);
  assert.equal(medianClockAheadMs(VOICES.speakers(withClocks([200], [3_600_000]).connections.live)), 200);
});

test('a machine whose clock is set is as far from its peers afterwards as its clock says', () => {
  const house = withClocks([1500, 1500, 1500], []);
  const ahead = (): number | undefined => medianClockAheadMs(VOICES.speakers(house.connections.live));
  assert.equal(ahead(), 1500);
  house.clock.pass(60_000);
  assert.equal(ahead(), 1500);
  house.clock.set(1500);
  assert.equal(ahead(), 0);
});
