// What rules say of the messages of a simulation, in the reference model: there are few expressions, and each has its own line here.

import type { SystemChanges } from '../../src/broker/message/message-properties.js';
import type { Filter, ParameterValue, RuleDescription } from '../../src/broker/rules/rule-description.js';
import type { MadeProperties } from './message-content.js';

/** A message, as rules see it. */
export type Ruled = MadeProperties & {
  readonly messageId: string | undefined;
  readonly sessionId: string | undefined;
};

/** What an action does to a copy; the values as text. */
export type Changes = {
  /** Null: removed. */
  readonly properties: Readonly<Record<string, string | null>>;
  readonly system: SystemChanges;
};

/** It cannot be carried out (TOP-09). */
export const FAILS = 'fails';

/** SQL-09: what is unknown does not match. */
export const CONDITIONS: Readonly<Record<string, (message: Ruled) => boolean | typeof FAILS>> = {
  "color = 'red'": ({ color }) => color === 'red',
  "user.Color IN ('red', 'blue')": ({ color }) => color === 'red' || color === 'blue',
  "NOT color = 'red'": ({ color }) => color !== undefined && color !== 'red',
  'color IS NULL': ({ color }) => color === undefined,
  "sys.Label LIKE 'al%' OR quantity > 2": ({ subject = '', quantity = 0 }) =>
    subject.startsWith('al') || quantity > 2,
  'EXISTS(quantity)': ({ quantity }) => quantity !== undefined,
  "sys.SessionId = 'east'": ({ sessionId }) => sessionId === 'east',
  '12 / quantity > 3': ({ quantity }) => {
    if (quantity === undefined) return false;
    return quantity === 0 ? FAILS : Math.trunc(12 / quantity) > 3;
  },
};

const NOTHING: Changes = { properties: {}, system: {} };

export const ACTIONS: Readonly<Record<string, (message: Ruled, at: number) => Changes | typeof FAILS>> = {
  "SET color = 'green'": () => ({ ...NOTHING, properties: { color: 'green' } }),
  'REMOVE color': ({ color }) =>
    color === undefined ? NOTHING : { ...NOTHING, properties: { color: null } },
  "SET sys.Label = 'beta'; SET by = 'rule'": () => ({
    properties: { by: 'rule' },
    system: { subject: 'beta' },
  }),
  "SET sys.SessionId = 'east'": () => ({ ...NOTHING, system: { sessionId: 'east' } }),
  'REMOVE sys.SessionId': () => ({ ...NOTHING, system: { sessionId: null } }),
  'SET sys.TimeToLive = 1000': () => ({ ...NOTHING, system: { timeToLiveMs: 1000 } }),
  "SET sys.MessageId = 'm1'": () => ({ ...NOTHING, system: { messageId: 'm1' } }),
  'REMOVE sys.TimeToLive': () => ({ ...NOTHING, system: { timeToLiveMs: null } }),
  'REMOVE sys.MessageId': () => ({ ...NOTHING, system: { messageId: null } }),
  'SET sys.ScheduledEnqueueTimeUtc = @at': (_, at) => ({ ...NOTHING, system: { scheduledEnqueueTime: at } }),
  'SET share = 12 / quantity': ({ quantity }) => {
    if (quantity === 0) return FAILS;
    const share = quantity === undefined ? 'null' : String(Math.trunc(12 / quantity)); // ACT-05
    return { ...NOTHING, properties: { share } };
  },
};

export function matches(filter: Filter, message: Ruled): boolean | typeof FAILS {
  switch (filter.kind) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'sql':
      return known(CONDITIONS, filter.expression)(message);
    case 'correlation': {
      const { subject, sessionId, messageId, properties = {} } = filter;
      return (
        (subject === undefined || subject === message.subject) &&
        (sessionId === undefined || sessionId === message.sessionId) &&
        (messageId === undefined || messageId === message.messageId) &&
        Object.entries(properties).every(([name, value]) => hasProperty(message, name, value))
      );
    }
  }
}

/** COR-02: text equals text alone, and an integer integers alone. */
function hasProperty(message: Ruled, name: string, value: ParameterValue): boolean {
  if (name.toLowerCase() === 'color') return value === message.color;
  if (name.toLowerCase() !== 'quantity') return false;
  return typeof value === 'object' && value.value === String(message.quantity);
}

export function act({ action }: RuleDescription, message: Ruled): Changes | typeof FAILS {
  const at = action?.parameters?.['@at'];
  const time = typeof at === 'object' && at.type === 'timestamp' ? at.value : 0;
  return action === undefined ? NOTHING : known(ACTIONS, action.expression)(message, time);
}

/** Why a rule cannot be had; none when it can. */
export function refusalsOfRule({ name, filter, action }: RuleDescription): readonly string[] {
  const isName = name.length > 0 && name.length <= 50 && !name.includes('/');
  const isFilter = filter.kind !== 'sql' || filter.expression in CONDITIONS;
  const isGiven = filter.kind !== 'correlation' || Object.keys(filter).length > 1; // COR-01
  const isAction = action === undefined || action.expression in ACTIONS;
  return isName && isFilter && isGiven && isAction ? [] : ['argument'];
}

function known<T>(table: Readonly<Record<string, T>>, expression: string): T {
  const found = table[expression];
  if (found === undefined) throw new Error(`the model does not know '${expression}'`);
  return found;
}
