import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { method, type Method } from '../method.ts';

/** The response of the daemon of 2018 to `help`: `describe` returns a line for each method that it had. */
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
