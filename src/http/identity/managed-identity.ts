// Managed identities: App Service by a header with a secret, virtual machines by their metadata, Cloud Shell by a form.

import type { HttpCall } from '../http-call.js';
import { RequestProblem } from '../request-problem.js';
import { fieldOf, readForm, requiredField } from './form.js';
import type { IdentityContext } from './identity-context.js';
import { jsonAnswer } from './json-answer.js';

const LIFETIME_MS = 24 * 60 * 60 * 1000;
const SECOND_MS = 1000;
const RESOURCE = 'https://servicebus.azure.net/';
/** Of App Service, and of its earlier version, which Azure Machine Learning still has. */
const SECRET_HEADERS = ['x-identity-header', 'secret'];

/** Any secret will do: what matters is that a web page cannot send such a header here by itself. */
export function answerIdentityHeader(
  { request, url }: HttpCall,
  context: IdentityContext,
): Promise<Response> {
  if (!SECRET_HEADERS.some((name) => request.headers.has(name))) {
    throw new RequestProblem(
      400,
      'The header X-IDENTITY-HEADER is missing; set IDENTITY_HEADER to any text in the environment of the program.',
    );
  }
  return answerToken(url.searchParams, context);
}

/** Some programs first ask without the header, to see whether anybody is there at all: then any answer will do. */
export function answerMetadata({ request, url }: HttpCall, context: IdentityContext): Promise<Response> {
  refuseWithoutMetadata(request);
  return answerToken(url.searchParams, context);
}

export async function answerForm({ request }: HttpCall, context: IdentityContext): Promise<Response> {
  refuseWithoutMetadata(request);
  return answerToken(await readForm(request), context);
}

function refuseWithoutMetadata({ headers }: Request): void {
  if (headers.get('metadata')?.toLowerCase() === 'true') return;
  throw new RequestProblem(400, "Required metadata header not specified; send 'Metadata: true'.");
}

/** Numbers as texts: that is how these endpoints write them, and some clients take nothing else. */
async function answerToken(
  fields: URLSearchParams,
  { entraTokens, now }: IdentityContext,
): Promise<Response> {
  const resource = requiredField(fields, 'resource', encodeURIComponent(RESOURCE));
  const clientId = fieldOf(fields, 'client_id', 'clientid', 'object_id', 'principal_id', 'mi_res_id');
  const nowMs = now();
  const asked = { audience: resource, clientId, lifetimeMs: LIFETIME_MS };
  const { text, expiresAtMs } = await entraTokens.issue(asked, nowMs);
  return jsonAnswer({
    access_token: text,
    expires_on: String(expiresAtMs / SECOND_MS),
    expires_in: String(Math.floor((expiresAtMs - nowMs) / SECOND_MS)),
    resource,
    token_type: 'Bearer',
    ...(clientId === undefined ? {} : { client_id: clientId }),
  });
}
