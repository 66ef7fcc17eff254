import { Type } from '../jsonrpc/envelope/typebox.ts';
import { refusals } from '../base/refusal.ts';
import type { Codec } from '../codec/codec.ts';
import { mismatch } from '../codec/decode_error.ts';
import { writeJson } from '../codec/json_writer.ts';
import { text, u32, u64 } from '../codec/primitives.ts';
import { coded, type ParamsOf } from '../jsonrpc/envelope/params.ts';
import type { Call } from './services.ts';
import { position } from '../queries/notices/position.ts';
import { positionRefusals } from '../queries/notices/standing.ts';
import type { Level, Subject } from '../notices/stream.ts';
import { subscriptionRefusals } from '../notices/subscription_counts.ts';

const refuse = refusals({
  no_connection:
    'notices are sent over a WebSocket only, because an HTTP request has nobody to send them to; ask over ws://',
});

/** The refusals of all that begin at a position. */
export const followingRefusals = { ...refuse.texts, ...subscriptionRefusals, ...positionRefusals };

const returnIdParam = coded(u64, {
  description:
    'a number of your choice that stands in each notice; a subscription of this connection that has it already is replaced',
});

/** The params for the start of a subscription. */
export const followingParams = {
  return_id: returnIdParam,
  resume: Type.Optional(
    coded(position, {
      description:
        'the position of the last notice that was received, of any subscription and from any node of the chain; what is behind it follows',
    }),
  ),
  start_block: Type.Optional(
    coded(u32, {
      description: 'without resume: the first block that is wanted; left out, it is what comes from now on',
    }),
  ),
};

/** The result of subscribing. */
export const followingResult = Type.Object({
  subscription: coded(u64),
  position: coded(position, { description: 'where it begins: resume with it while no notice has come' }),
});

const LEVELS = ['pending', 'head', 'irreversible'] as const;

function levelCodec(among: readonly Level[]): Codec<Level> {
  const expected = `one of ${among.join(', ')}`;
  const read = (json: unknown): Level | undefined => among.find((level) => level === json);
  return {
    write: (out, level) => text.write(out, level),
    read: (input) => read(text.read(input)) ?? mismatch(expected, null),
    toJson: (level) => level,
    fromJson: (json) => read(json) ?? mismatch(expected, json),
    initial: () => 'head',
    describe: () => ({ type: 'string', enum: [...among] }),
  };
}

/** The param for the stage at which an event is sent. */
export const levelParam = coded(levelCodec(LEVELS), {
  default: 'head',
  description:
    'head: when a block has it, and what another branch undoes is told; irreversible: when nothing can undo it; pending: as head, and from now on also what this node has accepted for a block to come, and what of that is dropped: without a position, so that resume brings back nothing of it',
});

/** The params that say whose subscription it is and where it begins. */
type Beginning = Pick<ParamsOf<typeof followingParams>, 'return_id' | 'resume'> & {
  readonly start_block?: number | undefined;
};

/** Starts a subscription for the caller. */
export function followChain(
  { return_id, resume, start_block }: Beginning,
  subject: Subject,
  { subscriber, notices, encoding }: Call,
): ParamsOf<(typeof followingResult)['properties']> {
  if (subscriber === undefined) return refuse.no_connection();
  const start = start_block === undefined ? undefined : Math.max(1, start_block);
  const begun = notices.followChain({
    subscriber,
    returnId: writeJson(u64.toJson(return_id, encoding)),
    subject,
    resume,
    start,
  });
  return { subscription: return_id, position: begun };
}
