// Requests to the identity endpoints: their context, their form fields and the JSON that answers them.

import type { EntraTokens } from '../../security/entra-token.js';
import { RequestProblem } from '../error-response.js';
import type { HttpCall } from '../http-context.js';
import { readBody } from '../request-body.js';

/** A token request has a few hundred bytes. */
const MAX_FORM_BYTES = 16 * 1024;
const MAX_FIELD_LENGTH = 2048;

export type IdentityContext = {
  readonly entraTokens: EntraTokens;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** The body of a request as a form. Throws RequestProblem. */
export async function readForm(call: HttpCall): Promise<URLSearchParams> {
  const body = await readBody(call, {
    maxBytes: MAX_FORM_BYTES,
    tooLarge: (size, maxBytes) =>
      new RequestProblem(413, `The form has ${size}, and ${maxBytes} is the limit.`),
  });
  return new URLSearchParams(body.toString('utf8'));
}

/** The first of these fields that is present and not empty. */
export function fieldOf(fields: URLSearchParams, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields.get(name);
    if (value !== null && value !== '') return value.slice(0, MAX_FIELD_LENGTH);
  }
  return undefined;
}

/** Throws RequestProblem, with an example of the value, when the field is missing. */
export function requiredField(fields: URLSearchParams, name: string, example: string): string {
  const value = fieldOf(fields, name);
  if (value !== undefined) return value;
  throw new RequestProblem(400, `The parameter '${name}' is missing; send ${name}=${example}.`);
}

type JsonAnswerOptions = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/** An answer in JSON that must not be cached. */
export function jsonAnswer(
  body: Readonly<Record<string, unknown>>,
  { status = 200, headers = {} }: JsonAnswerOptions = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}
