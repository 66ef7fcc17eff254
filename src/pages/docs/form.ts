import type { Json } from '../../codec/json.ts';
import { writeJson } from '../../codec/json_writer.ts';
import type { Value } from './calls.ts';
import { jsonMember, type Param } from './catalogue.ts';
import { html, type Content, type Html } from './html.ts';
import { prettyText } from './pretty.ts';

/** Attributes of a form for the script that runs it. */
export interface FormParts {
  /** The method that it calls, or the operation that it builds. */
  readonly name: string;
  readonly kind: 'method' | 'operation';
  /** The effect of the call: one that changes something is for development chains. */
  readonly effect: string;
  readonly fields: readonly Param[];
  readonly values: Json;
  readonly buttons: readonly { readonly action: string; readonly text: string }[];
}

/**
 * Fields for the members of a call, filled with those of the sample. It is hidden until the script is there that runs
 * it.
 */
export function callForm({ name, kind, effect, fields, values, buttons }: FormParts): Html {
  return html`<form class="try" data-try="${kind}" data-name="${name}" data-effect="${effect}" hidden>
    <p class="where" data-where></p>
    ${fields.map((field) => formField(field, jsonMember(values, field.name)))}
    <div class="buttons">
      ${buttons.map(
        ({ action, text }, k) =>
          html`<button type="${k === 0 ? 'submit' : 'button'}" data-action="${action}">${text}</button>`,
      )} <button type="button" class="quiet" data-action="reset">Back to the sample</button>
    </div>
    <p class="problem" data-problem role="alert"></p>
    <div data-answer hidden>
      <h3>Answer <span data-took></span></h3>
      <pre class="code" tabindex="0" role="group" aria-label="Answer" aria-live="polite"><code data-result></code></pre>
    </div>
  </form>`;
}

function formField({ name, isRequired, schema }: Param, value: Json | undefined): Html {
  const id = `field-${name}`;
  const remark = isRequired ? 'required' : 'may be left out';
  return html`<div class="field">
    <label for="${id}"
      ><code>${name}</code> <span class="${isRequired ? 'required' : 'optional'}">${remark}</span></label
    >
    ${control(id, name, isRequired, schema, value)}
  </div>`;
}

function control(id: string, name: string, isRequired: boolean, schema: Json, value: Json | undefined): Content {
  const common = html`id="${id}" name="${name}" data-required="${String(isRequired)}"`;
  const choices = enumChoices(schema);
  if (choices !== undefined) {
    const options = [...(isRequired && value !== undefined ? [] : ['']), ...choices];
    const chosen = value === undefined ? '' : typeof value === 'string' ? value : writeJson(value);
    const type = choices[0] === 'false' ? 'json' : 'text';
    return html`<select ${common} data-type="${type}">
      ${options.map(
        (option) =>
          html`<option value="${option}" ${option === chosen ? html` selected` : ''}>
            ${option === '' ? 'left out' : option}
          </option>`,
      )}
    </select>`;
  }
  if (isText(schema)) {
    const text = value === undefined ? '' : String(value);
    // A text may have any length; a line is enough for most.
    return html`<input ${common} data-type="text" type="text" autocomplete="off" spellcheck="false" value="${text}" />`;
  }
  const json = value === undefined ? '' : pretty(value);
  if (!json.includes('\n') && isNumber(schema))
    return html`<input
      ${common}
      data-type="json"
      type="text"
      inputmode="numeric"
      autocomplete="off"
      value="${json}"
    />`;
  const rows = Math.min(Math.max(json.split('\n').length, 1), 18);
  return html`<textarea ${common} data-type="json" rows="${rows}" spellcheck="false" autocomplete="off">
${json}</textarea>`;
}

function enumChoices(schema: Json): string[] | undefined {
  if (isOfType(schema, 'boolean')) return ['false', 'true'];
  const values = jsonMember(schema, 'enum');
  if (!Array.isArray(values)) return undefined;
  // Truth, and what is chosen by its name: the other forms that are read are no use here.
  return values.includes(true) ? ['false', 'true'] : values.filter((value) => typeof value === 'string');
}

function isText(schema: Json): boolean {
  const reference = jsonMember(schema, '$ref');
  return isOfType(schema, 'string') || reference === '#/components/schemas/GivenAsset';
}

function isNumber(schema: Json): boolean {
  const choices = jsonMember(schema, 'anyOf');
  return (
    isOfType(schema, 'integer') || (Array.isArray(choices) && choices.some((choice) => isOfType(choice, 'integer')))
  );
}

function isOfType(schema: Json, wanted: string): boolean {
  const type = jsonMember(schema, 'type');
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

/** Declared and recorded JSON as readers like it. */
export function pretty(value: Json): string {
  return prettyText(plain(value));
}

/** The same for programs in browsers, which have no 64-bit integers: what is larger than 2^53 is a text in any case. */
export function plain(value: Json): Value;
export function plain(value: Json): unknown {
  const read: unknown = JSON.parse(writeJson(value));
  return read;
}
