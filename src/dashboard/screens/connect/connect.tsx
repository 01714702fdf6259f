// How to connect: strings and snippets for the SDKs, Functions, Dapr and Compose, and trust for TLS.

import { useState } from 'preact/hooks';
import { CopyButton } from '../../parts/copy-button.js';
import { Choice, Panel } from '../../parts/panel.js';
import { type Language, SNIPPETS } from '../../state/snippets.js';
import { useStore } from '../../state/use-store.js';
import { ConnectionString, connectionString, MaskNote, useCopyKey } from '../overview/connection-string.js';

const LANGUAGES = [
  ['javascript', 'JavaScript'],
  ['csharp', 'C#'],
  ['java', 'Java'],
  ['python', 'Python'],
  ['go', 'Go'],
  ['jms', 'JMS'],
  ['functions', 'Functions'],
  ['dapr', 'Dapr'],
  ['compose', 'Compose'],
] as const satisfies readonly (readonly [Language, string])[];

export function ConnectScreen() {
  const { info, listed } = useStore();
  useCopyKey();
  const [language, setLanguage] = useState<Language>('javascript');
  const text = connectionString(info.value, 'host');
  if (text === undefined) return <section aria-label="Connect" />;
  const queue = listed.value.find(({ kind }) => kind === 'queue')?.path ?? 'orders';
  const snippet = SNIPPETS[language]({ connectionString: text, queue, port: portOf(text) });
  return (
    <section aria-label="Connect">
      <div class="head">
        <h1>Connect</h1>
        <span class="facts">
          One port and one string for AMQP, WebSockets, administration and HTTP, with TLS and without.
        </span>
      </div>
      <ConnectionString />
      <MaskNote />
      <Panel
        title="Snippets"
        acts={
          <>
            <Choice label="Language" values={LANGUAGES} value={language} onChoose={setLanguage} isSmall />
            <CopyButton text={snippet} label="Copy" />
          </>
        }
      >
        <pre class="code whole">{snippet}</pre>
      </Panel>
      <Trust port={portOf(text)} />
    </section>
  );
}

function portOf(text: string): string {
  return /sb:\/\/[^;/]*:(\d+)/.exec(text)?.[1] ?? '5672';
}

function Trust({ port }: { readonly port: string }) {
  const { info } = useStore();
  if (info.value?.hasAuthority !== true) return null;
  const option = port === '5672' ? '' : ` --port ${port}`;
  const lines = [
    '# Clients that use TLS must trust the authority of this emulator:',
    `curl -so jitney-ca.pem http://localhost:${port}/ca.pem`,
    'export NODE_EXTRA_CA_CERTS=$PWD/jitney-ca.pem   # JavaScript',
    'export SSL_CERT_FILE=$PWD/jitney-ca.pem         # Go',
    'export REQUESTS_CA_BUNDLE=$PWD/jitney-ca.pem    # Python',
    `eval "$(npx jitney env --format shell${option})"   # all of these, and those of DefaultAzureCredential`,
  ].join('\n');
  return (
    <Panel
      title="TLS"
      sub="for administration clients, WebSockets and credentials"
      acts={<CopyButton text={lines} label="Copy" />}
    >
      <pre class="code whole">{lines}</pre>
    </Panel>
  );
}
