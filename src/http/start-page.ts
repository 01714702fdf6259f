// The page for a browser at `/`: what is running, the connection string to copy, and links to more. Loaded at first use.

import type { IncomingMessage, ServerResponse } from 'node:http';

export type StartPage = {
  readonly version: string;
  /** The connection string for this host and port. Its key is masked where keys are checked. */
  readonly connectionString: (host: string, port: number) => string;
  /** The policy whose key is masked; undefined if the key is shown. */
  readonly maskedPolicy: string | undefined;
  /** The host on which the emulator listens, for a request that names none. */
  readonly host: string;
  readonly hasAuthority: boolean;
};

type Address = { readonly host: string; readonly port: number };

/** A name, an IPv4 address or an IPv6 address in brackets; then a port. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i;
/** The page loads nothing and runs no script. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#f3f5f6, #0e1113);
  --surface: light-dark(#fff, #15191c);
  --line: light-dark(#c4ccd2, #3b454c);
  --text: light-dark(#12181c, #e7ecef);
  --faint: light-dark(#48545d, #aab5bd);
  --accent: light-dark(#0a6a7a, #5ac8d8);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
body { margin: 0; padding: 48px 24px; background: var(--bg); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 680px; margin: auto; }
h1 { margin: 0; font-size: 28px; line-height: 1.2; }
h1 small { color: var(--faint); font-size: 15px; font-weight: 400; }
h2 { margin: 32px 0 8px; font-size: 15px; }
p { margin: 8px 0; }
pre { margin: 0; padding: 16px; background: var(--surface); border: 1px solid var(--line); border-left: 4px solid var(--accent);
  border-radius: 6px; font: 14px/1.6 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; -webkit-user-select: all; user-select: all; }
code { font-family: var(--mono); font-size: 14px; }
ul { margin: 8px 0; padding-left: 20px; }
li { margin: 4px 0; }
a { color: var(--accent); }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
footer, .note { color: var(--faint); font-size: 13px; }
footer { margin-top: 40px; }
`;

export function answerStartPage(request: IncomingMessage, response: ServerResponse, page: StartPage): void {
  const { host, port } = addressOf(request) ?? { host: page.host, port: request.socket.localPort ?? 0 };
  const html = writePage(page.connectionString(host, port), page);
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  // node:http leaves the body out of the answer to HEAD.
  response.end(html);
  // An unread body would hold the connection.
  request.resume();
}

/** The address that the browser used, which may be the published port of a container. */
function addressOf({ headers, socket }: IncomingMessage): Address | undefined {
  const [, ipv6, name, port] = HOST.exec(headers.host ?? '') ?? [];
  const host = ipv6 ?? name;
  if (host === undefined) return undefined;
  const usualPort = 'encrypted' in socket ? 443 : 80;
  return { host, port: port === undefined ? usualPort : Number(port) };
}

function writePage(connectionString: string, { version, maskedPolicy, hasAuthority }: StartPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Jitney</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Jitney <small>${escaped(version)}</small></h1>
<p>Azure Service Bus on your own machine, for development and tests: programs that use the official SDKs cannot tell it from the cloud.</p>
<h2>Connection string</h2>
<pre>${escaped(connectionString)}</pre>
<p class="note">A click selects all of it. Use it in place of your namespace's; nothing else in your program changes.${maskNote(maskedPolicy)}</p>
<h2>Read on</h2>
<ul>
<li><code>README.md</code> and <code>docs/</code> in the package: entities, tests, TLS, HTTP, and what differs from Azure</li>
<li><code>jitney --help</code> lists the commands and options; <code>jitney env</code> prints every variable a program needs</li>
<li><a href="/health">/health</a> says whether messages can be sent and received</li>${authorityItem(hasAuthority)}
</ul>
<footer>Not affiliated with Microsoft; not for production use.</footer>
</main>
</body>
</html>
`;
}

function maskNote(policy: string | undefined): string {
  if (policy === undefined) return '';
  return ` Keys are checked here, so the page does not show them: replace <code>&lt;key&gt;</code> with the key of the policy <code>${escaped(policy)}</code>, which the emulator prints when it starts.`;
}

function authorityItem(hasAuthority: boolean): string {
  if (!hasAuthority) return '';
  return '\n<li><a href="/ca.pem">/ca.pem</a> is the certificate authority to trust for TLS; <code>jitney certs</code> says how</li>';
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}
