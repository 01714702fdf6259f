// Answers without a body: to sends and settlements, and to a receive if no message came.

/** The content type of everything that has no other type, even of an answer without content. */
export const DEFAULT_TYPE = 'application/xml; charset=utf-8';

export function emptyAnswer(status: 200 | 201 | 204): Response {
  return new Response(null, { status, headers: { 'content-type': DEFAULT_TYPE } });
}
