import type { Codec } from '../codec/codec.ts';
import { describeInteger, integerFromJson, u32 } from '../codec/primitives.ts';
import { coded } from '../jsonrpc/envelope/params.ts';

const LARGEST = 0xffff_ffffn;

const blockNumber: Codec<number, number> = {
  ...u32,
  fromJson: (json) => Number(integerFromJson(json, 1n, LARGEST)),
  describe: (encoding) => describeInteger(1n, LARGEST, encoding),
};

/** The number of a block; there is nothing to prove of the genesis. */
export const provenBlock = coded(blockNumber);

/** The epoch with which the caller's proof begins. */
export const trustedEpoch = coded(u32, {
  description: 'the epoch whose voters the client trusts: the number in its checkpoint, divided by epoch_blocks',
});

/** Some ten certificates are looked at on the way from the trusted epoch, and thirty nodes of the range. */
export const PROOF_WEIGHT = { call: 8 } as const;
