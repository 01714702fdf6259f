// The login of an emulator that checks keys: the key makes a token in the browser, which is kept for this tab alone.

import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import { ApiError, get, keepToken } from '../../state/api.js';
import { errorText } from '../../state/notices.js';
import { makeToken } from '../../state/sas-token.js';
import { useStore } from '../../state/use-store.js';

const DEFAULT_POLICY = 'RootManageSharedAccessKey';

export function LoginScreen() {
  const store = useStore();
  const [given, setGiven] = useState('');
  const [policy, setPolicy] = useState('');
  const [problem, setProblem] = useState<string>();
  const logIn = async () => {
    const read = readGiven(given, policy.trim() || DEFAULT_POLICY);
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
      setProblem(loginProblem(error, read.policy));
    }
  };
  return (
    <main class="login">
      <form
        class="panel pad stack"
        onSubmit={(event) => {
          event.preventDefault();
          logIn().catch((error: unknown) => setProblem(errorText(error)));
        }}
      >
        <h1>
          <Icon name="jitney" /> Jitney checks keys
        </h1>
        <p class="t2">
          Paste the connection string of a policy with the right Manage, or its name and key. The key stays in
          this tab, and is gone with it.
        </p>
        <label class="stack">
          Connection string or key
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={given}
            aria-invalid={problem !== undefined}
            aria-describedby="login-problem"
            onInput={(event) => setGiven(event.currentTarget.value)}
          />
        </label>
        <label class="stack">
          Policy, if you pasted a key alone
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder={DEFAULT_POLICY}
            value={policy}
            onInput={(event) => setPolicy(event.currentTarget.value)}
          />
        </label>
        {problem === undefined ? null : (
          <p id="login-problem" class="red" role="alert">
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

/** Names the policy whose key was wrong. */
function loginProblem(error: unknown, policy: string): string {
  if (!(error instanceof ApiError) || !error.message.startsWith('InvalidSignature')) return errorText(error);
  const hint = policy === DEFAULT_POLICY ? ' With --policy there are others: name yours.' : '';
  return `This key is not right for policy '${policy}', or there is no such policy.${hint}`;
}

/** The policy and key of a connection string, or a key alone, which is that of `policy`. */
function readGiven(
  text: string,
  policy: string,
): { readonly policy: string; readonly key: string } | undefined {
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
