// npm run docs: builds the pages that a node serves at /docs, from the declarations that the node itself uses, and says
// where they lie. npm run docs -- --record: records their samples anew before.
import { writeFileSync } from 'node:fs';
import { inProject } from './place.js';
import { reportingFailure } from './setup/failure.js';
import { setUp } from './setup.js';

const samples = 'src/pages/docs/samples.json';

await reportingFailure(async () => {
  setUp();
  if (process.argv.includes('--record')) {
    const { recordedText } = await import('../build/test/pages/docs/record_samples.js');
    writeFileSync(inProject(samples), await recordedText());
    setUp();
  }
  console.log('build/pages/docs/index.html');
});
