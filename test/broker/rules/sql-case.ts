// A case of the tables: an expression and what it is to be of the tables' message.

/** Refused when the rule is created, or failing when it is evaluated, with this in the text of the error. */
export type SqlOutcome = boolean | 'unknown' | { readonly refused: string } | { readonly fails: string };

export type SqlCases = Readonly<
  Record<string, readonly (readonly [expression: string, outcome: SqlOutcome])[]>
>;

export function describeOutcome(outcome: SqlOutcome): string {
  if (typeof outcome !== 'object') return `is ${outcome}`;
  return 'refused' in outcome ? `is refused at ${outcome.refused}` : `fails because ${outcome.fails}`;
}
