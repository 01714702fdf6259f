// com.microsoft:add-rule: adds a rule to a subscription, for the messages that come from then on (TOP-08, TOP-11).

import { type ManagementOperation, OK } from './management-operation.js';
import { readRule } from './rule-request.js';

export const addRule: ManagementOperation = (request) => ({
  command: { kind: 'add-rule', entityPath: request.entityPath, rule: readRule(request) },
  response: () => OK,
});
