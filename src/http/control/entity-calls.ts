// The calls that create, change and delete entities and rules, and that show rules and the state of a session.

import { ContentUnreadable } from '../../broker/contract/content-unreadable.js';
import type { InspectedSession } from '../../broker/contract/inspection.js';
import type { Result } from '../../broker/contract/result.js';
import type { RuleDescription } from '../../broker/contract/rule-description.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { filterText, literal } from '../../broker/rules/filter-text.js';
import { readGivenRule } from '../../config/given-rule.js';
import { bodyAsJson } from '../../content/body-json.js';
import { changedEntity, newEntity } from '../../description/described-entity.js';
import { suggestion } from '../../description/suggestion.js';
import { requireForwardingAccess } from '../admin/forwarding-access.js';
import { RequestProblem } from '../error-response.js';
import { expectResult, type RoutedCall } from '../http-context.js';
import { askAs } from './ask-as.js';
import {
  changeEntityBody,
  changeRuleBody,
  createEntityBody,
  entityQuery,
  noQuery,
  readBodyOf,
  readSearch,
  ruleBody,
  ruleQuery,
  sessionQuery,
} from './control-requests.js';
import type { CreatedAnswer, EntityAnswer, SessionAnswer } from './control-schemas.js';
import { entityAnswer, sessionAnswer, timeText } from './entity-answers.js';
import type { DeletedAnswer, RuleAnswer, RulesAnswer } from './entity-schemas.js';

const MAX_RULE_BYTES = 16 * 1024;
/** The state is held in memory as bytes, as a value and as JSON. */
const STATE_COPIES = 4;
const ALL = { skip: 0, maxCount: Number.MAX_SAFE_INTEGER } as const;

export const ENTITY_CALLS = {
  async createEntity(call: RoutedCall): Promise<EntityAnswer> {
    readSearch(call, noQuery);
    const given = await readBodyOf(call, createEntityBody);
    const entity = newEntity(given.type, given.path, given.properties ?? {});
    await requireForwardingAccess(entity.description, undefined, call);
    expectResult(await askAs(call, { kind: 'put-entity', ...entity, expected: 'absent' }), 'entity-info');
    return readEntityAnswer(given.path, call);
  },

  async changeEntity(call: RoutedCall): Promise<EntityAnswer> {
    const { entity: entityPath } = readSearch(call, entityQuery);
    const { properties } = await readBodyOf(call, changeEntityBody);
    const before = expectResult(
      await call.context.engine.ask({ kind: 'get-entity', entityPath }),
      'entity-info',
    ).entity;
    const entity = changedEntity(before, properties);
    await requireForwardingAccess(entity.description, before.description, call);
    expectResult(await askAs(call, { kind: 'put-entity', ...entity, expected: 'present' }), 'entity-info');
    return readEntityAnswer(entityPath, call);
  },

  async deleteEntity(call: RoutedCall): Promise<DeletedAnswer> {
    const { entity: entityPath } = readSearch(call, entityQuery);
    expectResult(await askAs(call, { kind: 'delete-entity', entityPath }), 'done');
    return { deleted: entityPath };
  },

  async listRules(call: RoutedCall): Promise<RulesAnswer> {
    const { entity: entityPath } = readSearch(call, entityQuery);
    const result = await call.context.engine.ask({ kind: 'list-rules', entityPath, ...ALL });
    return { rules: expectResult(result, 'rules').rules.map(ruleAnswer) };
  },

  async addRule(call: RoutedCall): Promise<CreatedAnswer> {
    const { entity: entityPath } = readSearch(call, entityQuery);
    const given = await readBodyOf(call, ruleBody, MAX_RULE_BYTES);
    const rule = readGivenRule(given);
    expectResult(await askAs(call, { kind: 'add-rule', entityPath, rule }), 'done');
    return { created: rule.name };
  },

  async changeRule(call: RoutedCall): Promise<RuleAnswer> {
    const { entity: entityPath, rule: name } = readSearch(call, ruleQuery);
    const given = await readBodyOf(call, changeRuleBody, MAX_RULE_BYTES);
    const before = (await findRule(entityPath, name, call)).description;
    const { filter = before.filter, action = before.action } = given;
    const rule = readGivenRule({ name: before.name, filter, action: action ?? undefined });
    expectResult(await askAs(call, { kind: 'update-rule', entityPath, rule }), 'done');
    return ruleAnswer(await findRule(entityPath, name, call));
  },

  async deleteRule(call: RoutedCall): Promise<DeletedAnswer> {
    const { entity: entityPath, rule } = readSearch(call, ruleQuery);
    const { name } = (await findRule(entityPath, rule, call)).description;
    expectResult(await askAs(call, { kind: 'remove-rule', entityPath, name }), 'done');
    return { deleted: name };
  },

  getSession(call: RoutedCall): Promise<SessionAnswer> {
    const { entity: entityPath, sessionId } = readSearch(call, sessionQuery);
    const command = { kind: 'inspect-sessions', entityPath, fromSessionId: sessionId, maxCount: 1 } as const;
    return new Promise((resolve, reject) => {
      // The state must be requested before any other turn is handed out.
      const completed = (_tag: number, result: Result) => {
        const [found] = expectResult(result, 'inspected-sessions').sessions;
        if (found?.sessionId !== sessionId) throw noSession(entityPath, sessionId);
        readState(call, found).then((state) => {
          resolve({ ...sessionAnswer(found), ...state });
        }, reject);
      };
      call.context.engine.submit(command, { completed, faulted: reject }, 0);
    });
  },
} as const;

export async function readEntityAnswer(path: string, { context }: RoutedCall): Promise<EntityAnswer> {
  const result = await context.engine.ask({ kind: 'inspect-namespace', path });
  const [found] = expectResult(result, 'inspected-entities').entities.map(entityAnswer);
  if (found === undefined) throw new Error('an inspection of one entity returned none');
  return found;
}

type RuleRecord = { readonly description: RuleDescription; readonly createdTime: number };

function ruleAnswer({ description: { name, filter, action }, createdTime }: RuleRecord): RuleAnswer {
  const parameters = filter.kind === 'sql' ? filter.parameters : undefined;
  const texts = Object.entries(parameters ?? {}).map(([key, value]) => [key, literal(value)] as const);
  return {
    name,
    filter: {
      type: filter.kind,
      text: filterText(filter),
      ...(texts.length === 0 ? {} : { parameters: Object.fromEntries(texts) }),
    },
    ...(action && { action: action.expression }),
    createdTime: timeText(createdTime),
  };
}

/** Throws a RequestProblem that names a similar rule. */
async function findRule(entityPath: string, name: string, { context }: RoutedCall): Promise<RuleRecord> {
  const result = await context.engine.ask({ kind: 'list-rules', entityPath, ...ALL });
  const { rules } = expectResult(result, 'rules');
  const found = rules.find(({ description }) => description.name.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const names = rules.map(({ description }) => description.name);
  throw new RequestProblem(404, `'${entityPath}' has no rule '${name}'.${suggestion(name, names)}`);
}

async function readState(
  { context: { engine }, share }: RoutedCall,
  { stateContentId, stateBytes = 0 }: InspectedSession,
): Promise<Pick<SessionAnswer, 'state' | 'stateBase64'> | undefined> {
  if (stateContentId === undefined) return undefined;
  const bytes = await engine
    .readContent(stateContentId, share.take(STATE_COPIES * stateBytes))
    .catch(refuseUnreadable);
  const body = { kind: 'bytes', section: 'data', sizeBytes: bytes.byteLength, bytes } as const;
  const state = bodyAsJson(body) as NonNullable<SessionAnswer['state']>;
  return { state, stateBase64: Buffer.from(bytes).toString('base64') };
}

function refuseUnreadable(error: unknown): never {
  if (!(error instanceof ContentUnreadable)) throw error;
  throw new RequestProblem(500, 'The state of this session cannot be read: it is damaged on the disk.');
}

function noSession(entityPath: string, sessionId: string): ServiceBusError {
  const text = `'${entityPath}' has no session ${JSON.stringify(sessionId)} with a message, a state or a holder.`;
  return new ServiceBusError('message-not-found', text, { entityPath });
}
