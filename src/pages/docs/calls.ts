// Writes a call for curl and for other programs. Pages show it at set-up, and again in the browser whenever a field of a
// form changes.

/** A JSON value. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [member: string]: Value };

/** The same call by other means; the client has none for what only old clients or some chains have. */
export interface CallTexts {
  readonly curl: string;
  readonly client: string | undefined;
  readonly cli: string;
}

/** A development chain answers here. */
export const USUAL_URL = 'http://127.0.0.1:9193';

/** A call of a method. Params are an object, or a list for methods without a group. */
export function callTexts(method: string, params: Value, url = USUAL_URL): CallTexts {
  return {
    curl: curlText(method, params, url),
    client: clientText(method, params, url),
    cli: cliText(method, params, url),
  };
}

/** Returns the request as text. */
export function requestText(method: string, params: Value): string {
  return JSON.stringify(makeRequest(method, params));
}

/** A request. Old clients, for whom methods without a group are, send no version. */
export function makeRequest(method: string, params: Value): Value {
  return method.includes('.') ? { jsonrpc: '2.0', id: 1, method, params } : { id: 1, method, params };
}

function curlText(method: string, params: Value, url: string): string {
  return `curl -s ${word(url)} -d ${quoted(requestText(method, params))}`;
}

function cliText(method: string, params: Value, url: string): string {
  const isNone = typeof params === 'object' && params !== null && Object.keys(params).length === 0;
  const given = isNone ? '' : ` ${quoted(JSON.stringify(params))}`;
  return `pharos call ${method}${given}${url === USUAL_URL ? '' : ` --url ${word(url)}`}`;
}

/** A text for a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function word(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : quoted(text);
}

/** Methods about methods, and methods that depend on the kind of chain, which a client doesn't know beforehand. */
const unknownToClient = /^(?:jsonrpc\.|rpc\.|alexandria_api\.fiat_to_coin$)/;

function clientText(method: string, params: Value, url: string): string | undefined {
  if (!method.includes('.') || unknownToClient.test(method)) return undefined;
  const followed = following[method]?.(valueMembers(params));
  const call =
    followed ??
    `const result = await node.call(${literal(method)}, ${literal(params)});\nconsole.log(result);\nnode.close();`;
  return `import { connect } from 'pharos-client';\n\nconst node = await connect(${literal(socketUrl(url))});\n${call}\n`;
}

/** Calls that subscribe: the client keeps the subscription across lost connections. */
const following: Readonly<Record<string, (params: Members) => string>> = {
  'subscribe_api.subscribe_blocks': (params) =>
    `await node.followBlocks(${optionsText(params)}, {\n  block: (block, position) => console.log(block, position),\n  undone: (block) => console.log('undone above', block),\n});`,
  'subscribe_api.subscribe_operations': (params) =>
    `await node.followOperations(${optionsText(params)}, {\n  operation: (operation, position) => console.log(operation, position),\n  undone: (block) => console.log('undone above', block),\n});`,
  'subscribe_api.subscribe_balances': ({ account_name = '', ...params }) =>
    `await node.followBalances(${literal(account_name)}, ${optionsText(params)}, {\n  balance: (balance, position) => console.log(balance, position),\n});`,
  'subscribe_api.custom_object_subscription': documents,
  'alexandria_api.custom_object_subscription': documents,
};

function documents({ app_id = 1, start, account_name = '', search_type = '' }: Members): string {
  const first = start === undefined ? '' : `, start: ${JSON.stringify(start).replaceAll('"', '')}n`;
  const which = `app_id: ${JSON.stringify(app_id).replaceAll('"', '')}n, account_name: ${literal(account_name)}, search_type: ${literal(search_type)}${first}`;
  return `await node.follow({ ${which} }, {\n  document: (number, document) => console.log(number, document),\n});`;
}

/** An operation by other means: sent by the client, and on a development chain by anybody. */
export function operationTexts(name: string, body: Value, url = USUAL_URL): CallTexts & { readonly wallet: string } {
  // The client offers the fee that the node names.
  const given = Object.fromEntries(Object.entries(valueMembers(body)).filter(([member]) => member !== 'fee'));
  const operation: Value = [name, body];
  const unsigned = callTexts('debug_api.send_unsigned', { op_vec: [operation] }, url);
  const sent = `const { block_num, id } = await node.send([${literal([name, given])}], [key]);`;
  return {
    ...unsigned,
    client: `import { connect } from 'pharos-client';

const key = ''; // the private key of whoever has to sign
const node = await connect(${literal(socketUrl(url))});
${sent}
console.log(\`in block \${block_num}: \${id}\`);
node.close();
`,
    wallet: `pharos wallet --out tx.json build_transaction ${quoted(JSON.stringify([operation]))}
pharos wallet sign_transaction @tx.json true`,
  };
}

type Members = { readonly [member: string]: Value };

function valueMembers(value: Value): Members {
  return isMembers(value) ? value : {};
}

function isMembers(value: Value): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The client chooses its own numbers, and writes names as TypeScript does. */
function optionsText(members: Members): string {
  const options = Object.entries(members).filter(([name]) => name !== 'return_id');
  return literal(
    Object.fromEntries(options.map(([name, value]) => [name.replace('start_block', 'startBlock'), value])),
  );
}

function socketUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}

/** A value as TypeScript: names without quotes, texts in single ones. */
function literal(value: Value, indent = ''): string {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isMembers(value)
    ? Object.entries(value).map(
        ([name, member]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name)}: ${literal(member, deeper)}`,
      )
    : value.map((item: Value) => literal(item, deeper));
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  const short = isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
  if (indent.length + short.length <= LINE && !short.includes('\n')) return short;
  return `${open}\n${parts.map((part) => `${deeper}${part},\n`).join('')}${indent}${close}`;
}

/** Longer values go over several lines. */
const LINE = 90;

function textLiteral(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`);
  return `'${inner}'`;
}
