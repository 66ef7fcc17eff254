import { Type } from '../../jsonrpc/typebox.ts';
import { method, type Method } from '../method.ts';

/** What the daemon of 2018 answered to `help`: `describe` gives a line for each method that it had. */
export function help(describe: () => readonly string[]): Method {
  return method({
    name: 'help',
    doc: 'The methods that can be called by their bare names, with their params, one a line.',
    params: {},
    result: Type.String(),
    example: { params: [] },
    stability: 'deprecated',
    thread: 'read',
    handler: () => describe().join('\n'),
  });
}
