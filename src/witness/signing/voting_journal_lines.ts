import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import { certificate, type Certificate } from '../../blocks/finality/certificate.ts';
import type { VotingRecord } from '../../blocks/finality/voting_record.ts';
import type { RecordedEpoch } from '../vote_evidence.ts';
import { countMember, hexMember, type JsonMembers, parseMembers } from '../../system/json_members.ts';
import type { Digest } from '../../values/hash.ts';
import { decodeBase64 } from '../../values/base64_data.ts';
import type { PublicKey } from '../../values/public_key.ts';

/** A line of a voting journal: the members of a key's record that have changed, after its end where that is said. */
export interface VotingLine {
  readonly chain: Digest;
  readonly key: PublicKey;
  readonly hasEnded?: true;
  readonly changed: Partial<VotingRecord>;
}

/** A line of an epoch that is recorded for good. */
export interface EpochLine extends RecordedEpoch {
  readonly chain: Digest;
  readonly epoch: number;
}

/** A line as it stands in the file. */
export function journalText(line: VotingLine | EpochLine): string {
  return 'key' in line ? votingLineText(line) : `${JSON.stringify(line)}\n`;
}

function votingLineText({ chain, key, hasEnded: ended, changed }: VotingLine): string {
  const { begun, signed_first_block: first, last_prepare: prepared, lock } = changed;
  return `${JSON.stringify({ chain, key, ended, begun, first, prepared, lock: lock && packed(lock) })}\n`;
}

/** The line in a text; undefined unless each member has its form. */
export function parseVotingLine(text: string): VotingLine | EpochLine | undefined {
  const said = parseMembers(text) ?? {};
  return 'voters' in said ? parseEpochMembers(said) : parseVotingMembers(said);
}

function parseEpochMembers(said: JsonMembers): EpochLine | undefined {
  const [chain, voters, start] = [
    hexMember(said['chain'], 32),
    hexMember(said['voters'], 32),
    hexMember(said['start'], 20),
  ];
  const epoch = countMember(said['epoch']);
  return chain === undefined || voters === undefined || start === undefined || epoch === undefined
    ? undefined
    : { chain, epoch, voters, start };
}

function parseVotingMembers(said: JsonMembers): VotingLine | undefined {
  const [chain, key] = [hexMember(said['chain'], 32), hexMember(said['key'], 33)];
  const [begun, prepared, lock] = [countMember(said['begun']), parsePlace(said['prepared']), parseLock(said['lock'])];
  const { first, ended } = said;
  if (chain === undefined || key === undefined) return undefined;
  if (lacks(said, { begun, prepared, lock }) || !(first === undefined || typeof first === 'boolean')) return undefined;
  if (ended !== undefined && ended !== true) return undefined;
  const changed = {
    ...(begun === undefined ? {} : { begun }),
    ...(first === undefined ? {} : { signed_first_block: first }),
    ...(prepared === undefined ? {} : { last_prepare: prepared }),
    ...(lock === undefined ? {} : { lock }),
  };
  return { chain, key, ...(ended && { hasEnded: ended }), changed };
}

/** True when a member of the line could not be read. */
function lacks(said: JsonMembers, read: JsonMembers): boolean {
  return Object.entries(read).some(([name, value]) => said[name] !== undefined && value === undefined);
}

function parsePlace(value: unknown): VotingRecord['last_prepare'] {
  const said = parseMembers(JSON.stringify(value ?? null)) ?? {};
  const [epoch, view, block] = [countMember(said['epoch']), countMember(said['view']), hexMember(said['block'], 20)];
  return epoch === undefined || view === undefined || block === undefined ? undefined : { epoch, view, block };
}

function packed(lock: Certificate): string {
  const out = new ByteWriter();
  certificate.write(out, lock);
  return Buffer.from(out.finish()).toString('base64');
}

function parseLock(value: unknown): Certificate | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    const input = new ByteReader(decodeBase64(value));
    const lock = certificate.read(input);
    input.expectEnd();
    return lock;
  } catch {
    return undefined;
  }
}
