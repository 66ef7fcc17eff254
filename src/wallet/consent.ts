import { refusals } from '../base/refusal.ts';
import type { Wallet } from './wallet.ts';

const refuse = refusals({
  consent_needed:
    'nothing was signed, because this has to be looked at first: {facts}. At a terminal the wallet asks; elsewhere --yes agrees',
  consent_refused: 'nothing was signed',
});

/** The refusals when nobody agrees. */
export const consentRefusals = refuse.texts;

/**
 * Asks the person before signing about facts for which there is only the node's word. `facts` may have several lines.
 */
export async function requireConsent({ settings, person }: Wallet, facts: string): Promise<void> {
  if (settings.agrees) return person?.tell(facts);
  if (person?.confirm === undefined) {
    // The text of a refusal is cut when it is long.
    person?.tell(facts);
    return refuse.consent_needed({ facts });
  }
  if (!(await person.confirm(`${facts}\nsign that?`))) refuse.consent_refused();
}

/** Shows a warning before something is signed; asks where that is possible. */
export async function warnBeforeSigning({ settings, person }: Wallet, warning: string): Promise<void> {
  if (settings.agrees || person?.confirm === undefined) return person?.tell(warning);
  if (!(await person.confirm(`${warning}\nsign that?`))) refuse.consent_refused();
}

/** Shows what somebody else has made before it is signed; asks where that is possible. */
export async function showBeforeSigning({ settings, person }: Wallet, facts: string): Promise<void> {
  if (settings.agrees || person?.confirm === undefined) return;
  if (!(await person.confirm(`${facts}\nsign that?`))) refuse.consent_refused();
}
