import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { schemaFingerprint } from '../../src/sinks/event_schema.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** Avro's Parsing Canonical Form, as its specification says; names have no namespace here. */
function canonical(schema: unknown): string {
  if (typeof schema === 'string') return JSON.stringify(schema);
  if (Array.isArray(schema)) return `[${schema.map(canonical).join(',')}]`;
  const members: Readonly<Record<string, unknown>> = Object(schema);
  const shown = ['name', 'type', 'fields', 'symbols', 'items', 'values', 'size'].filter((key) => key in members);
  return `{${shown.map((key) => `"${key}":${canonical(members[key])}`).join(',')}}`;
}

test('the fingerprint in the headers of a stream is that of scripts/operate/events.avsc, by the rules of Avro alone', () => {
  const schema: unknown = JSON.parse(readFileSync(join(project, 'scripts/operate/events.avsc'), 'utf8'));
  assert.equal(createHash('sha256').update(canonical(schema)).digest('hex'), schemaFingerprint);
});
