// Writes variables in the formats of shells, CI and settings files, quoting every value safely.

export const ENV_FORMATS = ['dotenv', 'json', 'shell', 'powershell', 'github', 'local.settings'] as const;
export type EnvFormat = (typeof ENV_FORMATS)[number];

export type Variables = Readonly<Record<string, string>>;

type Besides = {
  /** Variables of a login of the user, which must not be set. */
  readonly unset?: readonly string[];
  /** Sentences that come first, in a shell last, as comments in the formats that have comments. */
  readonly notes?: readonly string[];
};

/**
 * In formats that cannot unset a variable, these are set to an empty text, because no login is complete without a tenant, or in Python
 * without a password. Others must not be empty: Python and Java would take an empty secret with an empty tenant for a login.
 */
const EMPTIED = ['AZURE_TENANT_ID', 'AZURE_PASSWORD'];

export function formatEnv(
  variables: Variables,
  format: EnvFormat,
  { unset = [], notes = [] }: Besides = {},
): string {
  const comments = notes.map((note) => `# ${note}\n`).join('');
  const emptied = unset.filter((name) => EMPTIED.includes(name));
  const all = { ...variables, ...Object.fromEntries(emptied.map((name) => [name, ''])) };
  switch (format) {
    case 'dotenv':
      return comments + lines(all, (name, value) => `${name}=${dotenvQuoted(value)}`);
    case 'json':
      return json(all);
    case 'shell':
      // Comments last: without quotes around its argument, `eval` makes one line of all, and a comment before it would silently take the rest.
      return (
        (unset.length === 0 ? '' : `unset ${unset.join(' ')}\n`) +
        lines(variables, (name, value) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`) +
        comments
      );
    case 'powershell':
      // A typographic quote also ends a PowerShell string; a doubled quote stands for itself.
      return (
        comments +
        unset.map((name) => `$env:${name} = $null\n`).join('') +
        lines(variables, (name, value) => `$env:${name} = '${value.replace(/['‘’‚‛]/g, '$&$&')}'`)
      );
    case 'github':
      return lines(all, githubLine);
    case 'local.settings':
      // As `func init` writes it.
      return json({ IsEncrypted: false, Values: all });
    default:
      return format satisfies never;
  }
}

function lines(variables: Variables, line: (name: string, value: string) => string): string {
  return Object.entries(variables)
    .map(([name, value]) => `${line(name, value)}\n`)
    .join('');
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/**
 * Quotes a value. Within single quotes no character is special. A value with a single quote gets double quotes. If it also has a character
 * that is special within those, it gets backquotes, which only Node's readers of such files know.
 */
function dotenvQuoted(value: string): string {
  if (!value.includes("'")) return `'${value}'`;
  return /["\\$]/.test(value) ? `\`${value}\`` : `"${value}"`;
}

/** A value of several lines stands between two marker lines that it does not contain. */
function githubLine(name: string, value: string): string {
  if (!value.includes('\n')) return `${name}=${value}`;
  let mark = 'END';
  while (value.split('\n').includes(mark)) mark += '_';
  return `${name}<<${mark}\n${value}\n${mark}`;
}
