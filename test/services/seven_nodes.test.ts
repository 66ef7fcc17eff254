import { after, test } from 'node:test';
import { bearEverything } from '../outside/seven_nodes.ts';
import { Site } from '../outside/site.ts';
import { isLong } from './commands.ts';
import { Namespaces } from './namespaces.ts';

const NODES = 7;
/** The long form starts anew ten times, and cuts for longer than witnesses keep each other's links. */
const [rounds, partedSeconds] = isLong ? [10, 45] : [1, 15];

for (let round = 1; round <= rounds; round++) {
  test(`seven machines on a bridge lose nothing that was answered, whoever is killed or cut off (round ${round})`, async () => {
    const site = new Site();
    const machines = new Namespaces(NODES);
    after(async () => {
      await site.clear();
      machines.remove();
    });
    await bearEverything(site, { delayMs: 20, bytesPerMs: 1000 * round, lossPercent: 2 }, partedSeconds, machines);
  });
}
