// Runs a token request, and words its errors as OAuth does.

import { RequestProblem } from '../error-response.js';
import type { HttpCall, RoutedCall } from '../http-context.js';
import { type IdentityContext, jsonAnswer } from './identity-request.js';

/** Answers a token request, or throws a RequestProblem. */
export type AnswerToken = (call: HttpCall, context: IdentityContext) => Promise<Response> | Response;

export async function answerIdentity(answer: AnswerToken, call: RoutedCall): Promise<Response> {
  const { entraTokens, now = Date.now } = call.context;
  if (entraTokens === undefined) {
    return errorAnswer(
      404,
      'No tokens are issued here, because the emulator was started with --no-token-endpoint.',
    );
  }
  try {
    return await answer(call, { entraTokens, now });
  } catch (error) {
    if (!(error instanceof RequestProblem)) throw error;
    return errorAnswer(error.status, error.message, error.headers);
  }
}

/** An error in OAuth's format (RFC 6749 5.2). */
function errorAnswer(
  status: number,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonAnswer({ error: 'invalid_request', error_description: description }, { status, headers });
}
