// Writes a text as one word of a shell's command line, so that a printed command can be copied.

/** Bash's, and as such also PowerShell's unless it has a single quote. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
