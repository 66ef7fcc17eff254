import { remedySentence } from '../base/recovery.ts';
import { Refusal, type RefusalDetails } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';

/** The name of a refusal. In the packages it is one of those that this version knows. */
export type RefusalName = string;

/** The parts of a refusal besides its name and text, as the node tells them. */
interface Told {
  readonly rpcCode?: number | undefined;
  readonly data?: Json | undefined;
  readonly details?: RefusalDetails;
  readonly lineage?: string | undefined;
}

/**
 * The node refuses a call. `code` and `name` are the stable name of the refusal. In the packages the type is one of
 * a union, so that a comparison of the name narrows `data` and `remedy`; `scripts/pack/refusal_types.js` writes it.
 */
export class NodeRefusal extends Refusal {
  override readonly name: string;
  /** The number of JSON-RPC, such as −32003; undefined where the node gave none. */
  readonly rpcCode: number | undefined;
  /** The data of the error as the node sent it; where it sent none, the name alone. */
  readonly data: Json;

  constructor(code: string, message: string, { rpcCode, data = { name: code }, ...told }: Told = {}) {
    super(code, message, told.details, 0, told.lineage);
    this.name = code;
    this.rpcCode = rpcCode;
    this.data = data;
  }

  /** The deed that helps the caller: the sentence that the documents show beside this name. */
  get remedy(): string {
    return remedySentence(this.code);
  }
}

/** A request that is larger than the node takes; `said` may name the limit. */
export function tooLarge(url: string, bytes: number, said: string): NodeRefusal {
  const name = 'request_too_large';
  const limit = /at most (\d+) bytes/.exec(said)?.[1];
  const most =
    limit === undefined ? `than the node at ${url} takes` : `than the ${limit} that the node at ${url} takes`;
  const details = limit === undefined ? { bytes } : { bytes, limit: Number(limit) };
  return new NodeRefusal(name, `the request has ${bytes} bytes, more ${most}; send less at once`, {
    data: { name, ...details },
    details,
  });
}
