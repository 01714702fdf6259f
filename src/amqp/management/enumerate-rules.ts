// com.microsoft:enumerate-rules: shows the rules of a subscription by name, page by page.

import assert from 'node:assert';
import { amqp } from '../../codec/types.js';
import { describedRule } from './described-rule.js';
import { type ManagementOperation, OK } from './management-operation.js';
import { readCount } from './request-fields.js';

const SKIP = 'skip';
const TOP = 'top';
const RULES = 'rules';
const RULE_DESCRIPTION = 'rule-description';
/** SDKs ask for the next page until one is empty. */
const PAST_THE_END = { status: 204, description: 'No Content' } as const;

export const enumerateRules: ManagementOperation = (request) => ({
  command: {
    kind: 'list-rules',
    entityPath: request.entityPath,
    skip: readCount(request, SKIP, { least: 0 }),
    maxCount: readCount(request, TOP),
  },
  response(answer) {
    assert(answer.kind === 'rules');
    const { rules } = answer;
    if (rules.length === 0) return PAST_THE_END;
    const items = rules.map((rule) => amqp.map([[amqp.string(RULE_DESCRIPTION), describedRule(rule)]]));
    return { ...OK, body: amqp.map([[amqp.string(RULES), amqp.list(items)]]) };
  },
});
