import { present } from '../src/base/assert.ts';
import { writeJson } from '../src/codec/json_writer.ts';
import type { EncodingOptions } from '../src/codec/encoding_options.ts';
import { signTransaction } from '../src/blocks/sign_transaction.ts';
import { signedTransaction } from '../src/blocks/transaction.ts';
import { profileNamed } from '../src/settings/chain_settings.ts';
import { devSecret } from '../src/dev_chain/dev_genesis.ts';
import type { ChainFacts } from '../src/load_test/chain_facts.ts';
import { customJson } from '../src/operations/custom_json.ts';
import { blockReference } from '../src/values/block_reference.ts';

const SENDER = 'alice';
const LIFETIME_SECONDS = 3000;
const profile = profileNamed('default');
const encoding: EncodingOptions = { ...profile, dialect: 'default', operationForm: 'pair' };

/**
 * A batch of broadcasts that wait for their block: one document of alice to bob in each of the applications 1, 2, …
 * `applications`.
 */
export function documentsBody({ chainId, head, fee }: ChainFacts, applications: number, text: string): string {
  const calls = Array.from({ length: applications }, (_, id) => {
    const body = {
      fee: { amount: fee, symbol: profile.coinSymbol },
      sender: SENDER,
      recipients: ['bob'],
      app_id: BigInt(id + 1),
      json: JSON.stringify({ text }),
    };
    const unsigned = {
      ...blockReference(head.id),
      expiration: head.time + LIFETIME_SECONDS,
      operations: [customJson.of(body)],
      extensions: [],
      signatures: [],
    };
    const signed = present(signTransaction(chainId, unsigned, [devSecret(SENDER)]), 'a signature');
    const trx = writeJson(signedTransaction.toJson(signed, encoding));
    return `{"jsonrpc":"2.0","id":${id},"method":"network_broadcast_api.broadcast_transaction_synchronous","params":{"trx":${trx}}}`;
  });
  return `[${calls.join(',')}]`;
}
