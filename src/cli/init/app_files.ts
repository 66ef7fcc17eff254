/** Versions that the project is tested with. */
const TYPESCRIPT = '7.0.2';
const NODE_TYPES = '20.19.24';

/** The files of a project by their paths, all but the packages. */
export function appFiles(name: string, version: string): Readonly<Record<string, string>> {
  return {
    'package.json': packageText(name, version),
    'tsconfig.json': asJson({
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: 'es2023',
        lib: ['es2023', 'esnext.disposable'],
        module: 'nodenext',
        types: ['node'],
        allowImportingTsExtensions: true,
        erasableSyntaxOnly: true,
        verbatimModuleSyntax: true,
      },
      include: ['src', 'test'],
    }),
    '.gitignore': 'node_modules/\n',
    'README.md': README,
    'src/payments.ts': PAYMENTS,
    'src/settings.ts': SETTINGS,
    'src/pay.ts': PAY,
    'src/follow.ts': FOLLOW,
    'test/payments.test.ts': TEST,
  };
}

function packageText(name: string, version: string): string {
  return asJson({
    // Names of packages have small letters.
    name: name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-'),
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: {
      start: 'node src/pay.ts',
      follow: 'node src/follow.ts',
      test: 'node --test',
      check: 'tsc',
    },
    dependencies: { 'pharos-client': `file:packages/pharos-client-${version}.tgz` },
    devDependencies: {
      '@types/node': NODE_TYPES,
      pharos: `file:packages/pharos-${version}.tgz`,
      typescript: TYPESCRIPT,
    },
  });
}

function asJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

const README = `# Payments

\`\`\`sh
npm install
npm test
npx pharos dev
\`\`\`

The last command runs a chain on this machine. In a second terminal:

\`\`\`sh
npm start
npm run follow
\`\`\`

\`src/settings.ts\` says which node and which account. The guides for developers are at http://127.0.0.1:9193/docs.
\`packages/\` holds the client and the node: install newer ones from there.
`;

const SETTINGS = `/** The node that is asked, and the account that pays. Never write a key of a real account into a file. */
export const nodeUrl = process.env['NODE_URL'] ?? 'ws://127.0.0.1:9193';

// The key of alice on every development chain is for play: everybody can compute it.
export const payer = {
  name: process.env['PAYER'] ?? 'alice',
  key: process.env['PAYER_KEY'] ?? '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK',
};
`;

const PAYMENTS = `import { coin, type Client } from 'pharos-client';

export interface Payer {
  readonly name: string;
  readonly key: string;
}

/** Pays, and returns the number of the block once nothing can undo it. */
export async function pay(node: Client, payer: Payer, to: string, coins: string, memo = ''): Promise<number> {
  const transfer = { from: payer.name, to, amount: coin(coins), memo };
  const { block_num: block } = await node.send([['transfer', transfer]], [payer.key], 300, { waitFor: 'final' });
  return block;
}
`;

const PAY = `import { connect, NodeRefusal } from 'pharos-client';
import { pay } from './payments.ts';
import { nodeUrl, payer } from './settings.ts';

const node = await connect(nodeUrl);
try {
  console.log(\`final in block \${await pay(node, payer, 'bob', '1.5', 'for lunch')}\`);
} catch (error) {
  if (!(error instanceof NodeRefusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  node.close();
}
`;

const FOLLOW = `import { connect } from 'pharos-client';
import { nodeUrl } from './settings.ts';

// Final payments to bob from now on. Keep the last position, and pass it as \`from\` to go on where you stopped.
const node = await connect(nodeUrl);
for await (const { operation, position } of node.operations({ account: 'bob', kinds: ['transfer'] })) {
  if (operation.op[0] !== 'transfer') continue;
  const { from, amount, memo } = operation.op[1];
  console.log(from, amount, memo, position);
}
`;

const TEST = `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect, type Client } from 'pharos-client';
import { devChain, type DevChain } from 'pharos/dev';
import { pay } from '../src/payments.ts';

let chain: DevChain;
let node: Client;
before(async () => {
  // A block of this chain is final with the next one, so blocks are made without transactions, too.
  chain = await devChain({ mining: 'interval', blockIntervalMs: 100 });
  node = await connect(chain.url);
});
after(async () => {
  node.close();
  await chain.stop();
});

const alice = () => chain.accounts['alice'] ?? assert.fail('alice is there');

test('a payment arrives', () =>
  chain.isolated(async () => {
    assert.ok((await pay(node, alice(), 'bob', '1.5')) > 0);
    assert.equal(await chain.balance('bob'), '10000001.500000 COIN');
  }));

test('a payment of more than there is is refused, and nothing is paid', () =>
  chain.isolated(async () => {
    await assert.rejects(pay(node, alice(), 'bob', '99999999'), { name: 'insufficient_funds' });
    assert.equal(await chain.balance('bob'), '10000000.000000 COIN');
  }));
`;
