import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { present } from '../../src/base/assert.ts';
import { signTransaction } from '../../src/blocks/sign_transaction.ts';
import { signatureRules } from '../../src/blocks/signature_form.ts';
import { packTransaction, type VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { fetchHead } from '../../src/load_test/chain_facts.ts';
import { freePort } from '../../test/outside/free_port.ts';
import { row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';
import { DevNode } from '../dev_node.ts';

/**
 * Long enough for the price of a block to be that of one of many: compilers and the last round, which goes block by
 * block, cost as much as thousands.
 */
const [EMPTY_BLOCKS, FULL_BLOCKS, TRANSFERS] = [150_000, 300, 1500];
const LOOK_EACH_MS = 50;

/**
 * A fresh node that fetches a chain from another one by ranges: links, proofs, application and disk of the one that
 * syncs.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const empty = await sync((dev) => {
    for (let block = 0; block < (quick ? 300 : EMPTY_BLOCKS); block++) dev.seal();
  });

  const [blocks, transfers] = quick ? [2, 100] : [FULL_BLOCKS, TRANSFERS];
  const full = await sync((dev) => {
    for (let block = 0; block < blocks; block++) {
      for (const transaction of dev.transfers(transfers, block * transfers + 1))
        dev.chain.accept(signed(dev, transaction));
      dev.seal();
    }
  });
  const note = 'from one peer, with every check, the disk waited for';
  return [
    row('sync of empty blocks', 'block fetched by ranges and applied', empty, {
      budget: { perCpuSecond: 40_000 },
      note,
    }),
    row(
      'sync of transfers',
      'transfer fetched by ranges and applied',
      { ...full, work: full.work * transfers },
      {
        budget: { perCpuSecond: 60_000 },
        note: `blocks of ${transfers}`,
      },
    ),
  ];
}

/** Made for the chain of the bench as by a wallet: what syncs looks at each signature. */
function signed({ parameters }: DevChain, { transaction, signers }: VerifiedTransaction): VerifiedTransaction {
  const [operation] = transaction.operations;
  const [name = ''] = operation?.authorities().active ?? [];
  const made = signTransaction(
    parameters.chainId,
    { ...transaction, signatures: [] },
    [devSecret(name)],
    signatureRules.one,
  );
  return { ...packTransaction(present(made, 'a signature')), signers };
}

/** Measures a new node that fetches the blocks of a chain. */
async function sync(fill: (dev: DevChain) => void): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-sync-'));
  try {
    const dev = await DevChain.openDevChain(folder, Math.trunc(Date.now() / 1000));
    fill(dev);
    const { number } = dev.chain.head;
    await dev.close({ keep: true });
    const port = await freePort();
    const maker = await DevNode.start({ dataFolder: folder, settings: ['--p2p-endpoint', `127.0.0.1:${port}`] });
    const newcomer = await DevNode.start({ settings: ['--join', `127.0.0.1:${port}`] });
    // The first third is for the compiler.
    const first = await reached(newcomer, Math.trunc(number / 3));
    const before = newcomer.cpuMicros();
    await reached(newcomer, number);
    const measured = { work: number - first, cpuMicros: newcomer.cpuMicros() - before };
    await newcomer.stop();
    await maker.stop();
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function reached({ client }: DevNode, number: number): Promise<number> {
  for (;;) {
    const head = await fetchHead(client);
    if (head.number >= number) return head.number;
    await sleep(LOOK_EACH_MS);
  }
}
