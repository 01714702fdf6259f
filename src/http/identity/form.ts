// The body of a request as a form; and what is to be in one, or in a query.

import { readBody } from '../request-body.js';
import { RequestProblem } from '../request-problem.js';

/** A form that asks for a token has a few hundred. */
const MAX_FORM_BYTES = 16 * 1024;
const MAX_FIELD_LENGTH = 2048;

/** Throws RequestProblem. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const body = await readBody(request, {
    maxBytes: MAX_FORM_BYTES,
    tooLarge: (size, maxBytes) =>
      new RequestProblem(413, `The form has ${size}, and ${maxBytes} are the limit.`),
  });
  return new URLSearchParams(body.toString('utf8'));
}

/** Undefined when it is missing or empty. */
export function fieldOf(fields: URLSearchParams, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields.get(name);
    if (value !== null && value !== '') return value.slice(0, MAX_FIELD_LENGTH);
  }
  return undefined;
}

/** Throws RequestProblem; `what` is an example of it. */
export function requiredField(fields: URLSearchParams, name: string, example: string): string {
  const value = fieldOf(fields, name);
  if (value !== undefined) return value;
  throw new RequestProblem(400, `The parameter '${name}' is missing; send ${name}=${example}.`);
}
