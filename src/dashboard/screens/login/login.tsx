// The login of an emulator that checks keys: the key makes a token in the browser, which is kept for this tab alone.

import { useId, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import { ApiError, get, keepToken } from '../../state/api.js';
import { errorText } from '../../state/notices.js';
import { makeToken } from '../../state/sas-token.js';
import type { Store } from '../../state/store.js';
import { useStore } from '../../state/use-store.js';

const DEFAULT_POLICY = 'RootManageSharedAccessKey';

type Key = { readonly policy: string; readonly key: string };

export function LoginScreen() {
  const store = useStore();
  const [given, setGiven] = useState('');
  const [policy, setPolicy] = useState('');
  const [problem, setProblem] = useState<string>();
  return (
    <main class="login">
      <form
        class="panel pad stack"
        onSubmit={(event) => {
          event.preventDefault();
          logIn(readGiven(given, policy.trim() || DEFAULT_POLICY), store).then(setProblem, (error: unknown) =>
            setProblem(errorText(error)),
          );
        }}
      >
        <h1>
          <Icon name="jitney" /> Jitney checks keys
        </h1>
        <p class="t2">
          Paste the connection string of a policy with the right Manage, or its name and key. The key stays in
          this tab, and is gone with it.
        </p>
        <Field
          label="Connection string or key"
          isSecret
          value={given}
          onInput={setGiven}
          hasProblem={problem !== undefined}
        />
        <Field
          label="Policy, if you pasted a key alone"
          placeholder={DEFAULT_POLICY}
          value={policy}
          onInput={setPolicy}
        />
        {problem === undefined ? null : (
          <p class="red" role="alert">
            <Icon name="warning" /> {problem}
          </p>
        )}
        <div class="row">
          <button type="submit" class="pri">
            Open the page
          </button>
        </div>
      </form>
    </main>
  );
}

type FieldProps = {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  /** The text is not shown while it is typed. */
  readonly isSecret?: boolean;
  readonly placeholder?: string;
  readonly hasProblem?: boolean;
};

function Field({ label, value, onInput, isSecret, placeholder, hasProblem = false }: FieldProps) {
  const id = useId();
  const props = {
    id,
    autocomplete: 'off',
    spellcheck: false,
    placeholder: placeholder ?? '',
    value,
    'aria-invalid': hasProblem,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  } as const;
  return (
    <div class="stack">
      <label for={id}>{label}</label>
      {isSecret === true ? <input type="password" {...props} /> : <input type="text" {...props} />}
    </div>
  );
}

/** Keeps the token of the key if it is good, and says what is wrong otherwise. */
async function logIn(read: Key | undefined, store: Store): Promise<string | undefined> {
  if (read === undefined)
    return 'This is neither a connection string nor a key. Paste what Jitney printed when it started.';
  keepToken(await makeToken(location.host, read.policy, read.key));
  try {
    await get('info');
    store.start();
    return undefined;
  } catch (error) {
    keepToken(undefined);
    return loginProblem(error, read.policy);
  }
}

/** Names the policy whose key was wrong. */
function loginProblem(error: unknown, policy: string): string {
  if (!(error instanceof ApiError) || !error.message.startsWith('InvalidSignature')) return errorText(error);
  const hint = policy === DEFAULT_POLICY ? ' With --policy there are others: name yours.' : '';
  return `This key is not right for policy '${policy}', or there is no such policy.${hint}`;
}

/** The policy and key of a connection string, or a key alone, which is that of `policy`. */
function readGiven(text: string, policy: string): Key | undefined {
  const fields = new Map(
    text
      .trim()
      .split(';')
      .map((part): [string, string] => {
        const at = part.indexOf('=');
        return [part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()];
      }),
  );
  const key = fields.get('sharedaccesskey');
  if (key !== undefined && key !== '') return { policy: fields.get('sharedaccesskeyname') ?? policy, key };
  return /^\S+$/.test(text.trim()) ? { policy, key: text.trim() } : undefined;
}
