/** The reasons why no line checks a sentence. */
type Reason =
  | 'advice to developers, nothing that a node does'
  | 'about the document'
  | 'leads over to what follows, each of which is looked at'
  | 'not shown: nothing to look at'
  | 'a promise about the future';

const ADVICE: Reason = 'advice to developers, nothing that a node does';
const LEADS_OVER: Reason = 'leads over to what follows, each of which is looked at';
const NOT_SHOWN: Reason = 'not shown: nothing to look at';

/** The sentences that no line looks at, by section, with the reason of each. */
export const unchecked: Readonly<Record<string, Readonly<Record<string, Reason>>>> = {
  '': { 'This document covers all nine parts of one interface': 'about the document' },
  'What the service does': {
    'Application developers are directed to a client SDK': ADVICE,
    'Where none exists, they call `alexandria_api` directly': ADVICE,
    'The other groups are a last resort': ADVICE,
    'Applications should not call them': ADVICE,
    'The SDK builds the operation': ADVICE,
    'should also be done locally, not on the node': ADVICE,
  },
  'States and transitions': {
    'The following lifecycle rules are stated': LEADS_OVER,
    'Each holds for the operation named': LEADS_OVER,
    'The names of the states and the complete transition table': NOT_SHOWN,
  },
  Authentication: { 'should be done locally in the SDK': ADVICE },
  Versioning: {
    'The markers `Since: HF11` and `Since: HF14`': NOT_SHOWN,
    'The format of operations does not change': 'a promise about the future',
    'A version label in the URL, a header or the method name': NOT_SHOWN,
  },
};
