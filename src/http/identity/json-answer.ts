// An answer in JSON that nobody keeps.

export type JsonAnswerOptions = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

export function jsonAnswer(
  body: Readonly<Record<string, unknown>>,
  { status = 200, headers = {} }: JsonAnswerOptions = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}
