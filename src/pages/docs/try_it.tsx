import { errorMessage } from '../../base/error_message.ts';
import { callTexts, operationTexts, requestText, type Value } from './calls.ts';
import { Node } from './node.tsx';
import { prettyText } from './pretty.ts';

/**
 * Runs the forms of a page: reads the fields, keeps the lines below in step with them, calls the node and shows what it
 * answers.
 */
export function startForms(docs: URL): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-try]'))
    new TryIt(form, new Node(new URL('../', docs)));
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The text of a field that is no JSON. */
class NotJson extends Error {
  readonly control: Control;

  constructor(control: Control) {
    super(`${control.name}: JSON expected, such as 1, "text", [] or {}`);
    this.control = control;
  }
}

class TryIt {
  readonly #form: HTMLFormElement;
  readonly #node: Node;
  readonly #name: string;
  readonly #isOperation: boolean;
  #stop: (() => void) | undefined;

  constructor(form: HTMLFormElement, node: Node) {
    this.#form = form;
    this.#node = node;
    this.#name = form.dataset['name'] ?? '';
    this.#isOperation = form.dataset['try'] === 'operation';
    form.hidden = false;
    form.addEventListener('input', () => this.#showTexts());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#act(this.#isOperation ? 'check' : 'call');
    });
    for (const button of form.querySelectorAll<HTMLButtonElement>('button[type=button]'))
      button.addEventListener('click', () => void this.#act(button.dataset['action'] ?? ''));
    this.#showTexts();
    void this.#sayWhere();
  }

  async #act(action: string): Promise<void> {
    this.#stop?.();
    this.#stop = undefined;
    if (action === 'reset') {
      this.#form.reset();
      this.#showTexts();
      return;
    }
    const params = this.#params();
    if (params === undefined) return;
    try {
      await this.#answer(action, params);
    } catch (error) {
      this.#problem(errorMessage(error));
    }
  }

  async #answer(action: string, params: Value): Promise<void> {
    const node = this.#node;
    if (action === 'call' && node.isTold(this.#name)) {
      const heard: string[] = [];
      this.#stop = node.listen(requestText(this.#name, params), (text) => {
        heard.push(pretty(text));
        this.#show(heard.join('\n'), 'and what follows; another call or leaving the page ends it');
      });
      return;
    }
    const from = performance.now();
    const text = await (action === 'call' ? node.post(this.#name, params) : this.#sendOperation(action, params));
    this.#show(pretty(text), `after ${Math.max(1, Math.round(performance.now() - from))} ms`);
  }

  /** Tells what it would do, or does it in anybody's name. */
  async #sendOperation(action: string, body: Value): Promise<string> {
    const op_vec: Value = [[this.#name, body]];
    if (action === 'send') return await this.#node.post('debug_api.send_unsigned', { op_vec });
    const built = await this.#node.post('alexandria_api.create_transaction', { op_vec });
    const tx = parseTransaction(built);
    return tx === undefined ? built : await this.#node.post('alexandria_api.check_transaction', { tx });
  }

  /** Which node is called, and why something can't be. */
  async #sayWhere(): Promise<void> {
    const { url } = this.#node;
    const served = await this.#node.methods();
    const where = this.#form.querySelector('[data-where]');
    const say = (text: string, isPossible: boolean, isWholly = isPossible): void => {
      if (where !== null) where.textContent = text;
      for (const button of this.#form.querySelectorAll<HTMLButtonElement>('button[data-action]'))
        button.disabled =
          button.dataset['action'] === 'send' ? !isWholly : button.dataset['action'] !== 'reset' && !isPossible;
    };
    if (served === undefined)
      return say(
        'No node answers where these pages are. Start one with npm start, and open http://127.0.0.1:9193/docs/ there.',
        false,
      );
    const isDevelopment = served.has('debug_api.send_unsigned');
    const isReading = this.#form.dataset['effect'] === 'reads';
    const chain = isDevelopment ? 'a development chain' : 'the chain';
    if (this.#isOperation) {
      const more = isDevelopment
        ? ' Send puts it on the chain, in the name of whoever has to sign.'
        : ' Sending from here is for development chains.';
      return say(`Check asks the node at ${url} what it would do.${more}`, true, isDevelopment);
    }
    if (this.#name.includes('.') && !served.has(this.#name))
      return say(`The node at ${url} does not serve this method.`, false);
    if (!isReading && !isDevelopment)
      return say(
        'This does more than read, so from here it can be called on development chains only. The lines below do it anywhere.',
        false,
      );
    say(`Calls the node at ${url}, ${chain}.`, true);
  }

  /** The fields as params; undefined, with a word beside the fields, where one is wrong. */
  #params(): Value | undefined {
    try {
      const params = this.#read();
      this.#problem('');
      return params;
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      error.control.setAttribute('aria-invalid', 'true');
      this.#problem(error.message);
      return undefined;
    }
  }

  #read(): Value {
    const members: Record<string, Value> = {};
    for (const control of this.#form.querySelectorAll<Control>('input, textarea, select')) {
      control.removeAttribute('aria-invalid');
      const value = controlValue(control);
      if (value !== undefined) members[control.name] = value;
    }
    // Methods without a group take params by position.
    return this.#isOperation || this.#name.includes('.') ? members : Object.values(members);
  }

  #showTexts(): void {
    const params = this.#params();
    if (params === undefined) return;
    const texts = this.#isOperation
      ? operationTexts(this.#name, params, this.#node.url)
      : callTexts(this.#name, params, this.#node.url);
    for (const [name, text] of Object.entries(texts)) {
      const code = document.querySelector(`[data-codes] [data-code="${name}"] code`);
      if (code !== null) code.textContent = String(text);
    }
  }

  #problem(text: string): void {
    const place = this.#form.querySelector('[data-problem]');
    if (place !== null && place.textContent !== text) place.textContent = text;
  }

  #show(text: string, took: string): void {
    const [answer, result, remark] = ['[data-answer]', '[data-result]', '[data-took]'].map((which) =>
      this.#form.querySelector<HTMLElement>(which),
    );
    if (answer) answer.hidden = false;
    if (result) result.textContent = text;
    if (remark) remark.textContent = took;
  }
}

function controlValue(control: Control): Value | undefined {
  const text = control.value;
  const isRequired = control.dataset['required'] === 'true';
  if (control.dataset['type'] === 'text') return text === '' && !isRequired ? undefined : text;
  if (text.trim() === '') {
    if (!isRequired) return undefined;
    throw new NotJson(control);
  }
  // More digits than a number here holds: the node takes them as text.
  if (/^\s*-?\d{16,}\s*$/.test(text)) return text.trim();
  try {
    return parsed(text);
  } catch {
    throw new NotJson(control);
  }
}

function pretty(text: string): string {
  try {
    return prettyText(parsed(text));
  } catch {
    return text;
  }
}

function parsed(text: string): Value;
function parsed(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return value;
}

/** The transaction in the answer of create_transaction. */
function parseTransaction(text: string): Value | undefined {
  return parseAnswer(text).result?.tx;
}

function parseAnswer(text: string): { readonly result?: { readonly tx?: Value } };
function parseAnswer(text: string): unknown {
  return parsed(text);
}
