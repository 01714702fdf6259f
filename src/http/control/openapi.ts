// GET openapi.json: the calls of the control interface as an OpenAPI document, generated from the schemas that check and type them.

import { z } from 'zod';
import * as given from './control-requests.js';
import * as answers from './control-schemas.js';
import { deletedSchema, ruleSchema, rulesSchema } from './entity-schemas.js';

/** Method, path, summary, query, body and answer. `bytes`: not JSON. */
type Described = readonly [
  method: 'get' | 'post' | 'put' | 'delete',
  path: string,
  summary: string,
  query: z.ZodObject,
  body: z.ZodType | 'bytes' | undefined,
  answer: z.ZodType | 'bytes',
];

/** Bodies that may be empty, which means `{}`. A message may be `{}`, but not empty. */
const OPTIONAL_BODIES: ReadonlySet<Described[4]> = new Set<Described[4]>([
  given.changeRuleBody,
  given.emptyBody,
  given.purgeBody,
  given.resetBody,
]);

const NOTHING = undefined;
const SENT = z.union([given.sentMessageSchema, given.sentMessagesSchema]);
const FOUND = z.union([answers.searchHitSchema, answers.searchProgressSchema, answers.searchEndSchema]);

/** One for each route of the interface. */
// biome-ignore format: a table
const CALLS: readonly Described[] = [
  ['get', '/info', 'Version, ports and options of the emulator', given.noQuery, NOTHING, answers.infoSchema],
  ['get', '/entities', 'All entities with exact counts', given.noQuery, NOTHING, answers.entitiesSchema],
  ['get', '/entity', 'One entity', given.entityQuery, NOTHING, answers.entitySchema],
  ['get', '/messages', 'Messages by number, in any state or in some', given.messagesQuery, NOTHING, answers.messagesSchema],
  ['get', '/messages/{id}', 'One message with its raw bytes', given.entityQuery, NOTHING, answers.rawMessageSchema],
  ['get', '/locks', 'The locked messages of an entity', given.locksQuery, NOTHING, answers.locksSchema],
  ['get', '/sessions', 'The sessions of an entity', given.sessionsQuery, NOTHING, answers.sessionsSchema],
  ['get', '/session', 'One session with its state', given.sessionQuery, NOTHING, answers.sessionSchema],
  ['get', '/rules', 'The rules of a subscription', given.entityQuery, NOTHING, rulesSchema],
  ['get', '/namespaces', 'All namespaces; the calls of each are also below /namespaces/<name>', given.noQuery, NOTHING, answers.namespacesSchema],
  ['get', '/clock', "The broker's clock", given.noQuery, NOTHING, answers.clockSchema],
  ['get', '/faults', 'The faults, and how often each has happened', given.noQuery, NOTHING, answers.faultsSchema],
  ['get', '/connections', 'The AMQP connections and their links', given.noQuery, NOTHING, answers.connectionsSchema],
  ['get', '/history', 'What happened to a message, as far back as the records reach', given.historyQuery, NOTHING, answers.historySchema],
  ['get', '/rates', 'The messages of each second of the last five minutes', given.ratesQuery, NOTHING, answers.ratesSchema],
  ['get', '/causes', 'What needs a look, the newest first', given.noQuery, NOTHING, answers.causesSchema],
  ['get', '/events', 'The stream of events, as server-sent events', given.eventsQuery, NOTHING, answers.eventSchema],
  ['get', '/search', 'Searches all messages; the events are hit, progress and end', given.searchQuery, NOTHING, FOUND],
  ['get', '/openapi.json', 'This document', given.noQuery, NOTHING, z.looseObject({})],
  ['post', '/messages', 'Sends one message or a list of them', given.entityQuery, SENT, answers.sentSchema],
  ['post', '/messages:delete', 'Deletes messages in any state', given.entityQuery, given.selectionBody, answers.managedSchema],
  ['post', '/messages:dead-letter', 'Moves messages to the dead-letter queue of their entity', given.entityQuery, given.deadLetterBody, answers.managedSchema],
  ['post', '/messages:resubmit', 'Sends dead letters back to the entity that they come from', given.entityQuery, given.selectionBody, answers.managedSchema],
  ['post', '/messages:move', 'Moves messages to another queue or topic', given.entityQuery, given.moveBody, answers.managedSchema],
  ['post', '/messages:activate', 'Makes scheduled and deferred messages active now', given.entityQuery, given.selectionBody, answers.managedSchema],
  ['post', '/locks:end', 'Ends the locks of messages as if they had expired', given.entityQuery, given.endLocksBody, answers.managedSchema],
  ['post', '/messages:import', 'Takes messages as they were in another entity', given.entityQuery, given.importBody, answers.importedSchema],
  ['post', '/messages:purge', 'Empties an entity; takes the same time at any size', given.entityQuery, given.purgeBody, answers.purgedSchema],
  ['post', '/reset', 'Empties all entities, and ends all transactions', given.noQuery, given.resetBody, answers.purgedSchema],
  ['get', '/snapshot', 'Takes a snapshot of everything that is stored', given.noQuery, NOTHING, 'bytes'],
  ['put', '/snapshot', 'Resets the emulator and puts everything of a snapshot back', given.noQuery, 'bytes', answers.restoredSchema],
  ['post', '/sessions:end', 'Ends the lock of a session as if it had expired', given.entityQuery, given.endSessionBody, answers.endedSchema],
  ['post', '/connections:end', 'Closes an AMQP connection', given.noQuery, given.endConnectionBody, answers.endedSchema],
  ['post', '/links:end', 'Detaches a link', given.noQuery, given.endLinkBody, answers.endedSchema],
  ['post', '/clock:advance', 'Moves time forward; everything that falls due happens in order', given.noQuery, given.advanceBody, answers.advancedSchema],
  ['post', '/clock:next', 'Moves time forward to the next thing that is due', given.noQuery, given.emptyBody, answers.advancedSchema],
  ['post', '/clock:freeze', 'Stops time', given.noQuery, given.emptyBody, answers.clockSchema],
  ['post', '/clock:resume', "Lets time run on, as fast as the machine's", given.noQuery, given.emptyBody, answers.clockSchema],
  ['post', '/clock:scale', 'Lets time run at another pace', given.noQuery, given.scaleBody, answers.clockSchema],
  ['post', '/faults', 'Adds a fault', given.noQuery, given.faultBody, answers.addedFaultSchema],
  ['post', '/faults:preset', 'Adds the faults of a preset', given.noQuery, given.presetBody, answers.faultsSchema],
  ['post', '/faults:remove', 'Removes a fault', given.noQuery, given.removeFaultBody, answers.endedSchema],
  ['post', '/faults:clear', 'Removes all faults', given.noQuery, given.emptyBody, answers.clearedSchema],
  ['post', '/clock:reset', "Goes back to the machine's time; distances stay", given.noQuery, given.emptyBody, answers.clockSchema],
  ['post', '/rules:test', 'Tries a message on every rule of a topic', given.testRulesQuery, given.sentMessageSchema, answers.testedRulesSchema],
  ['post', '/rules', 'Adds a rule to a subscription', given.entityQuery, given.ruleBody, answers.createdSchema],
  ['put', '/rules', 'Changes the filter or the action of a rule', given.ruleQuery, given.changeRuleBody, ruleSchema],
  ['delete', '/rules', 'Removes a rule', given.ruleQuery, NOTHING, deletedSchema],
  ['post', '/entities', 'Creates a queue, topic or subscription', given.noQuery, given.createEntityBody, answers.entitySchema],
  ['post', '/namespaces', 'Adds a namespace', given.noQuery, given.namespaceBody, answers.namespaceSchema],
  ['delete', '/namespaces', 'Removes a namespace with everything that is stored in it', given.namespaceQuery, NOTHING, answers.endedSchema],
  ['put', '/entity', 'Changes properties of an entity', given.entityQuery, given.changeEntityBody, answers.entitySchema],
  ['delete', '/entity', 'Deletes an entity with its messages, and the subscriptions of a topic', given.entityQuery, NOTHING, deletedSchema],
  ['post', '/stop', 'Stops the emulator', given.noQuery, given.emptyBody, answers.endedSchema],
];

export function openApi(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of CALLS) {
    const [method, path] = call;
    paths[path] = { ...paths[path], [method]: operation(call) };
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

function operation([, path, summary, query, body, answer]: Described): object {
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
      default: {
        description: 'What was wrong, and what to do',
        content: contentOf(answers.errorSchema, 'output'),
      },
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
