import { setTimeout as pause } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { start, type Running } from './commands.ts';

/** Binds a datagram socket, as systemd does, and prints what comes. Node has none. */
const RECEIVER = `
import socket, sys
at = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
at.bind(sys.argv[1])
while True:
    print(at.recv(4096).decode().replace("\\n", " "), flush=True)
`;

/** Somebody who listens where NOTIFY_SOCKET says. */
export class Datagrams {
  readonly path: string;
  readonly #program: Running;

  private constructor(path: string, program: Running) {
    this.path = path;
    this.#program = program;
  }

  static async at(path: string, folder: string): Promise<Datagrams> {
    const program = start('python3', ['-c', RECEIVER, path], { folder });
    while (!existsSync(path) && !program.exited()) await pause(10);
    return new Datagrams(path, program);
  }

  /** The messages so far; those aside by which a sender learns that the one before has come. */
  get messages(): readonly string[] {
    return this.#program.said.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('BARRIER=1'));
  }

  end(): void {
    this.#program.kill();
  }
}
