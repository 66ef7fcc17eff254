import assert from 'node:assert/strict';

// Decodes a request of OTLP in JSON as strictly as its encoding is described: ids as hex, 64-bit numbers as decimal
// texts, enumerations as numbers, members in lower camel case and no others.

const UINT64_MAX = 2n ** 64n - 1n;
const INT64_MAX = 2n ** 63n - 1n;
const MOST_KIND = 5;
const MOST_STATUS = 2;

type Members = Readonly<Record<string, unknown>>;

/** Fails unless this is a request with spans that a collector may take. */
export function checkTracesRequest(json: unknown): void {
  for (const resource of listOf(members(json, ['resourceSpans'])['resourceSpans'])) {
    const { resource: described, scopeSpans } = members(resource, ['resource', 'scopeSpans', 'schemaUrl']);
    checkAttributes(members(described, ['attributes', 'droppedAttributesCount'])['attributes']);
    for (const scope of listOf(scopeSpans)) {
      const { scope: named, spans } = members(scope, ['scope', 'spans', 'schemaUrl']);
      const { name, version } = members(named, ['name', 'version', 'attributes', 'droppedAttributesCount']);
      assert.equal(typeof name, 'string');
      assert.equal(typeof version, 'string');
      for (const span of listOf(spans)) checkSpan(span);
    }
  }
}

function checkSpan(json: unknown): void {
  const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status } = members(
    json,
    [
      ...['traceId', 'spanId', 'parentSpanId', 'traceState', 'flags', 'name', 'kind', 'startTimeUnixNano'],
      ...['endTimeUnixNano', 'attributes', 'droppedAttributesCount', 'events', 'links', 'status'],
    ],
  );
  checkId(traceId, 32);
  checkId(spanId, 16);
  if (parentSpanId !== undefined) checkId(parentSpanId, 16);
  assert.notEqual(parentSpanId, spanId);
  assert.ok(typeof name === 'string' && name !== '');
  assert.ok(Number.isInteger(kind) && Number(kind) >= 0 && Number(kind) <= MOST_KIND, String(kind));
  const [start, end] = [wholeText(startTimeUnixNano), wholeText(endTimeUnixNano)];
  assert.ok(start > 0n && start <= end && end <= UINT64_MAX, `${start} to ${end}`);
  checkAttributes(attributes);
  const { code = 0, message = '' } = members(status, ['code', 'message']);
  assert.ok(Number.isInteger(code) && Number(code) >= 0 && Number(code) <= MOST_STATUS, String(code));
  assert.equal(typeof message, 'string');
}

function checkAttributes(json: unknown): void {
  const keys = listOf(json).map((attribute) => {
    const { key, value } = members(attribute, ['key', 'value']);
    assert.ok(typeof key === 'string' && key !== '');
    const [[kind, given] = assert.fail(`${key} has no value`), ...more] = Object.entries(
      members(value, [
        'stringValue',
        'boolValue',
        'intValue',
        'doubleValue',
        'arrayValue',
        'kvlistValue',
        'bytesValue',
      ]),
    );
    assert.deepEqual(more, [], `${key} has one value`);
    if (kind === 'stringValue') assert.equal(typeof given, 'string', key);
    else if (kind === 'intValue') assert.ok(wholeText(given) <= INT64_MAX, key);
    else if (kind === 'boolValue') assert.equal(typeof given, 'boolean', key);
    else assert.equal(kind, 'doubleValue', key);
    return key;
  });
  assert.equal(new Set(keys).size, keys.length, `each key stands once: ${keys.join()}`);
}

function checkId(id: unknown, digits: number): void {
  assert.ok(typeof id === 'string' && id.length === digits && /^[0-9a-f]+$/i.test(id) && !/^0+$/.test(id), String(id));
}

function wholeText(value: unknown): bigint {
  assert.ok(typeof value === 'string' && /^-?\d{1,20}$/.test(value), `${typeof value} ${String(value)}`);
  return BigInt(value);
}

function listOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : assert.fail(`a list expected, got ${JSON.stringify(json)}`);
}

function members(json: unknown, allowed: readonly string[]): Members {
  assert.ok(typeof json === 'object' && json !== null && !Array.isArray(json), JSON.stringify(json));
  const unknown = Object.keys(json).filter((name) => !allowed.includes(name));
  assert.deepEqual(unknown, [], 'no member that the encoding has not');
  return Object.fromEntries(Object.entries(json));
}
