// Sends HTTP requests to a running emulator, each on its own connection.

import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';

type HttpQuestion = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The only authority that is trusted over TLS. Default: the authorities of Node and NODE_EXTRA_CA_CERTS. */
  readonly ca?: string | undefined;
};

type HttpAnswer = { readonly status: number; readonly text: string };

/** Resolves when the head of the answer has arrived. The signal also ends the body. Rejects with Node's error. */
export async function openAnswer(
  url: string,
  { method = 'GET', headers = {}, body, ca }: HttpQuestion,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? await import('node:https') : { request: requestHttp };
  const options: RequestOptions & { ca?: string } = { method, headers, signal, agent: false };
  if (ca !== undefined) options.ca = ca;
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body);
  });
}

/** Rejects with Node's error, or with an Error for an answer that is too long. */
export async function readAnswer(
  url: string,
  {
    timeoutMs,
    maxCharacters = Number.POSITIVE_INFINITY,
    ...question
  }: HttpQuestion & { readonly timeoutMs: number; readonly maxCharacters?: number },
): Promise<HttpAnswer> {
  const answer = await openAnswer(url, question, AbortSignal.timeout(timeoutMs));
  let text = '';
  for await (const part of answer.setEncoding('utf8')) {
    text += part;
    if (text.length > maxCharacters) throw new Error('the answer is too long');
  }
  return { status: answer.statusCode ?? 0, text };
}
