// The endpoints of DefaultAzureCredential, for programs that cannot reach Azure: tokens for managed identities (App Service,
// virtual machines, Cloud Shell) and for clients with a secret or a federated token, and the authority's configuration and keys.

import { RequestProblem } from '../error-response.js';
import type { HttpCall, HttpRequest } from '../http-context.js';
import { fieldOf, type IdentityContext, jsonAnswer, readForm, requiredField } from './identity-request.js';

const MANAGED_LIFETIME_MS = 24 * 60 * 60 * 1000;
const SECOND_MS = 1000;
const RESOURCE = 'https://servicebus.azure.net/';
/** The header of App Service, and the one of its earlier version, which Azure Machine Learning still uses. */
const SECRET_HEADERS = ['x-identity-header', 'secret'];
/** The lifetime of Entra's tokens in seconds: one second less than an hour. */
const CLIENT_LIFETIME_S = 3599;
const GRANT = 'client_credentials';
const SCOPE = 'https://servicebus.azure.net//.default';
const DEFAULT_SCOPE_SUFFIX = /\/\.default$/;
const CONFIGURATION_PATH = /(?:\/v2\.0)?\/\.well-known\/.*$/i;
const TRUSTED_REALM = 'http://schemas.microsoft.com/rel/trusted-realm';

/** The App Service endpoint. Accepts any secret: the header only proves that no web page sent the request. */
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

/** The virtual machine endpoint. Some programs first probe it without the header; any answer is enough for them. */
export function answerMetadata({ request, url }: HttpCall, context: IdentityContext): Promise<Response> {
  refuseWithoutMetadata(request);
  return answerToken(url.searchParams, context);
}

export async function answerForm(call: HttpCall, context: IdentityContext): Promise<Response> {
  refuseWithoutMetadata(call.request);
  return answerToken(await readForm(call), context);
}

function refuseWithoutMetadata({ headers }: HttpRequest): void {
  if (headers.get('metadata')?.toLowerCase() === 'true') return;
  throw new RequestProblem(400, "Required metadata header not specified; send 'Metadata: true'.");
}

/** Writes numbers as texts, as these endpoints do, because some clients accept nothing else. */
async function answerToken(
  fields: URLSearchParams,
  { entraTokens, now }: IdentityContext,
): Promise<Response> {
  const resource = requiredField(fields, 'resource', encodeURIComponent(RESOURCE));
  const clientId = fieldOf(fields, 'client_id', 'clientid', 'object_id', 'principal_id', 'mi_res_id');
  const nowMs = now();
  const tokenRequest = { audience: resource, clientId, lifetimeMs: MANAGED_LIFETIME_MS };
  const { text, expiresAtMs } = await entraTokens.issue(tokenRequest, nowMs);
  return jsonAnswer({
    access_token: text,
    expires_on: String(expiresAtMs / SECOND_MS),
    expires_in: String(Math.floor((expiresAtMs - nowMs) / SECOND_MS)),
    resource,
    token_type: 'Bearer',
    ...(clientId === undefined ? {} : { client_id: clientId }),
  });
}

/** MSAL for .NET asks this on port 443, to find out whether a host may be an authority of ADFS. */
export function answerWebFinger({ url }: HttpCall): Response {
  const subject = requiredField(url.searchParams, 'resource', 'https://localhost');
  return jsonAnswer({ subject, links: [{ rel: TRUSTED_REALM, href: subject }] });
}

/** The endpoints of the authority that the client names, at the origin of its request. */
export function answerConfiguration({ url }: HttpCall): Response {
  const authority = `${url.origin}${url.pathname.replace(CONFIGURATION_PATH, '')}`;
  return jsonAnswer({
    issuer: authority,
    authorization_endpoint: `${authority}/oauth2/authorize`,
    token_endpoint: `${authority}/oauth2/v2.0/token`,
    jwks_uri: `${authority}/discovery/keys`,
    response_types_supported: ['token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    grant_types_supported: ['client_credentials'],
  });
}

export async function answerKeys(_call: HttpCall, { entraTokens }: IdentityContext): Promise<Response> {
  return jsonAnswer(await entraTokens.publicKeys());
}

/** The token endpoint of an authority. Accepts any secret and any assertion. Throws RequestProblem. */
export async function answerClient(call: HttpCall, { entraTokens, now }: IdentityContext): Promise<Response> {
  const form = await readForm(call);
  const grant = requiredField(form, 'grant_type', GRANT);
  if (grant !== GRANT) {
    throw new RequestProblem(400, `The grant type '${grant.slice(0, 100)}' is not supported; use ${GRANT}.`);
  }
  const clientId = requiredField(form, 'client_id', '<any id>');
  const audience = fieldOf(form, 'resource') ?? audienceOf(requiredField(form, 'scope', SCOPE));
  const { text } = await entraTokens.issue(
    { audience, clientId, lifetimeMs: CLIENT_LIFETIME_S * SECOND_MS },
    now(),
  );
  return jsonAnswer({
    token_type: 'Bearer',
    expires_in: CLIENT_LIFETIME_S,
    ext_expires_in: CLIENT_LIFETIME_S,
    access_token: text,
  });
}

/** The audience in the scopes. Java sends scopes for sign-in, such as `openid`, before it. */
function audienceOf(scope: string): string {
  const scopes = scope.trim().split(/\s+/);
  const named = scopes.find((each) => DEFAULT_SCOPE_SUFFIX.test(each)) ?? scopes[0] ?? '';
  return named.replace(DEFAULT_SCOPE_SUFFIX, '');
}
