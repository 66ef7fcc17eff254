import { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { readJsonText } from '../../codec/json_reader.ts';
import { connectTo } from '../../client/connect.ts';
import { prettyJson } from '../../wallet/pretty_json.ts';

const EXAMPLES = `
Examples:
  $ pharos call alexandria_api.info
  $ pharos call alexandria_api.get_account '{"account_name":"alice"}'
  $ pharos call block_api.get_block '{"block_num":1}' --url ws://127.0.0.1:9193`;

/** A synchronous broadcast takes as long as its transaction lives. */
const CALL_MS = 3_660_000;

/** `pharos call`: calls a method of a node and prints its result. */
export function callCommand(): Command {
  return new Command('call')
    .description('call a method of a node and print its result as JSON')
    .argument('<method>', 'group.method')
    .argument('[params]', 'JSON object with the members that the method takes', '{}')
    .option('--url <address>', 'http, https, ws or wss address of the node', 'http://127.0.0.1:9193')
    .addHelpText('after', EXAMPLES)
    .action(async (method: string, params: string, { url }: { readonly url: string }) => {
      const connection = connectTo(url, systemClock);
      try {
        process.stdout.write(`${prettyJson(await connection.call(method, readJsonText(params), CALL_MS, false))}\n`);
      } finally {
        connection.close();
      }
    });
}
