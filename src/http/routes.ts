// The routes of HTTP: method and path, the name of the call, the access it needs, and the function that answers it. Health checks
// and the start page are answered earlier (`http-handler.ts`).

import { answerAdministration } from './admin/answer-administration.js';
import {
  answerDeleteEntity,
  answerGetEntity,
  answerPutEntity,
  answerPutSubscription,
} from './admin/entity-calls.js';
import { listQueues, listRules, listSubscriptions, listTopics } from './admin/feeds.js';
import { getNamespaceInfo, listServices, refuseReserved } from './admin/namespace-calls.js';
import { answerDeleteRule, answerGetRule, answerPutRule } from './admin/rule-calls.js';
import { answerControl, type ControlCallName, refuseUnknownCall } from './control/answer-control.js';
import { getMetrics } from './control/metrics.js';
import type { AnswerCall, HttpCall, HttpEngine } from './http-context.js';
import { type AnswerToken, answerIdentity } from './identity/answer-identity.js';
import {
  answerClient,
  answerConfiguration,
  answerForm,
  answerIdentityHeader,
  answerKeys,
  answerMetadata,
  answerWebFinger,
} from './identity/token-endpoints.js';
import { type FoundRoute, matchRoute, routesOf, withOtherMethods } from './route-table.js';
import { answerRuntime } from './runtime/answer-runtime.js';
import { peekLockMessage, receiveAndDeleteMessage } from './runtime/receive-message.js';
import { sendMessages } from './runtime/send-messages.js';
import {
  completeMessage,
  refuseLockToken,
  refusePost,
  renewMessageLock,
  unlockMessage,
} from './runtime/settle-message.js';

/** The control interface: JSON for people and tools that look into the emulator. No call of Azure begins with its name. */
// biome-ignore format: a table
const CONTROL = routesOf(
  answerControl,
  withOtherMethods<ControlCallName | AnswerCall>('namespace Manage', [
    ['GET',  '/$jitney/v1/info',                 'Info',        'namespace Manage', 'getInfo'],
    ['GET',  '/$jitney/v1/openapi.json',         'OpenApi',     'namespace Manage', 'getOpenApi'],
    ['GET',  '/$jitney/v1/entities',             'Entities',    'namespace Manage', 'listEntities'],
    ['POST', '/$jitney/v1/entities',             'CreateEntity', 'namespace Manage', 'createEntity'],
    ['GET',  '/$jitney/v1/entity',               'Entity',      'entity Manage',    'getEntity'],
    ['PUT',  '/$jitney/v1/entity',               'ChangeEntity', 'entity Manage',   'changeEntity'],
    ['DELETE', '/$jitney/v1/entity',             'DeleteEntity', 'namespace Manage', 'deleteEntity'],
    ['GET',  '/$jitney/v1/messages',             'Messages',    'entity Manage',    'listMessages'],
    ['POST', '/$jitney/v1/messages',             'Send',        'entity Manage',    'sendMessages'],
    ['GET',  '/$jitney/v1/messages/{id}',        'Message',     'entity Manage',    'getMessage'],
    ['GET',  '/$jitney/v1/search',               'Search',      'entity Manage',    'searchMessages'],
    ['POST', '/$jitney/v1/messages:delete',      'Delete',      'entity Manage',    'deleteMessages'],
    ['POST', '/$jitney/v1/messages:dead-letter', 'DeadLetter',  'entity Manage',    'deadLetterMessages'],
    ['POST', '/$jitney/v1/messages:resubmit',    'Resubmit',    'entity Manage',    'resubmitMessages'],
    ['POST', '/$jitney/v1/messages:move',        'Move',        'entity Manage',    'moveMessages'],
    ['POST', '/$jitney/v1/messages:activate',    'Activate',    'entity Manage',    'activateMessages'],
    ['POST', '/$jitney/v1/messages:import',      'Import',      'entity Manage',    'importMessages'],
    ['POST', '/$jitney/v1/messages:purge',       'Purge',       'entity Manage',    'purgeMessages'],
    ['POST', '/$jitney/v1/reset',                'Reset',       'namespace Manage', 'reset'],
    ['POST', '/$jitney/v1/stop',                 'Stop',        'namespace Manage', 'stop'],
    ['GET',  '/$jitney/v1/snapshot',             'Snapshot',    'namespace Manage', 'getSnapshot'],
    ['PUT',  '/$jitney/v1/snapshot',             'Restore',     'namespace Manage', 'restoreSnapshot'],
    ['GET',  '/$jitney/v1/locks',                'Locks',       'entity Manage',    'listLocks'],
    ['POST', '/$jitney/v1/locks:end',            'EndLocks',    'entity Manage',    'endLocks'],
    ['GET',  '/$jitney/v1/sessions',             'Sessions',    'entity Manage',    'listSessions'],
    ['GET',  '/$jitney/v1/session',              'Session',     'entity Manage',    'getSession'],
    ['POST', '/$jitney/v1/sessions:end',         'EndSession',  'entity Manage',    'endSession'],
    ['GET',  '/$jitney/v1/connections',          'Connections', 'namespace Manage', 'listConnections'],
    ['POST', '/$jitney/v1/connections:end',      'EndClient',   'namespace Manage', 'endConnection'],
    ['POST', '/$jitney/v1/links:end',            'EndLink',     'namespace Manage', 'endLink'],
    ['GET',  '/$jitney/v1/clock',                'Clock',       'namespace Manage', 'getClock'],
    ['POST', '/$jitney/v1/clock:advance',        'AdvanceClock', 'namespace Manage', 'advanceClock'],
    ['POST', '/$jitney/v1/clock:next',           'NextOfClock', 'namespace Manage', 'advanceClockToNext'],
    ['POST', '/$jitney/v1/clock:freeze',         'FreezeClock', 'namespace Manage', 'freezeClock'],
    ['POST', '/$jitney/v1/clock:resume',         'ResumeClock', 'namespace Manage', 'resumeClock'],
    ['POST', '/$jitney/v1/clock:scale',          'ScaleClock',  'namespace Manage', 'scaleClock'],
    ['POST', '/$jitney/v1/clock:reset',          'ResetClock',  'namespace Manage', 'resetClock'],
    ['GET',  '/$jitney/v1/faults',               'Faults',      'namespace Manage', 'listFaults'],
    ['POST', '/$jitney/v1/faults',               'AddFault',    'namespace Manage', 'addFault'],
    ['POST', '/$jitney/v1/faults:preset',        'AddPreset',   'namespace Manage', 'addFaultPreset'],
    ['POST', '/$jitney/v1/faults:remove',        'RemoveFault', 'namespace Manage', 'removeFault'],
    ['POST', '/$jitney/v1/faults:clear',         'ClearFaults', 'namespace Manage', 'clearFaults'],
    ['GET',  '/$jitney/v1/namespaces',           'Namespaces',  'namespace Manage', 'listNamespaces'],
    ['POST', '/$jitney/v1/namespaces',           'AddNamespace', 'namespace Manage', 'addNamespace'],
    ['DELETE', '/$jitney/v1/namespaces',         'RemoveNamespace', 'namespace Manage', 'removeNamespace'],
    ['GET',  '/$jitney/v1/causes',               'Causes',      'namespace Manage', 'getCauses'],
    ['GET',  '/$jitney/v1/rates',                'Rates',       'entity Manage',    'getRates'],
    ['GET',  '/$jitney/v1/history',              'History',     'entity Manage',    'getHistory'],
    ['GET',  '/$jitney/v1/events',               'Events',      'entity Manage',    'streamEvents'],
    ['GET',  '/$jitney/v1/rules',                'Rules',       'entity Manage',    'listRules'],
    ['POST', '/$jitney/v1/rules',                'AddRule',     'entity Manage',    'addRule'],
    ['PUT',  '/$jitney/v1/rules',                'ChangeRule',  'entity Manage',    'changeRule'],
    ['DELETE', '/$jitney/v1/rules',              'DeleteRule',  'entity Manage',    'deleteRule'],
    ['POST', '/$jitney/v1/rules:test',           'TestRules',   'entity Manage',    'testRules'],
    ['*',    '/$jitney*',                        'Unknown',     'namespace Manage', refuseUnknownCall],
  ]),
);

const METRICS = routesOf(answerControl, [['GET', '/metrics', 'Metrics', 'namespace Manage', getMetrics]]);

/** Tokens for DefaultAzureCredential. */
// biome-ignore format: a table
const TOKENS = routesOf(
  answerIdentity,
  withOtherMethods<AnswerToken>('no token', [
    ['GET',  '/msi/token',                          'AppServiceToken',     'no token', answerIdentityHeader],
    ['POST', '/msi/token',                          'CloudShellToken',     'no token', answerForm],
    ['GET',  '/metadata/identity/oauth2/token',     'VirtualMachineToken', 'no token', answerMetadata],
    ['GET',  '/.well-known/webfinger',              'WebFinger',           'no token', answerWebFinger],
    // Each path is an authority. `oauth2/v2.0/*` also refuses what we do not offer, such as a device code, in OAuth's words.
    ['GET',  '/*/.well-known/openid-configuration', 'Configuration',       'no token', answerConfiguration],
    ['GET',  '/*/discovery/keys',                   'Keys',                'no token', answerKeys],
    ['POST', '/*/oauth2/v2.0/*',                    'ClientToken',         'no token', answerClient],
    ['POST', '/*/oauth2/token',                     'ClientToken',         'no token', answerClient],
  ]),
);

/** Sends, receives and settlements. */
// biome-ignore format: a table
const MESSAGES = routesOf(answerRuntime, [
  ['POST',   '/{entity}/messages',                  'Send',             'Send',   sendMessages],
  ['POST',   '/{entity}/messages/head',             'PeekLock',         'Listen', peekLockMessage],
  ['DELETE', '/{entity}/messages/head',             'ReceiveAndDelete', 'Listen', receiveAndDeleteMessage],
  ['POST',   '/{entity}/messages/{id}/{lockToken}', 'RenewLock',        'Listen', renewMessageLock],
  ['PUT',    '/{entity}/messages/{id}/{lockToken}', 'Unlock',           'Listen', unlockMessage],
  ['DELETE', '/{entity}/messages/{id}/{lockToken}', 'Complete',         'Listen', completeMessage],
  ['POST',   '/*/messages/{id}/*',                  'RenewLock',        'Listen', refuseLockToken],
  ['PUT',    '/*/messages/{id}/*',                  'Unlock',           'Listen', refuseLockToken],
]);

// The answer lists the possible calls. Any right is enough for it, and Listen is the smallest.
const OTHER_POSTS = routesOf(answerRuntime, [['POST', '/*', 'Post', 'Listen', refusePost]]);

/** Queues and topics by their names. */
// biome-ignore format: a table
const ENTITIES = routesOf(
  answerAdministration,
  withOtherMethods<AnswerCall>('Manage', [
    ['GET',    '/{entity}', 'GetEntity',    'Manage', answerGetEntity],
    ['PUT',    '/{entity}', 'PutEntity',    'Manage', answerPutEntity],
    ['DELETE', '/{entity}', 'DeleteEntity', 'Manage', answerDeleteEntity],
  ]),
);

/** The administration. The service's errors name the calls of subscriptions and rules. */
// biome-ignore format: a table
const ADMINISTRATION = routesOf(
  answerAdministration,
  withOtherMethods<AnswerCall>('Manage', [
    // The service's list at its root is public.
    ['GET',    '/',                                                  'ListServices',               'any token', listServices],
    ['GET',    '/$namespaceinfo',                                    'GetNamespaceInfo',           'Manage',    getNamespaceInfo],
    ['GET',    '/$Resources/Queues',                                 'EnumerateQueues',            'Manage',    listQueues],
    ['GET',    '/$Resources/Topics',                                 'EnumerateTopics',            'Manage',    listTopics],
    ['*',      '/$*',                                                'Reserved',                   'Manage',    refuseReserved],
    ['GET',    '/{topic}/Subscriptions/{subscription}/Rules',        'EnumerateRules',             'Manage',    listRules],
    ['GET',    '/{topic}/Subscriptions/{subscription}/Rules/{rule}', 'GetRule',                    'Manage',    answerGetRule],
    ['PUT',    '/{topic}/Subscriptions/{subscription}/Rules/{rule}', 'CreateOrUpdateRule',         'Manage',    answerPutRule],
    ['DELETE', '/{topic}/Subscriptions/{subscription}/Rules/{rule}', 'DeleteRule',                 'Manage',    answerDeleteRule],
    ['GET',    '/{topic}/Subscriptions/{subscription}',              'GetSubscription',            'Manage',    answerGetEntity],
    ['PUT',    '/{topic}/Subscriptions/{subscription}',              'CreateOrUpdateSubscription', 'Manage',    answerPutSubscription],
    ['DELETE', '/{topic}/Subscriptions/{subscription}',              'DeleteSubscription',         'Manage',    answerDeleteEntity],
    ['GET',    '/{topic}/Subscriptions',                             'EnumerateSubscriptions',     'Manage',    listSubscriptions],
  ]),
);

export async function findRoute(call: HttpCall, engine: Pick<HttpEngine, 'ask'>): Promise<FoundRoute> {
  const found =
    findControlRoute(call) ??
    (await findMetricsRoute(call, engine)) ??
    findTokenRoute(call) ??
    (await findMessageRoute(call, engine)) ??
    matchRoute(OTHER_POSTS, call) ??
    (await findAdministrationRoute(call, engine));
  if (found !== undefined) return found;
  throw new Error('no route fits, although the last one fits every path');
}

/** A queue may be named `jitney`, but not `$jitney`. */
function findControlRoute(call: HttpCall): FoundRoute | undefined {
  return call.path[0]?.toLowerCase() === '$jitney' ? matchRoute(CONTROL, call) : undefined;
}

/** An entity may be named `metrics`; a call of an SDK about it has an API version. */
async function findMetricsRoute(
  call: HttpCall,
  engine: Pick<HttpEngine, 'ask'>,
): Promise<FoundRoute | undefined> {
  const { path, url } = call;
  const [name] = path;
  if (path.length !== 1 || name !== 'metrics' || url.searchParams.has('api-version')) return undefined;
  const found = matchRoute(METRICS, call);
  if (found === undefined) return undefined;
  const entity = await engine.ask({ kind: 'find-entity', entityPath: name });
  return entity.kind === 'entity' ? undefined : found;
}

/** Token requests have no token, unlike all other requests of an SDK, so an entity may have one of these paths as its name. */
function findTokenRoute(call: HttpCall): FoundRoute | undefined {
  return call.request.headers.has('authorization') ? undefined : matchRoute(TOKENS, call);
}

/**
 * The route to send, receive or settle. An entity's name may look like one: a PUT with a description creates or changes an
 * entity of that name, and when a queue `x/messages/head` exists, DELETE deletes it. The messages of `x` are then received by
 * POST. The content type does not help: old Python clients unlock messages with the content type of a description.
 */
async function findMessageRoute(
  call: HttpCall,
  engine: Pick<HttpEngine, 'ask'>,
): Promise<FoundRoute | undefined> {
  const { method, headers } = call.request;
  const found = matchRoute(MESSAGES, call);
  if (found === undefined || (found.names.id !== '' && isInName(call.path))) return undefined;
  const mayDescribe = method === 'PUT' && /xml/i.test(headers.get('content-type') ?? '');
  if (mayDescribe && found.names.lockToken === '') return undefined;
  if (method !== 'DELETE' && !mayDescribe) return found;
  const entity = await engine.ask({ kind: 'find-entity', entityPath: call.path.join('/') });
  return entity.kind === 'entity' ? undefined : found;
}

/** A queue may have a name such as `a/Subscriptions/b`, where no subscription has that path. */
async function findAdministrationRoute(
  call: HttpCall,
  engine: Pick<HttpEngine, 'ask'>,
): Promise<FoundRoute | undefined> {
  const found = matchRoute(ADMINISTRATION, call) ?? matchRoute(ENTITIES, call);
  if (found === undefined || found.names.subscription === '' || found.names.rule !== '') return found;
  if (call.request.method === 'PUT') return found; // its description says what it is
  const answer = await engine.ask({ kind: 'get-entity', entityPath: call.path.join('/') });
  const isQueue = answer.kind === 'entity-info' && answer.entity.type === 'queue';
  return isQueue ? matchRoute(ENTITIES, call) : found;
}

/** Whether `messages` belongs to a name: it ends a topic's name before its subscriptions, or names a subscription with rules. */
function isInName(path: readonly string[]): boolean {
  const words = path.map((segment) => segment.toLowerCase());
  const index = words.slice(0, -2).lastIndexOf('messages');
  const next = words[index + 1];
  return next === 'subscriptions' || (words[index - 1] === 'subscriptions' && next === 'rules');
}
