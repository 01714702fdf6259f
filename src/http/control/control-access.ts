// Decides who may use the control interface: programs and pages of this machine, which in strict mode need the right Manage.

import { lackingRights } from '../../security/access.js';
import { noToken, readToken } from '../authorization-header.js';
import type { HttpRequest, RoutedCall } from '../http-context.js';
import { noteRefusal } from '../note-refusal.js';
import { controlError } from './control-response.js';

/** Whether a call needs the right Manage of the namespace or of its entity. */
export type ControlAccess = 'namespace Manage' | 'entity Manage';

/** A browser names these sites for requests of the interface's own pages, and for an address that a person types. */
const OWN_SITES: readonly string[] = ['same-origin', 'none'];
const OFF =
  'The control interface is switched off: the emulator was started with --no-control, or with control: false.';

const READ_ONLY = 'Pages may only read: the emulator was started with --ui read-only.';

/** The answer to a request that is not allowed; undefined if it is. */
export async function refuseControl(access: ControlAccess, call: RoutedCall): Promise<Response | undefined> {
  const { control } = call.context;
  if (control === undefined) {
    return controlError(404, OFF, { code: 'switched-off', hint: 'Start without that option to use it.' });
  }
  const isOpen = control.isOpenToOrigins === true;
  if (control.isReadOnlyPage === true && isOfBrowser(call.request) && !isLook(call)) {
    return controlError(403, READ_ONLY, {
      code: 'read-only',
      hint: 'Start without that option to change something.',
    });
  }
  return (
    (isOpen ? undefined : refuseForeignPage(call)) ?? (await refuseToken(access, call)) ?? refuseForm(call)
  );
}

/** Refuses pages of another site everything, and pages of another port of this machine every change. */
function refuseForeignPage({ request, url }: RoutedCall): Response | undefined {
  const origin = request.headers.get('origin');
  const hint = 'To allow it, start with --cors <origin>,$jitney.';
  if (origin !== null && !isOfThisMachine(origin, url.host)) {
    const text = `Pages of '${origin.slice(0, 200)}' may not use the control interface.`;
    return controlError(403, text, { code: 'foreign-page', hint });
  }
  const site = request.headers.get('sec-fetch-site');
  if (!isChanging(request) || site === null || OWN_SITES.includes(site)) return undefined;
  const text = `A page of another origin may not change anything: the browser names its site '${site.slice(0, 30)}'.`;
  return controlError(403, text, { code: 'foreign-page', hint });
}

function isOfThisMachine(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { host: originHost, hostname } = new URL(origin);
  return originHost === host || /^(.+\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/.test(hostname);
}

function refuseToken(access: ControlAccess, call: RoutedCall): Promise<Response | undefined> {
  return requireManage(access === 'entity Manage' ? (call.url.searchParams.get('entity') ?? '') : '', call);
}

/** The answer to a request whose token lacks Manage of the entity; undefined if the token has it. An empty path means the namespace. */
export async function requireManage(entityPath: string, call: RoutedCall): Promise<Response | undefined> {
  const access = await manageAccess(entityPath, call);
  return access instanceof Response ? access : undefined;
}

/** When the right to manage the entity ends, in milliseconds since 1970, or infinity. A request without it is noted, and the answer to it returned. */
export async function manageAccess(entityPath: string, call: RoutedCall): Promise<Response | Granted> {
  const access = await checkManage(entityPath, call);
  if ('expiresAtMs' in access) return access;
  const { refusal, ...more } = access;
  noteRefusal(call, 401, refusal);
  return controlError(401, refusal, { ...more, headers: { 'www-authenticate': 'Bearer' } });
}

/** Whether a client has Manage of the namespace, for calls that do or show more with it. Without it nothing is refused, so nothing is noted. */
export async function managesNamespace(call: RoutedCall): Promise<boolean> {
  return 'expiresAtMs' in (await checkManage('', call));
}

type Granted = { readonly expiresAtMs: number };
type Refused = { readonly refusal: string; readonly code?: string };

async function checkManage(entityPath: string, call: RoutedCall): Promise<Granted | Refused> {
  const { authorizer, now = Date.now } = call.context;
  if (authorizer === undefined || authorizer.mode === 'any') return { expiresAtMs: Number.POSITIVE_INFINITY };
  const given = call.request.headers.get('authorization');
  const token = readToken(given);
  if (token === undefined) return { refusal: noToken(given) };
  const audience = `${call.url.origin}/${entityPath.split('/').map(encodeURIComponent).join('/')}`;
  const outcome = await authorizer.check({ token, audience, entityPath }, now());
  if (outcome.kind === 'refusal') return { refusal: outcome.text };
  if (outcome.rights.includes('Manage')) return { expiresAtMs: outcome.expiresAtMs };
  return { refusal: lackingRights(['Manage'], call.url.hostname, entityPath), code: 'missing-right' };
}

/** Refuses a POST that is not JSON. A form of a foreign page can send text, but not JSON without a preflight; no call has another method of forms. */
function refuseForm({ request }: RoutedCall): Response | undefined {
  if (request.method !== 'POST') return undefined;
  const type = request.headers.get('content-type') ?? '';
  if (/^application\/json\s*(;|$)/i.test(type)) return undefined;
  const seen = type === '' ? 'but there is none' : `not '${type.slice(0, 100)}'`;
  const text = `The Content-Type must be application/json, ${seen}.`;
  return controlError(415, text);
}

/** Whether a request changes nothing. Trying rules is a POST, because the message is in the body, but changes nothing either. */
function isLook({ request, url }: RoutedCall): boolean {
  return !isChanging(request) || url.pathname.endsWith('/rules:test');
}

/** Browsers name the site of each request; programs do not. */
function isOfBrowser({ headers }: HttpRequest): boolean {
  return headers.has('sec-fetch-site') || headers.has('origin');
}

function isChanging({ method }: HttpRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}
