import { Option } from 'commander';
import { logFormats } from '../base/log.ts';

/** `--log-format` of a command that runs as a service beside the node, as the node's setting of that name. */
export function logFormatOption(): Option {
  return new Option('--log-format <form>', 'form of a log line; auto is text on a terminal and JSON elsewhere')
    .choices(logFormats)
    .default('auto');
}
