// The login of an emulator that checks keys: the key makes a token in the browser, which is kept for this tab alone.

import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import { ApiError, get, keepToken } from '../../state/api.js';
import { makeToken } from '../../state/sas-token.js';
import { useStore } from '../../state/use-store.js';

const DEFAULT_POLICY = 'RootManageSharedAccessKey';

export function LoginScreen() {
  const store = useStore();
  const [given, setGiven] = useState('');
  const [problem, setProblem] = useState<string>();
  const logIn = async () => {
    const read = readGiven(given);
    if (read === undefined) {
      setProblem('This is neither a connection string nor a key. Paste what Jitney printed when it started.');
      return;
    }
    keepToken(await makeToken(location.host, read.policy, read.key));
    try {
      await get('info');
      store.start();
    } catch (error) {
      keepToken(undefined);
      setProblem(error instanceof ApiError ? error.message : String(error));
    }
  };
  return (
    <main class="login">
      <form
        class="panel pad stack"
        onSubmit={(event) => {
          event.preventDefault();
          logIn().catch((error: unknown) => setProblem(String(error)));
        }}
      >
        <h1>
          <Icon name="jitney" /> Jitney checks keys
        </h1>
        <p class="t2">
          Paste a connection string, or the key of the policy {DEFAULT_POLICY}. The policy needs the right
          Manage. The key stays in this tab, and is gone with it.
        </p>
        <label class="stack">
          Connection string or key
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={given}
            aria-invalid={problem !== undefined}
            onInput={(event) => setGiven(event.currentTarget.value)}
          />
        </label>
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

/** The policy and key of a connection string, or a key alone. */
function readGiven(text: string): { readonly policy: string; readonly key: string } | undefined {
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
  if (key !== undefined && key !== '')
    return { policy: fields.get('sharedaccesskeyname') ?? DEFAULT_POLICY, key };
  return /^\S+$/.test(text.trim()) ? { policy: DEFAULT_POLICY, key: text.trim() } : undefined;
}
