// Programs with a client id and a secret: the token endpoint of an authority in the style of ADFS, which asks nobody else.

import type { HttpCall } from '../http-call.js';
import { RequestProblem } from '../request-problem.js';
import { fieldOf, readForm, requiredField } from './form.js';
import type { IdentityContext } from './identity-context.js';
import { jsonAnswer } from './json-answer.js';

/** As Entra has it: a second less than an hour. */
const LIFETIME_S = 3599;
const SECOND_MS = 1000;
const GRANT = 'client_credentials';
const SCOPE = 'https://servicebus.azure.net//.default';
const DEFAULT_SCOPE_SUFFIX = /\/\.default$/;

/** Any secret will do. Throws RequestProblem. */
export async function answerClientSecret(
  { request }: HttpCall,
  { entraTokens, now }: IdentityContext,
): Promise<Response> {
  const form = await readForm(request);
  const grant = requiredField(form, 'grant_type', GRANT);
  if (grant !== GRANT) {
    throw new RequestProblem(400, `The grant type '${grant.slice(0, 100)}' is not offered; ${GRANT} is.`);
  }
  const clientId = requiredField(form, 'client_id', '<any id>');
  const audience = fieldOf(form, 'resource') ?? audienceOf(requiredField(form, 'scope', SCOPE));
  const { text } = await entraTokens.issue({ audience, clientId, lifetimeMs: LIFETIME_S * SECOND_MS }, now());
  return jsonAnswer({
    token_type: 'Bearer',
    expires_in: LIFETIME_S,
    ext_expires_in: LIFETIME_S,
    access_token: text,
  });
}

/** Of the first of several: the others are those of sign-in, such as `openid`. */
function audienceOf(scope: string): string {
  const [first = ''] = scope.trim().split(/\s+/, 1);
  return first.replace(DEFAULT_SCOPE_SUFFIX, '');
}
