// npm run docs: pages about all methods, from the declarations that the node itself uses, in build/docs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from './place.js';
import { reportingFailure } from './setup/failure.js';
import { setUp } from './setup.js';

await reportingFailure(async () => {
  setUp();
  const { methodsOf } = await import('../build/src/rpc/methods.js');
  const { referencePages } = await import('../build/src/rpc/reference.js');
  const { defaultDialect } = await import('../build/src/jsonrpc/dialect.js');
  const { notationOf } = await import('../build/src/rpc/notation_of.js');
  const { profiles } = await import('../build/src/values/profile.js');
  const { PROGRAM_VERSION } = await import('../build/src/node/program_version.js');
  const folder = inProject('build', 'docs');
  mkdirSync(folder, { recursive: true });
  const pages = referencePages(
    methodsOf(profiles.default, { debug: true, network: true, production: true }),
    notationOf(profiles.default, '', defaultDialect),
    PROGRAM_VERSION,
  );
  for (const { file, text } of pages) writeFileSync(join(folder, file), text);
  console.log(`${pages.length} pages in build/docs`);
});
