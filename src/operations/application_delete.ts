import { refusals } from '../base/refusal.ts';
import { applicationNameRefusals, requireApplication, requireApplicationName } from '../state/applications.ts';
import { deleteApplication } from '../state/deleted_applications.ts';
import { sentName } from '../values/application_name.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  not_author: {
    text: 'the author of application {application} is {author}, not {given}',
    lineage: 'Provided author is not this applcation author',
  },
});

/** Removes an application and all its purchases, which queries no longer show from then on. */
export const applicationDelete = operation({
  name: 'application_delete',
  doc: 'Removes an application and everything that was bought of it.',
  fields: paidBody({ fee: asset, author: accountName, name: sentName }),
  refuses: { texts: { ...applicationNameRefusals, ...refuse.texts } },
  feeAccount: (body) => body.author,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.author] }),
  impacts: (body) => [body.author],

  validate({ name }, parameters) {
    requireApplicationName(name, parameters);
  },

  apply({ author, name }, state) {
    const application = requireApplication(state.rows, name);
    if (application.author !== author)
      refuse.not_author({ application: application.name, author: application.author, given: author });
    deleteApplication(state, application);
  },
});
