import { ByteWriter } from '../../src/codec/bytes.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import type { PackedBlock, VerifiedBlock } from '../../src/blocks/block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { operationCodec } from '../../src/operations/index.ts';
import { versionText } from '../../src/values/version.ts';
import type { ModelBlock } from './block.ts';
import { Body } from './body.ts';
import type { BlockHeader } from './global_data.ts';
import type { ModelOperation, ModelTransaction } from './transaction.ts';

type Operation = VerifiedTransaction['transaction']['operations'][number];

/** Translates a transaction or block for the model: bodies are JSON under the names of the lineage. */
export class Adapter {
  readonly encoding: EncodingOptions;

  constructor(encoding: EncodingOptions) {
    this.encoding = { ...encoding, dialect: 'legacy', operationForm: 'pair' };
  }

  transaction({ id, packed, transaction, signers }: VerifiedTransaction): ModelTransaction {
    return {
      id,
      packedBytes: packed.length,
      refBlockNumber: transaction.ref_block_num,
      refBlockPrefix: transaction.ref_block_prefix,
      expiration: transaction.expiration,
      operations: transaction.operations.map((operation) => this.#operation(operation)),
      signers,
    };
  }

  #operation(operation: Operation): ModelOperation {
    const out = new ByteWriter(1024);
    operationCodec.write(out, operation);
    return {
      kind: operation.kind.name,
      body: new Body(operation.bodyToJson(this.encoding), this.encoding.keyPrefix),
      packedBytes: out.length,
    };
  }

  header({ number, id, header }: PackedBlock): BlockHeader {
    const { timestamp, witness, extensions } = header;
    const ran = extensions.find(({ index }) => index === 1);
    const voted = extensions.find(({ index }) => index === 2);
    return {
      number,
      id,
      timestamp,
      witness,
      ...(ran?.index === 1 ? { version: versionText(ran.version) } : {}),
      ...(voted?.index === 2 ? { hardforkVote: { version: versionText(voted.hf_version), time: voted.hf_time } } : {}),
    };
  }

  block(block: VerifiedBlock): ModelBlock {
    return {
      header: this.header(block),
      transactions: block.transactions.map((transaction) => this.transaction(transaction)),
    };
  }
}
