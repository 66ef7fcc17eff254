import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { refusals } from '../../base/refusal.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { method, type Method } from '../method.ts';

const refuse = refusals({
  no_help: { text: 'there is no method {method}; help lists all', lineage: 'No help available for method {method}' },
});

/** The response of the daemon of 2018 to `gethelp`: `describe` returns undefined for a method that does not exist. */
export function gethelp(describe: (method: string, parameters: ChainParameters) => string | undefined): Method {
  return method({
    name: 'gethelp',
    doc: 'What one of these methods takes and does.',
    params: { method: Type.String({ maxLength: 256 }) },
    result: Type.String(),
    example: { params: ['transfer'] },
    stability: 'deprecated',
    refuses: refuse.texts,
    thread: 'read',
    handler: ({ method: name }, { parameters }) => describe(name, parameters) ?? refuse.no_help({ method: name }),
  });
}
