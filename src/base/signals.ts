/** The answer of a program to a signal. */
export interface SignalAnswer {
  readonly programs: string;
  readonly signals: readonly string[];
  readonly answer: string;
  /** The file of `src/` that handles the signals; absent where the system or Node does. */
  readonly file?: string;
}

/** The signals that operators send, and the answer of each program. */
export const signalAnswers: readonly SignalAnswer[] = [
  {
    programs: '`pharos run`, `pharos dev`',
    signals: ['SIGTERM', 'SIGINT'],
    answer:
      'The node finishes the block in the making, closes the database and exits with code 0. A second signal, more than a second later, ends it at once with code 1.',
    file: 'node/serve.ts',
  },
  {
    programs: '`pharos signer`',
    signals: ['SIGTERM', 'SIGINT'],
    answer: 'The signer closes its socket and exits with code 0. The journals are on the disk at any time.',
    file: 'cli/signer.ts',
  },
  {
    programs: '`pharos index`',
    signals: ['SIGTERM', 'SIGINT'],
    answer: 'The index ends its batch, or gives it up, and exits with code 0. A restart resumes there.',
    file: 'cli/index_chain.ts',
  },
  {
    programs: '`pharos load`',
    signals: ['SIGTERM', 'SIGINT'],
    answer:
      'The load test sends nothing more, looks up what it has sent and writes the report. Before the first transaction it exits with code 130.',
    file: 'load_test/run_traffic.ts',
  },
  {
    programs: '`pharos wallet --daemon`',
    signals: ['SIGTERM', 'SIGINT'],
    answer: 'The wallet closes its port and exits with code 0.',
    file: 'cli/wallet.ts',
  },
  {
    programs: '`pharos wallet`',
    signals: ['SIGINT'],
    answer: 'The prompt drops the line. A command that waits for the chain is given up; what it has sent stays sent.',
    file: 'wallet/prompt.ts',
  },
  {
    programs: 'a question for a password',
    signals: ['SIGINT'],
    answer: 'The question ends without an answer, and the command with it.',
    file: 'wallet/hidden_input.ts',
  },
  {
    programs: 'all programs',
    signals: ['SIGKILL'],
    answer:
      'The system ends the program. Blocks that were announced are on the disk, and the next start resumes; see the guide about crashes.',
  },
  {
    programs: 'all programs',
    signals: ['SIGHUP'],
    answer:
      'The system ends the program, as SIGKILL does. Settings are read at the start only: restart to change them.',
  },
  {
    programs: 'all programs',
    signals: ['SIGUSR1'],
    answer:
      'Node opens its debugger on 127.0.0.1:9229 for programs of the machine. Do not send it: any program that reaches that port can read keys.',
  },
];
