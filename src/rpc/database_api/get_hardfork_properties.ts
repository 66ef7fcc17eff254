import { speaksLineage } from '../../codec/encoding_options.ts';
import { hardforkVotesRecord, makeHardforkVotesRecord } from '../../queries/records/hardfork_property.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Lists applied hardforks with their times, and the next one that the witnesses have agreed on. */
export const getHardforkProperties = method({
  name: 'database_api.get_hardfork_properties',
  doc: 'Which hardforks were applied when, and which one the witnesses agreed on next: the current one while none is pending. `scheduled` has each witness of the round with the version that it runs and the one that it votes for. `votes` has each version above the current one that somebody votes for; `required_votes` of them for the same version and time activate it at that time. `planned` has the hardforks that a development chain applies with a block, without votes (`pharos dev --hardfork`). `supported_version` is the newest version that the program of this node knows. `warnings` say what its operator has to look at: `unknown_hardfork`, `unknown_version`, `moved_hardfork`, `too_few_witnesses`, `threshold_above_round`, `threshold_below_quorum`.',
  params: {},
  result: coded(hardforkVotesRecord),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { rows, parameters, encoding }) => makeHardforkVotesRecord(rows, parameters, !speaksLineage(encoding)),
});
