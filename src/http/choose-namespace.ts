// Chooses the namespace of a request: by its path in the control interface, by the key of its token, or by the port where it came in.

import { controlError } from './control/control-response.js';
import { type RequestErrorContext, requestError } from './error-response.js';
import type { AnswerClient, FoundNamespace, HttpContext, HttpRequest, RawRequest } from './http-context.js';
import { shownKeyIn } from './namespace-names.js';
import { requestOrigin } from './note-refusal.js';

type Given = {
  readonly request: HttpRequest;
  readonly path: readonly string[];
  readonly raw: RawRequest | undefined;
  readonly errorContext: RequestErrorContext;
};

/** The namespace's context, and the path without its name; or the answer that refuses the request. */
type Chosen = { readonly context: HttpContext; readonly path: readonly string[] };

/** `context` is that of `default`. A promise if the namespace has to be made first. */
export function chooseNamespace(
  given: Given,
  context: HttpContext,
): Chosen | Response | Promise<Chosen | Response> {
  const { request, path, raw } = given;
  const { namespaces } = context;
  if (namespaces === undefined) return { context, path };
  const key = shownKeyIn(request.headers.get('authorization'));
  const [name, ownPath] = splitPath(path);
  const found = name === undefined ? namespaces.ofKey(key, raw?.port) : namespaces.ofPath(name, key);
  const chosen = (namespace: FoundNamespace) => {
    if ('refusal' in namespace) return refused(namespace, given, context);
    // `default` need not know who uses it.
    if (namespace.context !== context) enter(namespace, raw?.client);
    return { context: namespace.context, path: ownPath };
  };
  return found instanceof Promise ? found.then(chosen) : chosen(found);
}

function enter(
  { enter: counted }: Exclude<FoundNamespace, { readonly refusal: string }>,
  client: AnswerClient | undefined,
): void {
  const leave = counted(() => client?.end());
  if (client === undefined) leave();
  else client.onGone(leave);
}

/** The name of a namespace in a path such as `$jitney/v1/namespaces/tests-1/entities`, and the path of the call without it. */
function splitPath(path: readonly string[]): readonly [name: string | undefined, path: readonly string[]] {
  const [root = '', version = '', word = '', name, ...rest] = path;
  const isPrefixed =
    root.toLowerCase() === '$jitney' && version.toLowerCase() === 'v1' && word.toLowerCase() === 'namespaces';
  if (!isPrefixed || name === undefined || rest.length === 0) return [undefined, path];
  return [name.toLowerCase(), [root, version, ...rest]];
}

function refused(
  { refusal, isMissing = false }: Extract<FoundNamespace, { readonly refusal: string }>,
  { request, path, errorContext }: Given,
  { activity }: HttpContext,
): Response {
  const status = isMissing ? 404 : 401;
  const { method } = request;
  activity?.add(
    { kind: 'request-refused', method, path: path.join('/'), status, text: refusal },
    requestOrigin(request),
  );
  const headers = isMissing ? {} : { 'www-authenticate': 'Bearer' };
  if (path[0]?.toLowerCase() !== '$jitney') return requestError(status, refusal, errorContext, headers);
  return controlError(status, refusal, { headers, ...(isMissing && { code: 'namespace-not-found' }) });
}
