// The calls of the control interface by name. Loaded with the first request to it, because zod is slow to load.

import { NEVER } from '../../broker/contract/instant.js';
import type { RuleDescription } from '../../broker/contract/rule-description.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { parseFilter } from '../../content/message-filter.js';
import { type FilteredMessages, filterMessages } from '../../inspect/filter-messages.js';
import { type InspectMessages, readMessages } from '../../inspect/read-messages.js';
import { RequestProblem } from '../error-response.js';
import { expectResult, type RoutedCall } from '../http-context.js';
import { askAs } from './ask-as.js';
import { CLOCK_CALLS } from './clock-calls.js';
import { CONNECTION_CALLS } from './connection-calls.js';
import {
  checkShape,
  entityQuery,
  importBody,
  locksQuery,
  messagesQuery,
  noQuery,
  readJson,
  readSearch,
  sentMessageSchema,
  sentMessagesSchema,
  sessionsQuery,
  testRulesQuery,
} from './control-requests.js';
import type {
  EntityAnswer,
  ImportedAnswer,
  InfoAnswer,
  LocksAnswer,
  MessagesAnswer,
  RawMessageAnswer,
  SentAnswer,
  SessionsAnswer,
  TestedRulesAnswer,
} from './control-schemas.js';
import { entityAnswer, lockAnswer, sessionAnswer } from './entity-answers.js';
import { ENTITY_CALLS, readEntityAnswer } from './entity-calls.js';
import { EVENT_CALLS } from './event-calls.js';
import { FAULT_CALLS } from './fault-calls.js';
import { MANAGEMENT_CALLS } from './management-calls.js';
import {
  importedMessage,
  messageAnswer,
  newMessage,
  rawMessageAnswer,
  testedRuleAnswer,
} from './message-answers.js';
import { NAMESPACE_CALLS } from './namespace-calls.js';
import { openApi } from './openapi.js';
import { SEARCH_CALLS } from './search-calls.js';
import { SNAPSHOT_CALLS } from './snapshot-calls.js';

const DEFAULT_MAX = 50;
/** JSON and Base64 expand each byte of a body to at most two. */
const JSON_BYTES_PER_BYTE = 2;
const JSON_ROOM_BYTES = 64 * 1024;
/** An answer holds the contents of messages in memory four times: as bytes, as objects, as JSON, and as Base64. */
const PAGE_COPIES = 4;
const RAW_COPIES = 6;
/** The name of the caller's own rule, which is only tried. */
const OWN_RULE = 'yours';

/** Returns data, which is sent as JSON with status 200, or a whole response. Throws the error for a client's mistake. */
export type ControlCall = (call: RoutedCall) => Promise<object> | object;

export const CONTROL_CALLS = {
  ...CLOCK_CALLS,
  ...CONNECTION_CALLS,
  ...ENTITY_CALLS,
  ...EVENT_CALLS,
  ...FAULT_CALLS,
  ...MANAGEMENT_CALLS,
  ...NAMESPACE_CALLS,
  ...SEARCH_CALLS,
  ...SNAPSHOT_CALLS,

  getInfo(call): InfoAnswer {
    readSearch(call, noQuery);
    const { context } = call;
    const { startedTime, tier, limits, authorizer, control, now = Date.now } = context;
    const { version = '', ports = () => ({}), settings = {}, settingOrigins = {}, start } = control ?? {};
    const { namespace = 'default' } = control ?? {};
    const { hostname, port, protocol } = call.url;
    return {
      product: 'Jitney',
      ...(namespace !== 'default' && { namespace }),
      version,
      node: process.version,
      tier,
      ports: ports(),
      settings,
      settingOrigins,
      startedTime: startedTime.toISOString(),
      uptimeMs: Math.max(0, now() - startedTime.getTime()),
      auth: authorizer?.mode ?? 'any',
      connectionString: start?.connectionString(hostname, Number(port) || (protocol === 'https:' ? 443 : 80)),
      maskedPolicy: start?.maskedPolicy,
      hasAuthority: start?.hasAuthority,
      limits: Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== NEVER)),
    };
  },

  getOpenApi(call): object {
    readSearch(call, noQuery);
    return openApi(call.context.control?.version ?? '');
  },

  async listEntities(call): Promise<{ readonly entities: readonly EntityAnswer[] }> {
    readSearch(call, noQuery);
    const result = await call.context.engine.ask({ kind: 'inspect-namespace' });
    return { entities: expectResult(result, 'inspected-entities').entities.map(entityAnswer) };
  },

  getEntity(call): Promise<EntityAnswer> {
    return readEntityAnswer(readSearch(call, entityQuery).entity, call);
  },

  async listMessages(call): Promise<MessagesAnswer> {
    const query = readSearch(call, messagesQuery);
    const isNewestFirst = query.order === 'newest';
    const { from = isNewestFirst ? Number.MAX_SAFE_INTEGER : 0, max, limit = max ?? DEFAULT_MAX } = query;
    const command: InspectMessages = {
      kind: 'inspect-messages',
      entityPath: query.entity,
      conditions: query.state,
      fromSequenceNumber: from,
      isNewestFirst,
      maxCount: limit,
    };
    const isRaw = query.raw === 'true';
    const answer = isRaw ? rawMessageAnswer : messageAnswer;
    const copies = isRaw ? RAW_COPIES : PAGE_COPIES;
    const page = await readFiltered(call, command, { text: query.filter ?? '', copies });
    const { found, next, scannedCount, totalCount } = page;
    return {
      messages: found.map(({ message, content }) => answer(message, content)),
      next,
      scannedCount,
      totalCount,
    };
  },

  async getMessage(call): Promise<RawMessageAnswer> {
    const { entity: entityPath } = readSearch(call, entityQuery);
    const sequenceNumber = sequenceNumberOf(call.names.id);
    const page = { fromSequenceNumber: sequenceNumber, maxCount: 1 };
    const command = { kind: 'inspect-messages', entityPath, ...page } as const;
    const { found } = await readMessages(call.context.engine, command, { room: roomFor(call, RAW_COPIES) });
    const [first] = found;
    if (first?.message.properties.sequenceNumber !== sequenceNumber) {
      const text = `'${entityPath}' has no message ${sequenceNumber}.`;
      throw new ServiceBusError('message-not-found', text, { entityPath });
    }
    return rawMessageAnswer(first.message, first.content);
  },

  async sendMessages(call): Promise<SentAnswer> {
    const { engine } = call.context;
    const { entity: entityPath } = readSearch(call, entityQuery);
    const { maxBatchSizeBytes } = expectResult(
      await engine.ask({ kind: 'find-entity', entityPath }),
      'entity',
    );
    const maxBytes = JSON_BYTES_PER_BYTE * maxBatchSizeBytes + JSON_ROOM_BYTES;
    const given = await readJson(call, maxBytes, { takesEmpty: false });
    const sent = Array.isArray(given)
      ? checkShape(given, sentMessagesSchema, 'The list of messages')
      : [checkShape(given, sentMessageSchema, 'The message')];
    const now = Date.now();
    const messages = sent.map((message) => newMessage(message, now));
    const { sequenceNumbers } = expectResult(
      await askAs(call, { kind: 'send', entityPath, messages }),
      'sent',
    );
    return { sequenceNumbers: [...sequenceNumbers] };
  },

  async importMessages(call): Promise<ImportedAnswer> {
    const { entity: entityPath } = readSearch(call, entityQuery);
    const { limits } = call.context;
    const maxBytes = RAW_COPIES * limits.maxMessageSizeCeilingBytes + JSON_ROOM_BYTES;
    const given = checkShape(await readJson(call, maxBytes, { takesEmpty: false }), importBody, 'The body');
    const { messages = [], sessionStates = [], importId, isLast } = given;
    const now = Date.now();
    const result = await askAs(call, {
      kind: 'import-messages',
      entityPath,
      messages: messages.map((line, index) => importedMessage(line, index, now)),
      sessionStates: sessionStates.map(({ sessionId, stateBase64 }) => {
        return { sessionId, state: Buffer.from(stateBase64, 'base64') };
      }),
      importId,
      ...(isLast === undefined ? {} : { isLast }),
    });
    const { sequenceNumbers, skippedCount, marks } = expectResult(result, 'imported');
    return {
      count: sequenceNumbers.length,
      skippedCount,
      ...(importId === undefined ? {} : { marks: [...marks] }),
    };
  },

  async listLocks(call): Promise<LocksAnswer> {
    const { entity: entityPath, from = 0, max = DEFAULT_MAX } = readSearch(call, locksQuery);
    const page = { fromSequenceNumber: from, maxCount: max };
    const result = await call.context.engine.ask({ kind: 'inspect-locks', entityPath, ...page });
    const { locks, next } = expectResult(result, 'inspected-locks');
    return { locks: locks.map(lockAnswer), next };
  },

  async listSessions(call): Promise<SessionsAnswer> {
    const { entity: entityPath, from = '', max = DEFAULT_MAX } = readSearch(call, sessionsQuery);
    const page = { fromSessionId: from, maxCount: max };
    const result = await call.context.engine.ask({ kind: 'inspect-sessions', entityPath, ...page });
    const { sessions, next } = expectResult(result, 'inspected-sessions');
    return { sessions: sessions.map(sessionAnswer), next };
  },

  async testRules(call): Promise<TestedRulesAnswer> {
    const { engine, limits } = call.context;
    const { entity: topicName, filter, action } = readSearch(call, testRulesQuery);
    const given = await readJson(
      call,
      JSON_BYTES_PER_BYTE * limits.maxMessageSizeCeilingBytes + JSON_ROOM_BYTES,
      { takesEmpty: false },
    );
    const message = newMessage(checkShape(given, sentMessageSchema, 'The message'), Date.now());
    const rule = filter === undefined ? undefined : ruleOf({ name: OWN_RULE, filter, action });
    const result = await engine.ask({ kind: 'test-rules', topicName, message, rule });
    return { rules: expectResult(result, 'tested-rules').rules.map(testedRuleAnswer) };
  },
} satisfies Readonly<Record<string, ControlCall>>;

/** Throws a RequestProblem for a filter that cannot be read. */
async function readFiltered(
  call: RoutedCall,
  command: InspectMessages,
  { text, copies }: { readonly text: string; readonly copies: number },
): Promise<FilteredMessages> {
  const { context, request, share } = call;
  const filter = parseFilter(text);
  if (filter.problem !== undefined) {
    throw new RequestProblem(400, `The filter cannot be read at ${filter.problem}.`);
  }
  const room = roomFor(call, copies);
  if (filter.terms.length === 0) {
    const page = await readMessages(context.engine, command, { room });
    return { ...page, scannedCount: page.found.length };
  }
  return filterMessages(context.engine, command, {
    filter,
    now: (context.now ?? Date.now)(),
    room,
    giveBack: (bytes) => share.add(-copies * bytes),
    signal: request.signal,
  });
}

/** Waits for memory for an answer with contents of so many bytes. */
function roomFor({ share }: RoutedCall, copies: number): (bytes: number) => Promise<void> | undefined {
  return (bytes) => share.take(copies * bytes);
}

type GivenRule = { readonly name: string; readonly filter: string; readonly action?: string | undefined };

function ruleOf({ name, filter, action }: GivenRule): RuleDescription {
  return {
    name,
    filter: { kind: 'sql', expression: filter },
    action: action === undefined ? undefined : { kind: 'sql', expression: action },
  };
}

function sequenceNumberOf(text: string): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new RequestProblem(400, `'${text.slice(0, 100)}' is not a sequence number; give a whole number.`);
}
