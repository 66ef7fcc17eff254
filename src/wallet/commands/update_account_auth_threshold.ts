import { refusals } from '../../base/refusal.ts';
import { u32 } from '../../codec/primitives.ts';
import { accountUpdate } from '../../operations/account_update.ts';
import { makeChange, changeRefusals } from '../change_authority.ts';
import { transactionCommand } from '../command.ts';
import { chainName, wordChoice } from '../params.ts';

const refuse = refusals({
  implicitly_satisfied: {
    text: 'with a threshold of 0 anybody could act for {account}; choose 1 or more',
    lineage: 'Authority is implicitly satisfied',
  },
});

/** Sets the weight that an authority of an account asks for. */
export const updateAccountAuthThresholdCommand = transactionCommand({
  name: 'update_account_auth_threshold',
  doc: 'Sets the weight that an authority of an account asks for. Shows the whole authority and asks before it signs.',
  params: { account_name: chainName, type: wordChoice('owner', 'active'), threshold: u32 },
  example: 'update_account_auth_threshold carol active 2 true',
  refuses: { ...refuse.texts, ...changeRefusals },
  makes: accountUpdate,
  operation: async ({ account_name, type, threshold }, making) => {
    if (threshold === 0) refuse.implicitly_satisfied({ account: account_name });
    return await makeChange(making, account_name, type, (before) => ({ ...before, weight_threshold: threshold }));
  },
});
