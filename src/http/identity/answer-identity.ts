// Tokens for programs without a network: the endpoints that DefaultAzureCredential asks, as App Service, virtual machines, Cloud Shell
// and ADFS have them.

import type { HttpCall } from '../http-call.js';
import type { HttpContext } from '../http-context.js';
import { RequestProblem } from '../request-problem.js';
import { answerClientSecret } from './client-secret.js';
import type { IdentityContext } from './identity-context.js';
import { jsonAnswer } from './json-answer.js';
import { answerForm, answerIdentityHeader, answerMetadata } from './managed-identity.js';
import { tellConfiguration, tellKeys } from './open-id.js';

type Answer = (call: HttpCall, context: IdentityContext) => Promise<Response> | Response;
type Methods = Readonly<Record<string, Answer>>;

const ENDPOINTS: ReadonlyMap<string, Methods> = new Map<string, Methods>([
  ['msi/token', { GET: answerIdentityHeader, POST: answerForm }],
  ['metadata/identity/oauth2/token', { GET: answerMetadata }],
  ['adfs/.well-known/openid-configuration', { GET: tellConfiguration }],
  ['adfs/discovery/keys', { GET: tellKeys }],
  ['adfs/oauth2/v2.0/token', { POST: answerClientSecret }],
  ['adfs/oauth2/token', { POST: answerClientSecret }],
]);

/**
 * Undefined: this asks for no token. Who asks for one has none yet, while every call of an SDK brings its own: so an entity may have
 * any of these names.
 */
export async function answerIdentity(call: HttpCall, context: HttpContext): Promise<Response | undefined> {
  const { entraTokens, now = Date.now } = context;
  const methods = ENDPOINTS.get(call.path.join('/').toLowerCase());
  if (methods === undefined || call.request.headers.has('authorization')) return undefined;
  if (entraTokens === undefined) {
    const text = 'No tokens are given here: the emulator was started with --no-token-endpoint.';
    return errorAnswer(404, 'invalid_request', text);
  }
  const { method } = call.request;
  const answer = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (answer === undefined) {
    const allow = Object.keys(methods).join(', ');
    return errorAnswer(
      405,
      'invalid_request',
      `${method.slice(0, 20)} is not possible here; there is ${allow}.`,
      {
        allow,
      },
    );
  }
  try {
    return await answer(call, { entraTokens, now });
  } catch (error) {
    if (!(error instanceof RequestProblem)) throw error;
    return errorAnswer(error.status, 'invalid_request', error.message, error.headers);
  }
}

/** As OAuth has it (RFC 6749 5.2). */
function errorAnswer(
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonAnswer({ error, error_description: description }, { status, headers });
}
