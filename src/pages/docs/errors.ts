import { remedySentence } from '../../base/recovery.ts';
import type { KnownError } from './catalogue.ts';
import { html, type Html } from './html.ts';

/** What is refused, and why: programs go by the code and the name. */
export function errorTable(errors: readonly KnownError[]): Html {
  return html`<div class="wide" tabindex="0" role="group" aria-label="Refusals">
    <table>
      <thead>
        <tr>
          <th scope="col">name</th>
          <th scope="col">code</th>
          <th scope="col">text</th>
          <th scope="col">what to do</th>
        </tr>
      </thead>
      <tbody>
        ${errors.map(
          ({ name, code, text }) =>
            html`<tr id="error-${name}">
              <th scope="row"><code>${name}</code></th>
              <td>${code}</td>
              <td>${text}</td>
              <td>${remedySentence(name)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
