import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, present } from '../src/base/assert.ts';
import { signWithSecret } from '../src/blocks/sign_transaction.ts';
import { packTransaction, type VerifiedTransaction } from '../src/blocks/transaction.ts';
import type { VerifiedBlock } from '../src/blocks/block.ts';
import { Chain } from '../src/chain/chain.ts';
import type { HeadJournal } from '../src/chain/ledger/head_journal.ts';
import { sha256Binary } from '../src/crypto/hashes.ts';
import { derivePublicKey } from '../src/crypto/keys.ts';
import { DataFolder } from '../src/data_folder/data_folder.ts';
import type { HeadJournalFile } from '../src/data_folder/head_journal.ts';
import { devAccounts, devGenesisText, devPublicKey, devSecret } from '../src/dev_chain/dev_genesis.ts';
import { readParameters, type ChainSettings } from '../src/settings/chain_settings.ts';
import type { VerifierSettings } from '../src/verifiers/verifier_settings.ts';
import type { Operation } from '../src/operations/operation.ts';
import { transfer } from '../src/operations/transfer.ts';
import { witnessSetProperties } from '../src/operations/witness_set_properties.ts';
import type { ChainState } from '../src/state/chain_state.ts';
import { Consequences } from '../src/state/consequences.ts';
import type { ChainParameters } from '../src/state/parameters.ts';
import type { RuleSet } from '../src/state/rules/index.ts';
import { dynamicGlobalProperties } from '../src/state/tables/dynamic_global_property.ts';
import { tables } from '../src/state/tables/index.ts';
import type { KeyValueReader } from '../src/storage/key_value.ts';
import type { RocksDbStore } from '../src/storage/rocksdb.ts';
import { UndoSessions } from '../src/storage/undo_session.ts';
import type { AccountName } from '../src/values/account_name.ts';
import { blockReference } from '../src/values/block_reference.ts';
import { profiles } from '../src/values/profile.ts';
import type { PublicKey } from '../src/values/public_key.ts';

/** The largest block that witnesses can vote for. */
export const LARGEST_BLOCK_BYTES = 50_331_648;
const PROFILE = present(profiles['default'], 'the default profile');
const GENESIS_SECONDS = 1_800_000_000;
const WITNESS = 'initminer';
/** Of accounts that are added to the genesis, in millionths: for fees. */
const OTHERS_BALANCE = 1_000_000;
/** A round of the schedule, in which the vote is counted, and a block. */
const BLOCKS_UNTIL_IN_FORCE = 52;

/** A development chain in a folder of its own, without node, threads or servers. */
export class DevChain {
  readonly chain: Chain;
  readonly parameters: ChainParameters;
  readonly #settings: ChainSettings;
  readonly #store: RocksDbStore;
  readonly #folder: DataFolder;
  readonly #journal: HeadJournalFile;
  #journalMs = 0;

  private constructor(folder: DataFolder, store: RocksDbStore, settings: ChainSettings, durable: boolean) {
    this.#settings = settings;
    this.parameters = readParameters(settings);
    this.#journal = folder.journal((fault) => assert(false, fault.message));
    this.chain = new Chain({ store, parameters: this.parameters, durable, journal: this.#timed(this.#journal) });
    this.#store = store;
    this.#folder = folder;
    folder.begun();
  }

  static async #openFolder(path: string, genesisText: string, durable: boolean): Promise<DevChain> {
    const settings = { profileName: 'default', genesisText, initialSigningKey: undefined };
    const folder = await DataFolder.lock(path, 'bench');
    return new DevChain(folder, await folder.open({ chainId: readParameters(settings).chainId }), settings, durable);
  }

  /**
   * A new chain, always the same one; `durable` waits for the disk at each block, `rules` and further accounts go into
   * its genesis.
   */
  static async open({
    durable = true,
    rules = 'interface',
    accounts = [],
    finality = false,
  }: Partial<NewChain> = {}): Promise<DevChain> {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
    return await DevChain.#openFolder(folder, textOfGenesis({ rules, accounts, finality }), durable);
  }

  /** A new chain in a data folder of `pharos dev`, which can go on with it; whoever asked deletes it. */
  static async openDevChain(dataFolder: string, genesisSeconds: number): Promise<DevChain> {
    const genesisText = devGenesisText(PROFILE, genesisSeconds);
    writeFileSync(join(dataFolder, 'genesis.json'), genesisText);
    return await DevChain.#openFolder(join(dataFolder, 'chain'), genesisText, false);
  }

  /** The milliseconds that blocks waited for the journal of heads. */
  get journalMs(): number {
    return this.#journalMs;
  }

  #timed(journal: HeadJournal): HeadJournal {
    const timed = (run: () => void): void => {
      const startMs = performance.now();
      run();
      this.#journalMs += performance.now() - startMs;
    };
    return {
      note: (head, durable) => timed(() => journal.note(head, durable)),
      rewind: (head) => timed(() => journal.rewind(head)),
    };
  }

  /** A chain over the same rows that has none of them in memory yet. */
  reopened(): Chain {
    return new Chain({ store: this.#store, parameters: this.parameters, durable: false });
  }

  /** The store that readers read. */
  get store(): KeyValueReader {
    return this.#store;
  }

  /**
   * Writes rows past the chain, as if they had always been there: only `reopened` chains see them. The state hash knows
   * nothing of it.
   */
  writeRows<T>(write: (state: ChainState) => T): T {
    const rows = new UndoSessions({
      committed: this.#store,
      register: tables,
      sha256: sha256Binary,
      cachedBytes: 1_000_000,
    });
    const state = {
      rows,
      parameters: this.parameters,
      consequences: new Consequences(),
      isAccepting: false,
      emit: () => {},
      remark: () => {},
    };
    rows.beginBlock();
    const result = write(state);
    this.#store.write(rows.seal({ undo: false }).batch, false);
    rows.markCommitted();
    return result;
  }

  /** Produces the next block, of another chain over the same rows if one is given. */
  seal(chain = this.chain): VerifiedBlock {
    const secret = devSecret(WITNESS);
    const signDigest = (digest: Uint8Array): string => present(signWithSecret(digest, secret), 'a signature');
    return chain.seal({ witness: WITNESS, timestamp: chain.slotTime(1), sign: signDigest });
  }

  /** Transfers among the development accounts, each different, as verifiers hand them over. */
  transfers(count: number, firstAmount = 1): VerifiedTransaction[] {
    const { coinSymbol: symbol, baseFees } = this.parameters;
    const fee = { amount: present(baseFees.get(symbol), 'the base fee'), symbol };
    return Array.from({ length: count }, (_, index) => {
      const from = devAccounts[index % devAccounts.length] ?? '';
      const to =
        devAccounts[
          (index + 1 + (Math.trunc(index / devAccounts.length) % (devAccounts.length - 1))) % devAccounts.length
        ] ?? '';
      return this.verified(
        transfer.of({ fee, from, to, amount: { amount: BigInt(firstAmount + index), symbol }, memo: '' }),
        from,
      );
    });
  }

  /** A transaction that counts as signed by the account: who signed is decided before the chain is asked. */
  verified(operation: Operation, signer: string): VerifiedTransaction {
    return this.signedBy([operation], [cachedKey(signer)]);
  }

  /** The same of several operations, as signed with these keys. */
  signedBy(operations: readonly Operation[], signers: readonly PublicKey[]): VerifiedTransaction {
    const { id, time } = this.chain.head;
    const signatures = signers.map(() => SOME_SIGNATURE);
    const unsigned = { ...blockReference(id), expiration: time + 3000, operations, extensions: [], signatures };
    return { ...packTransaction(unsigned), signers };
  }

  /** Settings that start a verifier of this chain. */
  verifierSettings(): VerifierSettings {
    return { chain: this.#settings, storeHandle: this.#store.handle };
  }

  async close({ keep = false }: { keep?: boolean } = {}): Promise<void> {
    this.chain.sync();
    this.#journal.close();
    await this.#store.close();
    this.#folder.release();
    if (!keep) rmSync(this.#folder.path, { recursive: true });
  }

  /** Produces a round of blocks, behind which the witness's vote on the size of blocks is in force. */
  passFirstRound(): void {
    for (let block = 0; block < BLOCKS_UNTIL_IN_FORCE; block++) this.seal();
  }

  /** Produces a round of blocks, behind which blocks of the largest size are in force. */
  voteForLargeBlocks(): void {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(LARGEST_BLOCK_BYTES);
    const props = [
      ['key', cachedKey(WITNESS)],
      ['maximum_block_size', size.toString('hex')],
    ] as const;
    const fee = { amount: 0n, symbol: this.parameters.coinSymbol };
    this.seal();
    this.chain.accept(this.verified(witnessSetProperties.of({ fee, owner: WITNESS, props, extensions: [] }), WITNESS));
    this.passFirstRound();
    assert(
      this.chain.committed.only(dynamicGlobalProperties).maximum_block_size === LARGEST_BLOCK_BYTES,
      'the vote is in force',
    );
  }
}

interface NewChain {
  readonly durable: boolean;
  readonly rules: RuleSet;
  /** Names of accounts that have the key of the first development account. */
  readonly accounts: readonly AccountName[];
  /** True if votes make blocks final; nobody casts any. */
  readonly finality: boolean;
}

function textOfGenesis({ rules, accounts, finality }: Omit<NewChain, 'durable'>): string {
  const said = devGenesisText(PROFILE, GENESIS_SECONDS);
  const text = finality ? said.replace(/,\s*"finality": false/, '').replace('{', '{"finality": true,') : said;
  if (rules === 'interface' && accounts.length === 0) return text;
  const [first] = devAccounts;
  const others = accounts.map((name) => ({ name, key: devPublicKey(first, PROFILE), balance: OTHERS_BALANCE }));
  // Spelt into the text: what it says otherwise is the development chain's affair.
  const withRules = text.replace(/"rules": "\w+"/, `"rules": "${rules}"`);
  return others.length === 0
    ? withRules
    : withRules.replace('"initial_accounts": [', `$&${others.map((other) => JSON.stringify(other)).join()},`);
}

/** One of the right form: ids do not cover signatures. */
const SOME_SIGNATURE = present(signWithSecret(new Uint8Array(32).fill(7), devSecret(WITNESS)), 'a signature');

const keys = new Map<string, string>();

function cachedKey(name: string): string {
  const key = keys.get(name) ?? Buffer.from(present(derivePublicKey(devSecret(name)), 'a key')).toString('hex');
  keys.set(name, key);
  return key;
}
