/** A transfer for use in documents; it refers to no block and has expired, so it can't be applied by accident. */
export const sampleOperation = [
  'transfer',
  { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: 'hello' },
];

export const sampleTransaction = {
  ref_block_num: 0,
  ref_block_prefix: 0,
  expiration: '2026-01-01T00:00:30',
  operations: [sampleOperation],
  extensions: [],
  signatures: [
    '20716e1eb0a09022413d2289799acfe2fef75ebe71ac1cc9718ca61cd0c4bb16cb6f24907339d66117e9426b1a16eba7f6b44f00c470c885e017a7214a794b4ad2',
  ],
};

/** The private key of the secret sha256("alice"), which is publicly known: for test chains. */
export const samplePrivateKey = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';

/** Its id. */
export const sampleTransactionId = 'dd8e051b028e31f46d9095b6d7bfd18272376ad1';

/** A block for use in documents. */
export const sampleBlock = {
  previous: '0000000000000000000000000000000000000000',
  timestamp: '2026-01-01T00:00:03',
  witness: 'initminer',
  transaction_merkle_root: '0000000000000000000000000000000000000000',
  extensions: [],
  witness_signature:
    '1f680ec3c99c8b44d313a2fe2e5f5ee199e8181bec3be04d99c20df313d352160724c04ac3e7e2634ad12b1df4265ef9f897d6455cb0f1dff04ed62ee3587e8c96',
  transactions: [],
};
