// GET openapi.json: the calls of the control interface as an OpenAPI document, generated from the schemas that check and type them.

import { z } from 'zod';
import {
  advanceBody,
  changeEntityBody,
  changeRuleBody,
  createEntityBody,
  deadLetterBody,
  emptyBody,
  endConnectionBody,
  endLinkBody,
  endLocksBody,
  endSessionBody,
  entityQuery,
  eventsQuery,
  faultBody,
  historyQuery,
  importBody,
  locksQuery,
  messagesQuery,
  moveBody,
  namespaceBody,
  namespaceQuery,
  noQuery,
  presetBody,
  purgeBody,
  ratesQuery,
  removeFaultBody,
  resetBody,
  ruleBody,
  ruleQuery,
  scaleBody,
  searchQuery,
  selectionBody,
  sentMessageSchema,
  sentMessagesSchema,
  sessionQuery,
  sessionsQuery,
  testRulesQuery,
} from './control-requests.js';
import {
  addedFaultSchema,
  advancedSchema,
  causesSchema,
  clearedSchema,
  clockSchema,
  connectionsSchema,
  createdSchema,
  endedSchema,
  entitiesSchema,
  entitySchema,
  errorSchema,
  eventSchema,
  faultsSchema,
  historySchema,
  importedSchema,
  infoSchema,
  locksSchema,
  managedSchema,
  messagesSchema,
  namespaceSchema,
  namespacesSchema,
  purgedSchema,
  ratesSchema,
  rawMessageSchema,
  restoredSchema,
  searchEndSchema,
  searchHitSchema,
  searchProgressSchema,
  sentSchema,
  sessionSchema,
  sessionsSchema,
  testedRulesSchema,
} from './control-schemas.js';
import { deletedSchema, ruleSchema, rulesSchema } from './entity-schemas.js';

type Described = {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  readonly summary: string;
  readonly query: z.ZodObject;
  readonly body?: z.ZodType | 'bytes';
  /** `bytes`: not JSON. */
  readonly answer: z.ZodType | 'bytes';
};

/** Bodies that may be empty, which means `{}`. A message may be `{}`, but not empty. */
const OPTIONAL_BODIES: ReadonlySet<Described['body']> = new Set<Described['body']>([
  changeRuleBody,
  emptyBody,
  purgeBody,
  resetBody,
]);

const SENT = z.union([sentMessageSchema, sentMessagesSchema]);

/** One for each route of the interface. */
const CALLS: readonly Described[] = [
  ...(
    [
      ['/info', 'Version, ports and options of the emulator', noQuery, infoSchema],
      ['/entities', 'All entities with exact counts', noQuery, entitiesSchema],
      ['/entity', 'One entity', entityQuery, entitySchema],
      ['/messages', 'Messages by number, in any state or in some', messagesQuery, messagesSchema],
      ['/messages/{id}', 'One message with its raw bytes', entityQuery, rawMessageSchema],
      ['/locks', 'The locked messages of an entity', locksQuery, locksSchema],
      ['/sessions', 'The sessions of an entity', sessionsQuery, sessionsSchema],
      ['/session', 'One session with its state', sessionQuery, sessionSchema],
      ['/rules', 'The rules of a subscription', entityQuery, rulesSchema],
      [
        '/namespaces',
        'All namespaces; the calls of each are also below /namespaces/<name>',
        noQuery,
        namespacesSchema,
      ],
      ['/clock', "The broker's clock", noQuery, clockSchema],
      ['/faults', 'The faults, and how often each has happened', noQuery, faultsSchema],
      ['/connections', 'The AMQP connections and their links', noQuery, connectionsSchema],
      [
        '/history',
        'What happened to a message, as far back as the records reach',
        historyQuery,
        historySchema,
      ],
      ['/rates', 'The messages of each second of the last five minutes', ratesQuery, ratesSchema],
      ['/causes', 'What needs a look, the newest first', noQuery, causesSchema],
      ['/events', 'The stream of events, as server-sent events', eventsQuery, eventSchema],
      [
        '/search',
        'Searches all messages; the events are hit, progress and end',
        searchQuery,
        z.union([searchHitSchema, searchProgressSchema, searchEndSchema]),
      ],
      ['/openapi.json', 'This document', noQuery, z.looseObject({})],
    ] as const
  ).map(([path, summary, query, answer]): Described => ({ method: 'get', path, summary, query, answer })),
  {
    method: 'post',
    path: '/messages',
    summary: 'Sends one message or a list of them',
    query: entityQuery,
    body: SENT,
    answer: sentSchema,
  },
  ...(
    [
      ['/messages:delete', 'Deletes messages in any state', selectionBody],
      ['/messages:dead-letter', 'Moves messages to the dead-letter queue of their entity', deadLetterBody],
      ['/messages:resubmit', 'Sends dead letters back to the entity that they come from', selectionBody],
      ['/messages:move', 'Moves messages to another queue or topic', moveBody],
      ['/messages:activate', 'Makes scheduled and deferred messages active now', selectionBody],
      ['/locks:end', 'Ends the locks of messages as if they had expired', endLocksBody],
    ] as const
  ).map(
    ([path, summary, body]): Described => ({
      method: 'post',
      path,
      summary,
      query: entityQuery,
      body,
      answer: managedSchema,
    }),
  ),
  {
    method: 'post',
    path: '/messages:import',
    summary: 'Takes messages as they were in another entity',
    query: entityQuery,
    body: importBody,
    answer: importedSchema,
  },
  {
    ...{
      method: 'post',
      path: '/messages:purge',
      summary: 'Empties an entity; takes the same time at any size',
    },
    query: entityQuery,
    body: purgeBody,
    answer: purgedSchema,
  },
  {
    method: 'post',
    path: '/reset',
    summary: 'Empties all entities, and ends all transactions',
    query: noQuery,
    body: resetBody,
    answer: purgedSchema,
  },
  {
    method: 'get',
    path: '/snapshot',
    summary: 'Takes a snapshot of everything that is stored',
    query: noQuery,
    answer: 'bytes',
  },
  {
    method: 'put',
    path: '/snapshot',
    summary: 'Resets the emulator and puts everything of a snapshot back',
    query: noQuery,
    body: 'bytes',
    answer: restoredSchema,
  },
  {
    method: 'post',
    path: '/sessions:end',
    summary: 'Ends the lock of a session as if it had expired',
    query: entityQuery,
    body: endSessionBody,
    answer: endedSchema,
  },
  {
    method: 'post',
    path: '/connections:end',
    summary: 'Closes an AMQP connection',
    query: noQuery,
    body: endConnectionBody,
    answer: endedSchema,
  },
  {
    method: 'post',
    path: '/links:end',
    summary: 'Detaches a link',
    query: noQuery,
    body: endLinkBody,
    answer: endedSchema,
  },
  ...(
    [
      [
        '/clock:advance',
        'Moves time forward; everything that falls due happens in order',
        advanceBody,
        advancedSchema,
      ],
      ['/clock:next', 'Moves time forward to the next thing that is due', emptyBody, advancedSchema],
      ['/clock:freeze', 'Stops time', emptyBody, clockSchema],
      ['/clock:resume', "Lets time run on, as fast as the machine's", emptyBody, clockSchema],
      ['/clock:scale', 'Lets time run at another pace', scaleBody, clockSchema],
      ['/faults', 'Adds a fault', faultBody, addedFaultSchema],
      ['/faults:preset', 'Adds the faults of a preset', presetBody, faultsSchema],
      ['/faults:remove', 'Removes a fault', removeFaultBody, endedSchema],
      ['/faults:clear', 'Removes all faults', emptyBody, clearedSchema],
      ['/clock:reset', "Goes back to the machine's time; distances stay", emptyBody, clockSchema],
    ] as const
  ).map(
    ([path, summary, body, answer]): Described => ({
      method: 'post',
      path,
      summary,
      query: noQuery,
      body,
      answer,
    }),
  ),
  {
    method: 'post',
    path: '/rules:test',
    summary: 'Tries a message on every rule of a topic',
    query: testRulesQuery,
    body: sentMessageSchema,
    answer: testedRulesSchema,
  },
  {
    method: 'post',
    path: '/rules',
    summary: 'Adds a rule to a subscription',
    query: entityQuery,
    body: ruleBody,
    answer: createdSchema,
  },
  {
    method: 'put',
    path: '/rules',
    summary: 'Changes the filter or the action of a rule',
    query: ruleQuery,
    body: changeRuleBody,
    answer: ruleSchema,
  },
  {
    method: 'delete',
    path: '/rules',
    summary: 'Removes a rule',
    query: ruleQuery,
    answer: deletedSchema,
  },
  {
    method: 'post',
    path: '/entities',
    summary: 'Creates a queue, topic or subscription',
    query: noQuery,
    body: createEntityBody,
    answer: entitySchema,
  },
  {
    method: 'post',
    path: '/namespaces',
    summary: 'Adds a namespace',
    query: noQuery,
    body: namespaceBody,
    answer: namespaceSchema,
  },
  {
    method: 'delete',
    path: '/namespaces',
    summary: 'Removes a namespace with everything that is stored in it',
    query: namespaceQuery,
    answer: endedSchema,
  },
  {
    method: 'put',
    path: '/entity',
    summary: 'Changes properties of an entity',
    query: entityQuery,
    body: changeEntityBody,
    answer: entitySchema,
  },
  {
    method: 'delete',
    path: '/entity',
    summary: 'Deletes an entity with its messages, and the subscriptions of a topic',
    query: entityQuery,
    answer: deletedSchema,
  },
  {
    method: 'post',
    path: '/stop',
    summary: 'Stops the emulator',
    query: noQuery,
    body: emptyBody,
    answer: endedSchema,
  },
];

export function openApi(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of CALLS) {
    paths[call.path] = { ...paths[call.path], [call.method]: operation(call) };
  }
  const { document, schemas } = withComponents(paths);
  return {
    openapi: '3.1.0',
    info: { title: 'Jitney control interface', version },
    servers: [{ url: '/$jitney/v1' }],
    paths: document,
    components: { schemas },
  };
}

function operation({ path, summary, query, body, answer }: Described): object {
  const isRequired = (schema: z.core.$ZodType) => !z.safeParse(schema, undefined).success;
  const inQuery = Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    required: isRequired(schema),
    schema: jsonSchema(schema, 'input'),
  }));
  const inPath = path.includes('{id}')
    ? [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 0 } }]
    : [];
  return {
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: { required: !OPTIONAL_BODIES.has(body), content: contentOf(body, 'input') } }),
    responses: {
      200: { description: 'The answer', content: contentOf(answer, 'output') },
      default: { description: 'What was wrong, and what to do', content: contentOf(errorSchema, 'output') },
    },
  };
}

function contentOf(schema: z.core.$ZodType | 'bytes', io: 'input' | 'output'): object {
  if (schema === 'bytes')
    return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
  return { 'application/json': { schema: jsonSchema(schema, io) } };
}

function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return described;
}

/** Moves definitions from inside the schemas to `components`, where OpenAPI keeps them. */
function withComponents(paths: object): { readonly document: unknown; readonly schemas: object } {
  const schemas: Record<string, unknown> = {};
  const document: unknown = JSON.parse(JSON.stringify(paths), (key, value) => {
    if (key === '$ref') return String(value).replace('#/$defs/', '#/components/schemas/');
    if (key !== '$defs') return value;
    Object.assign(schemas, value);
    return undefined;
  });
  return { document, schemas };
}
