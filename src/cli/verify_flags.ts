import { Option } from 'commander';

/** Other nodes that a command asks when one shows it other voters. */
export function verifyWithOption(): Option {
  return new Option('--verify-with <url>', 'another node to compare other voters with; repeatable')
    .argParser((url: string, before: readonly string[]) => [...before, url])
    .default([], 'none');
}
