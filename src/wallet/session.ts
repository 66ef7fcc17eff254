import type { Json } from '../codec/json.ts';
import type { Command } from './command.ts';
import { commandNamed } from './described_command.ts';
import { failedAfterSending } from './outcome.ts';
import type { Person } from './person.ts';
import type { Wallet } from './wallet.ts';

/** Runs the commands of a wallet, for the prompt, the command line and RPC. */
export class Session {
  readonly wallet: Wallet;
  readonly commands: readonly Command[];
  /** The current or last command with `inTurn`: the next one waits for it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(wallet: Wallet, commands: readonly Command[]) {
    this.wallet = wallet;
    this.commands = commands;
  }

  /** The command with that name; refuses an unknown one. */
  named(name: string): Command {
    return commandNamed(this.commands, name);
  }

  /**
   * Runs a command for a person, or for a program; those with `inTurn` run one after another: two equal transfers at
   * once would be the same transaction.
   */
  run(command: Command, args: readonly Json[], person?: Person): Promise<Json> {
    const wallet = { ...this.wallet, person };
    if (!command.inTurn) return this.#run(command, args, wallet);
    const mine = this.#last.then(async () => await this.#run(command, args, wallet));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** The person learns what of the node's answers was proven. */
  async #run(command: Command, args: readonly Json[], wallet: Wallet): Promise<Json> {
    const result = await command.run(wallet, args);
    try {
      const report = await wallet.node.proofs?.report();
      if (report !== undefined) wallet.person?.tell(report);
    } catch (error) {
      throw command.sends(args) === true ? failedAfterSending(error, result) : error;
    }
    return result;
  }

  /** Forgets the keys and closes the connection to the node. */
  close(): void {
    this.wallet.keys.close();
    this.wallet.node.close();
  }
}
