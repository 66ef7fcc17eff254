import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import type { Certificate } from '../../src/blocks/finality/certificate.ts';
import { voteDigest, type VoteSubject } from '../../src/blocks/finality/vote.ts';
import type { Voters } from '../../src/blocks/finality/voters.ts';
import { certificate } from '../../src/wire/messages/certificate.ts';
import { certificateAnnouncement } from '../../src/wire/messages/certificate_announcement.ts';
import { finalityRequest } from '../../src/wire/messages/finality_request.ts';
import { votes } from '../../src/wire/messages/votes.ts';
import { slotNumber } from '../../src/values/time.ts';
import { testKey, testSecret } from '../builders/chain.ts';
import { quickSignature } from '../builders/quick_signature.ts';
import { madeUpId } from '../builders/still_chain.ts';
import { again } from './intrusion.ts';
import { Liar, standing } from './liar.ts';
import { chooseSeeds } from './seeds.ts';
import type { SimNode } from './sim_node.ts';
import { isMeasured } from './sim_thread.ts';
import { SimWorld } from './sim_world.ts';

// Whatever strangers say of votes costs them their credit or their place, and holds up no block and no certificate.

const WITNESSES = 5;
const STRANGERS = 24;
const SECONDS = 12;
const EVERY_MS = 50;
const AT_ONCE = 4;
const MOST_LATER_MS = 200;
/** Of the thread: a tenth for receiving, a tenth for answering. */
const MOST_SHARE = 0.2 + (isMeasured ? 0.05 : 0);
/** Hello with the role of one that relays votes. */
const ROLES = 3 + 16;
const BACK_AFTER_MS = 200;

/** A stranger, and the node that it speaks to. */
interface Attack {
  readonly liar: Liar;
  readonly hub: SimNode;
  readonly time: number;
}

const currentView = ({ hub }: Attack): number =>
  slotNumber(hub.world.heap.nowMs / 1000, hub.world.parameters.blockIntervalSeconds);

function currentVoters({ hub }: Attack): Voters {
  const finality = present(hub.view.finality, 'finality');
  return present(finality.votersOf(finality.epoch), 'voters');
}

/** Makes the present vote of an honest voter, varied. */
function makeSubject(attack: Attack, varied: Partial<VoteSubject> = {}): VoteSubject {
  const { epoch, digest } = currentVoters(attack);
  const { chain } = attack.hub;
  return {
    ...{ epoch, voters: digest, view: currentView(attack), kind: 'prepare' },
    ...chain.voted.statedAt(chain.head.number),
    ...varied,
  };
}

/** Signatures of what nobody asked for: they cost as much to verify as right ones. */
const FOREIGN = quickSignature(new Uint8Array(32).fill(7), testSecret('alice'));
const foreign = (count: number): { readonly voter: number; readonly signature: string }[] =>
  Array.from({ length: count }, (_, voter) => ({ voter, signature: FOREIGN }));

/** A certificate of all voters, who have signed it but for the last one. */
function failingAtTheLast(attack: Attack): Certificate {
  const { world } = attack.hub;
  // A block of that height that nobody knows: no certificate of it was seen before.
  const subject = makeSubject(attack, { block: madeUpId(attack.hub.chain.head.number, 1 + attack.time) });
  const digest = voteDigest(world.parameters.chainId, subject);
  const { keys } = currentVoters(attack);
  const signatures = keys.map((key, voter) => ({
    voter,
    signature: quickSignature(
      digest,
      testSecret(
        present(
          world.names.find((name) => testKey(name) === key),
          'a witness',
        ),
      ),
    ),
  }));
  return { subject, signatures: [...signatures.slice(0, -1), ...foreign(keys.length).slice(-1)] };
}

/** Each is said again and again; who lies is thrown out and comes back. */
const FLOODS: Readonly<Record<string, { readonly isLie?: boolean; readonly say: (attack: Attack) => void }>> = {
  'votes that their voters have not signed': {
    isLie: true,
    // Of a subject that nobody states, so that no voter has signed it before.
    say: (attack) =>
      attack.liar.channel.send(votes, { subject: makeSubject(attack, { header: '99'.repeat(32) }), votes: foreign(3) }),
  },
  'certificates that fail at the last signature': {
    isLie: true,
    say: (attack) => attack.liar.channel.send(certificate, failingAtTheLast(attack)),
  },
  'votes of unknown voters': {
    say: (attack) =>
      attack.liar.channel.send(votes, {
        subject: makeSubject(attack, { voters: '77'.repeat(32) }),
        votes: foreign(20),
      }),
  },
  'votes of old views': {
    say: (attack) =>
      attack.liar.channel.send(votes, {
        subject: makeSubject(attack, { view: currentView(attack) - 11 }),
        votes: foreign(20),
      }),
  },
  'votes of many epochs': {
    say: (attack) =>
      attack.liar.channel.send(votes, {
        subject: makeSubject(attack, { epoch: currentVoters(attack).epoch + 2 + (attack.time % 1000) }),
        votes: foreign(20),
      }),
  },
  'certificates of later epochs': {
    say: (attack) => {
      const epoch = currentVoters(attack).epoch + 1000 + attack.time;
      attack.liar.channel.send(certificate, { subject: makeSubject(attack, { epoch }), signatures: foreign(51) });
    },
  },
  'announcements of certificates that do not exist': {
    say: (attack) => {
      const { epoch } = currentVoters(attack);
      const block = madeUpId(attack.hub.chain.head.number, 1 + attack.time);
      attack.liar.channel.send(certificateAnnouncement, {
        epoch,
        view: currentView(attack) + 1,
        kind: 'commit',
        block,
      });
    },
  },
  'requests for all boundaries': {
    say: ({ liar }) => liar.channel.send(finalityRequest, { epoch: 0, count: 64, newest: 3 }),
  },
};

interface Seen {
  /** The longest time from a block's slot until it was the head of all nodes, and final at each. */
  readonly latestMs: number;
  readonly finalMs: number;
  /** The number of blocks that became final at the flooded node. */
  readonly finals: number;
  /** Of its network thread. */
  readonly share: number;
  readonly liars: ReadonlyMap<string, readonly Liar[]>;
  readonly world: SimWorld;
}

function watched(seed: number, isFlooded: boolean): Seen {
  const world = new SimWorld({ seed, witnesses: WITNESSES, hasFinality: true, mostLatencyMs: 40 });
  const [hub = assert.fail()] = world.populate();
  world.run(12);
  const liars = new Map<string, Liar[]>();
  const kinds = Object.entries(FLOODS);
  for (let index = 0; index < (isFlooded ? STRANGERS : 0); index++) {
    const [name, { say }] = kinds[index % kinds.length] ?? assert.fail();
    const own: Liar[] = liars.get(name) ?? [];
    liars.set(name, own);
    const come = (life: number): void =>
      world.intrude(`stranger ${index} ${life}`, `172.16.${index}.1`, hub, (pipe) => {
        const liar = new Liar(world, pipe, standing(hub), { roles: ROLES });
        own.push(liar);
        world.heap.at(world.heap.nowMs + 1000, () =>
          again(liar, EVERY_MS, (time) => {
            for (let count = 0; count < AT_ONCE && !liar.isClosed; count++)
              say({ liar, hub, time: time * AT_ONCE + count });
          }),
        );
        return liar.channel;
      });
    const back = (life: number): void => {
      if (own.at(-1)?.isClosed === true) come(life);
      world.heap.at(world.heap.nowMs + BACK_AFTER_MS, () => back(life + 1));
    };
    come(0);
    world.heap.at(world.heap.nowMs + 1500, () => back(1));
  }
  world.run(3);
  world.checks.finalTimesMs.length = 0;
  const [fromMs, busyMs, final] = [world.heap.nowMs, hub.process.thread.busyMs, hub.chain.head.lastIrreversible];
  world.run(SECONDS);
  const share = (hub.process.thread.busyMs - busyMs) / (world.heap.nowMs - fromMs);
  let latestMs = 0;
  for (const [id, arrivedMs] of world.checks.arrivedMs) {
    const made = hub.chain.block(Number.parseInt(id.slice(0, 8), 16));
    if (made === undefined || made.id !== id || made.header.timestamp * 1000 < fromMs) continue;
    latestMs = Math.max(latestMs, arrivedMs - made.header.timestamp * 1000);
  }
  const finals = hub.chain.head.lastIrreversible - final;
  const finalMs = Math.max(...world.checks.finalTimesMs);
  world.runUntilTogether(10);
  return { latestMs, finalMs, finals, share, liars, world };
}

for (const seed of chooseSeeds(11)) {
  test(`24 strangers that flood a node with votes, certificates and questions of finality delay no block and no finality, cost a fifth of its thread at most, and are banned for lies alone (seed ${seed})`, (t) => {
    const [quiet, seen] = [watched(seed, false), watched(seed, true)];
    t.diagnostic(
      `the latest block ${seen.latestMs.toFixed(0)} ms, ${quiet.latestMs.toFixed(0)} undisturbed; final after ${seen.finalMs.toFixed(0)} ms, ${quiet.finalMs.toFixed(0)}; ${(100 * seen.share).toFixed(1)} % of the thread, ${(100 * quiet.share).toFixed(1)} %`,
    );
    assert.ok(seen.latestMs <= quiet.latestMs + MOST_LATER_MS, `${seen.latestMs} ms, ${quiet.latestMs} ms undisturbed`);
    assert.ok(seen.finalMs <= quiet.finalMs + MOST_LATER_MS, `${seen.finalMs} ms, ${quiet.finalMs} ms undisturbed`);
    assert.ok(
      seen.finals >= quiet.finals - 1 && seen.finals >= 3,
      `${seen.finals} blocks, ${quiet.finals} undisturbed`,
    );
    assert.ok(seen.share <= quiet.share + MOST_SHARE, `${seen.share} of the thread, ${quiet.share} undisturbed`);
    for (const [name, own] of seen.liars) {
      const { isLie = false } = FLOODS[name] ?? assert.fail();
      assert.equal(own.length, 3, `${name}: a banned address is not let in again`);
      assert.deepEqual(
        own.map(({ isClosed }) => isClosed),
        own.map(() => isLie),
        name,
      );
    }
    const bans = seen.world.checks.lines.filter((line) => line.includes('banned a peer'));
    assert.equal(bans.length, 6);
  });
}
