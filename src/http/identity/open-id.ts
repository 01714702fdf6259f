// What an authority tells of itself: where its endpoints are, and by which keys its tokens are known.

import type { HttpCall } from '../http-call.js';
import type { IdentityContext } from './identity-context.js';
import { jsonAnswer } from './json-answer.js';

/** All at the place by which the client knows us. */
export function tellConfiguration({ url }: HttpCall): Response {
  const authority = `${url.origin}/adfs`;
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

export async function tellKeys(_call: HttpCall, { entraTokens }: IdentityContext): Promise<Response> {
  return jsonAnswer(await entraTokens.publicKeys());
}
