// Writes variables in the formats of shells, CI and settings files, quoting every value safely.

export const ENV_FORMATS = ['dotenv', 'json', 'shell', 'powershell', 'github', 'local.settings'] as const;
export type EnvFormat = (typeof ENV_FORMATS)[number];

export type Variables = Readonly<Record<string, string>>;

/** The notes come last, as comments, in the formats that have comments. */
export function formatEnv(variables: Variables, format: EnvFormat, notes: readonly string[] = []): string {
  const comments = notes.map((note) => `# ${note}\n`).join('');
  switch (format) {
    case 'dotenv':
      return lines(variables, (name, value) => `${name}=${dotenvQuoted(value)}`) + comments;
    case 'json':
      return json(variables);
    case 'shell':
      return (
        lines(variables, (name, value) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`) + comments
      );
    case 'powershell':
      // A typographic quote ends a PowerShell string too; doubled quotes stand for themselves.
      return (
        lines(variables, (name, value) => `$env:${name} = '${value.replace(/['‘’‚‛]/g, '$&$&')}'`) + comments
      );
    case 'github':
      return lines(variables, githubLine);
    case 'local.settings':
      // As `func init` writes it.
      return json({ IsEncrypted: false, Values: variables });
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
 * Nothing is special within single quotes. A value with one gets double quotes, or, if it also holds a character that is special
 * to those, backquotes, which only Node's readers of such files know.
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
