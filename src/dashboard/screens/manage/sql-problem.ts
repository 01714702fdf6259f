// The mistake in the SQL of a rule, for the field that it is in.

export type SqlProblem = { readonly field: 'filter' | 'action'; readonly text: string };

/** `Line 1, column 33: found the end, expected a value.`; undefined for a refusal that is about something else. */
export function sqlProblem(refusal: string): SqlProblem | undefined {
  const [, field, said] = /\bthe (filter|action) is invalid at (line \d.*)$/s.exec(refusal) ?? [];
  if (said === undefined) return undefined;
  return { field: field === 'action' ? 'action' : 'filter', text: `L${said.slice(1)}` };
}
