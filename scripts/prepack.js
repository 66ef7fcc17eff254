// npm pack and npm publish run this first: what is packed is the program that these sources give, and it says which
// they are.
import { writeNodeTypes } from './pack/client_types.js';
import { reportingFailure } from './setup/failure.js';
import { writeBuildInfo } from './setup/typescript.js';
import { setUp } from './setup.js';
import { writeBillOfMaterials } from './supply.js';

await reportingFailure(async () => {
  setUp();
  writeBuildInfo({ isPackage: true });
  writeBillOfMaterials();
  await writeNodeTypes();
});
