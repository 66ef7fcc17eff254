import { assert, present } from '../../src/base/assert.ts';
import type { VerifySignature } from '../../src/blocks/finality/certificate.ts';
import { transactionProof } from '../../src/blocks/finality/finality_proof.ts';
import { provenTransaction } from '../../src/blocks/finality/proven.ts';
import { checkpointTrust } from '../../src/blocks/finality/trust.ts';
import { neutralEncoding } from '../../src/codec/encoding_options.ts';
import { readJsonText } from '../../src/codec/json_reader.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { verify } from '../../src/crypto/portable/verify.ts';
import { parseCheckpoint } from '../../src/values/checkpoint.ts';
import { EPOCH_BLOCKS } from '../../test/client/verified/certified_chain.ts';
import { TRUSTED, makeWorlds } from '../../test/client/verified/lies.ts';
import { atMostMicros, measure, row, type Row } from '../bench.ts';
import { QUIET_RECOVER_MICROS, recoverMicros } from '../recovery.ts';

const COUNTED = 'proof of a transaction, from its JSON on';
/** The design's bound for a first proof: verifications of the same library, and milliseconds beside them. */
const SIGNATURES = 60;
const BESIDE_MICROS = 20_000;
const NEXT_MICROS = 5000;

const inBrowsers: VerifySignature = (digest, signature, key) =>
  verify(digest, Buffer.from(signature, 'hex'), Buffer.from(key, 'hex'));

/**
 * Measures the work of a client that trusts no node, with the verification of browsers: 51 voters, another epoch's
 * checkpoint.
 */
export function run({ quick }: { quick: boolean }): Row[] {
  const now = Math.trunc(Date.now() / 1000);
  const { honest } = makeWorlds(now);
  const { id } = present(honest.block(honest.newest).transactions[0], 'a transaction');
  const trust = checkpointTrust(
    present(parseCheckpoint(honest.checkpoint(TRUSTED)), 'a checkpoint'),
    honest.chain,
    EPOCH_BLOCKS,
  );
  const text = writeJson(
    transactionProof.toJson(present(honest.transactionProof(id, TRUSTED), 'a proof'), neutralEncoding),
  );
  const prove = (isVerified: boolean): number => {
    let verified = 0;
    const counting: VerifySignature = (...signed) => (verified++, inBrowsers(...signed));
    const checks = { verify: counting, nowSeconds: now, isVerified: () => isVerified };
    provenTransaction(trust, id, transactionProof.fromJson(readJsonText(text), neutralEncoding), checks);
    return verified;
  };
  assert(prove(false) <= SIGNATURES, `at most ${SIGNATURES} signatures are verified`);
  const rounds = quick ? 1 : 10;
  const { certificate, voters } = honest.shown(honest.newest);
  const { signature, voter } = present(certificate.signatures[0], 'a signature');
  const key = present(voters[voter], 'a voter');
  const digest = new Uint8Array(32).fill(7);
  const alone = row(
    'noble, verify one signature',
    'signature',
    measure(100, rounds, () => {
      for (let at = 0; at < 100; at++) inBrowsers(digest, signature, key);
    }),
  );
  const aloneMicros = alone.cpuMicros / alone.work;
  const busy = (recoverMicros() ?? QUIET_RECOVER_MICROS) / QUIET_RECOVER_MICROS;
  return [
    alone,
    row(
      'first proof of a client, in a browser',
      COUNTED,
      measure(1, rounds, () => void prove(false)),
      {
        budget: atMostMicros(SIGNATURES * aloneMicros + BESIDE_MICROS * busy),
        note: `${prove(false)} signatures, ${text.length} bytes of JSON`,
      },
    ),
    row(
      'next proof by the same certificate',
      COUNTED,
      measure(1, rounds, () => void prove(true)),
      {
        budget: atMostMicros(NEXT_MICROS * busy),
      },
    ),
  ];
}
