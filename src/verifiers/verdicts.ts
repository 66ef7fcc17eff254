import { present } from '../base/assert.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { decodeRefusal, encodeRefusal, type SentRefusal } from '../system/sent_refusal.ts';
import { ID_BYTES } from '../values/hash.ts';
import { OUTCOME } from './bundle_outcomes.ts';

/** The writer's decision on a broadcast. */
export interface Verdict {
  readonly ticket: number;
  /** 40 hex digits. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly expiration: number;
  readonly refusal: SentRefusal | undefined;
  /** Refused as a duplicate of one that still waits for its block. */
  readonly isPending?: boolean;
  /** On a transaction of a peer's bundle. */
  readonly isBundled?: boolean | undefined;
}

/**
 * The outcomes of transactions of bundles with consecutive tickets, a byte each (bundle_outcomes.ts): accepted, or
 * known. Of one that was refused there is a whole verdict.
 */
export interface BundleVerdicts {
  readonly firstTicket: number;
  readonly outcomes: Uint8Array;
}

/** The verdicts on a batch. */
export interface BatchVerdicts {
  readonly verdicts: readonly Verdict[];
  readonly bundled: readonly BundleVerdicts[];
}

const ACCEPTED = 0;
const REFUSED = 1;
const PENDING = 2;

/** Encodes all verdicts of a batch into one buffer. */
export function encodeVerdicts(all: readonly Verdict[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(all.length * 32 + 16);
  const verdicts = all.filter((one) => !isBrief(one));
  out.u32(verdicts.length);
  for (const { ticket, id, expiration, refusal, isPending } of verdicts) {
    out.u32(ticket);
    out.hex(id);
    out.u32(expiration);
    if (refusal === undefined) out.u8(ACCEPTED);
    else out.u8(isPending === true ? PENDING : REFUSED);
    if (refusal !== undefined) out.text(encodeRefusal(refusal));
  }
  writeBrief(out, all);
  return out.finish();
}

/** The tickets of what was refused, duplicates included. */
export function refusedTickets({ verdicts, bundled }: BatchVerdicts): number[] {
  const tickets = verdicts.filter(({ refusal }) => refusal !== undefined).map(({ ticket }) => ticket);
  for (const { firstTicket, outcomes } of bundled)
    for (const [index, outcome] of outcomes.entries())
      if (outcome !== OUTCOME.accepted) tickets.push(firstTicket + index);
  return tickets;
}

/** Of these the network needs no more than a byte. */
function isBrief({ isBundled, refusal }: Verdict): boolean {
  return isBundled === true && (refusal === undefined || refusal.code === 'duplicate_transaction');
}

/** Runs of consecutive tickets: the first, their number, which is at most that of a batch, and a byte for each. */
function writeBrief(out: ByteWriter, all: readonly Verdict[]): void {
  for (let start = 0, end = 0; start < all.length; start = Math.max(end, start + 1)) {
    end = endOfRun(all, start);
    if (end === start) continue;
    out.u32(present(all[start], 'the first of a run').ticket);
    out.u16(end - start);
    for (let index = start; index < end; index++)
      out.u8(all[index]?.refusal === undefined ? OUTCOME.accepted : OUTCOME.known);
  }
}

/** The index behind the run of brief verdicts with consecutive tickets that begins here, if one does. */
function endOfRun(all: readonly Verdict[], start: number): number {
  const first = all[start]?.ticket ?? 0;
  for (let index = start; index < all.length; index++) {
    const one = present(all[index], 'a verdict');
    if (!isBrief(one) || one.ticket !== first + index - start) return index;
  }
  return all.length;
}

export function decodeVerdicts(bytes: Uint8Array): BatchVerdicts {
  const input = new ByteReader(bytes);
  const verdicts = Array.from({ length: input.u32() }, () => {
    const ticket = input.u32();
    const id = input.hex(ID_BYTES);
    const expiration = input.u32();
    const outcome = input.u8();
    const refusal = outcome === ACCEPTED ? undefined : decodeRefusal(input.text());
    return { ticket, id, expiration, refusal, isPending: outcome === PENDING };
  });
  const bundled: BundleVerdicts[] = [];
  while (input.remaining > 0) bundled.push({ firstTicket: input.u32(), outcomes: input.bytes(input.u16()) });
  return { verdicts, bundled };
}
