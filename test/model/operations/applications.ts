import type { Body } from '../body.ts';
import { decodeName } from '../names.ts';
import type { Parameters } from '../parameters.ts';
import type { Application } from '../records.ts';
import { known, require } from '../refusal.ts';
import { pairKey, type State } from '../state.ts';
import type { OperationRules, OperationTable } from './operation.ts';
import { checkApplicationName, checkKnown, checkUrl } from './validation.ts';

const PRICE_PARAMS = 2;

const byAuthor = {
  feeAccount: (body: Body) => body.text('author'),
  fee: 'base',
  authorities: (body: Body) => ({ active: [body.text('author')] }),
  impacts: (body: Body) => [body.text('author')],
} as const;

function checkContent(body: Body, { rules }: Parameters): void {
  checkApplicationName(body.text('name'), rules);
  checkUrl(body.text('url'));
  require(body.text('metadata').isWellFormed(), 'JSON Metadata not formatted in UTF8');
  if (body.has('price_param')) require(body.number('price_param') < PRICE_PARAMS, 'Undefined price param');
}

/** 7.12 */
const applicationCreate: OperationRules = {
  ...byAuthor,
  validate: checkContent,
  apply(body, state) {
    const [name, author] = [decodeName(body.text('name')), body.text('author')];
    checkKnown(state, author);
    require(!state.applications.has(name), 'uniqueness');
    const [url, metadata, priceParam] = [body.text('url'), body.text('metadata'), body.number('price_param')];
    state.applications.set(name, { id: state.nextId('application'), name, author, url, metadata, priceParam });
  },
};

/** 7.12 */
const applicationUpdate: OperationRules = {
  ...byAuthor,
  validate: checkContent,
  apply(body, state) {
    const name = decodeName(body.text('name'));
    const application = known(state.applications.get(name));
    if (body.has('new_author')) checkKnown(state, body.text('new_author'));
    require(application.author === body.text('author'), 'Provided author is not this application author');
    state.applications.set(name, {
      ...application,
      author: body.has('new_author') ? body.text('new_author') : application.author,
      priceParam: body.has('price_param') ? body.number('price_param') : application.priceParam,
      metadata: body.text('metadata') === '' ? application.metadata : body.text('metadata'),
      url: body.text('url') === '' ? application.url : body.text('url'),
    });
  },
};

/** 7.12 */
const applicationDelete: OperationRules = {
  ...byAuthor,
  validate: (body, { rules }) => checkApplicationName(body.text('name'), rules),
  apply(body, state) {
    const name = decodeName(body.text('name'));
    const { id, author } = known(state.applications.get(name));
    require(author === body.text('author'), 'Provided author is not this applcation author');
    for (const [key, { appId }] of [...state.buyings]) if (appId === id) state.buyings.delete(key);
    state.applications.delete(name);
  },
};

function applicationWithId(state: State, id: number): Application {
  return known([...state.applications.values()].find((application) => application.id === id));
}

/** 7.12 */
const buyApplication: OperationRules = {
  feeAccount: (body) => body.text('buyer'),
  fee: 'base',
  authorities: (body) => ({ active: [body.text('buyer')] }),
  isPublicOnly: true,
  apply(body, state) {
    const [buyer, appId] = [body.text('buyer'), body.number('app_id')];
    applicationWithId(state, appId);
    require(!state.buyings.has(pairKey(buyer, appId)), 'This buying already exisit');
    state.buyings.set(pairKey(buyer, appId), { id: state.nextId('buying'), buyer, appId, created: state.headTime });
  },
};

/** 7.12 */
const cancelApplicationBuying: OperationRules = {
  feeAccount: (body) => body.text('app_owner'),
  fee: 'base',
  authorities: (body) => ({ active: [body.text('app_owner')] }),
  isPublicOnly: true,
  apply(body, state) {
    const application = applicationWithId(state, body.number('app_id'));
    const key = pairKey(body.text('buyer'), body.number('app_id'));
    known(state.buyings.get(key));
    require(application.author === body.text('app_owner'), 'Provided app author is not this applcation author');
    state.buyings.delete(key);
  },
};

export const applicationOperations: OperationTable = {
  application_create: applicationCreate,
  application_update: applicationUpdate,
  application_delete: applicationDelete,
  buy_application: buyApplication,
  cancel_application_buying: cancelApplicationBuying,
};
