// Calls of the control interface. With strict keys, each carries the token of the tab.

/** The namespace that this page shows, as in its address `/?namespace=tests-1`; undefined for `default`. */
export const NAMESPACE = new URLSearchParams(globalThis.location?.search).get('namespace') ?? undefined;
const ROOT = '/$jitney/v1/';
/** The part of the address that all calls share. */
export const BASE = NAMESPACE === undefined ? ROOT : `${ROOT}namespaces/${encodeURIComponent(NAMESPACE)}/`;
const TOKEN_KEY = 'jitney-token';

/** An error that the interface has answered, or that nobody answered: `status` is 0 then. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The remedy, if the message does not name it. */
  readonly hint: string | undefined;

  constructor(status: number, { code, message, hint }: { code: string; message: string; hint?: string }) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** Reads an answer. Throws an ApiError. */
export function get<Answer>(name: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  return call<Answer>(name, query, { method: 'GET', ...(signal === undefined ? {} : { signal }) });
}

/** Changes something. Throws an ApiError. */
export function post<Answer>(name: string, query: Query, body: unknown): Promise<Answer> {
  return change<Answer>('POST', name, query, body);
}

/** Changes an entity or a rule, or deletes it, for which there is no body. Throws an ApiError. */
export function change<Answer>(
  method: 'POST' | 'PUT' | 'DELETE',
  name: string,
  query: Query,
  body?: unknown,
): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return call<Answer>(name, query, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

export function addressOf(name: string, query: Query): string {
  return `${BASE}${pathOf(name, query)}`;
}

/** The name of a call with its query: `rates?entity=orders&stepMs=1000`. */
export function pathOf(name: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) parameters.set(key, String(value));
  const text = parameters.toString();
  return `${name}${text === '' ? '' : `?${text}`}`;
}

/** The names of all namespaces; none if they are not shown to this client. */
export async function namespaceNames(): Promise<readonly string[]> {
  const response = await fetch(`${ROOT}namespaces`, { headers: authorization() }).catch(() => undefined);
  if (response?.ok !== true) return [];
  const { namespaces } = (await response.json()) as {
    readonly namespaces: readonly { readonly name: string }[];
  };
  return namespaces.map(({ name }) => name);
}

/** The header with the token of this tab; empty where keys are not checked. */
export function authorization(): Readonly<Record<string, string>> {
  const token = sessionStorage.getItem(TOKEN_KEY);
  return token === null ? {} : { authorization: token };
}

/** Keeps a token for this tab, or forgets it. */
export function keepToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(TOKEN_KEY);
  else sessionStorage.setItem(TOKEN_KEY, token);
}

async function call<Answer>(name: string, query: Query, init: RequestInit): Promise<Answer> {
  const headers = { ...authorization(), ...(init.headers as Record<string, string> | undefined) };
  const response = await fetch(addressOf(name, query), { ...init, headers }).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, {
      code: 'unreachable',
      message: 'Jitney does not answer.',
      hint: 'Is it still running?',
    });
  });
  if (response.ok) return (await response.json()) as Answer;
  throw await errorOf(response);
}

async function errorOf(response: Response): Promise<ApiError> {
  const { status } = response;
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string; hint?: string } };
    return new ApiError(status, error);
  } catch {
    return new ApiError(status, {
      code: 'error',
      message: `Jitney answered ${status} ${response.statusText}.`,
    });
  }
}
