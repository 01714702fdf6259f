// com.microsoft:remove-rule: removes a rule of a subscription by its name (TOP-11).

import { type ManagementOperation, OK } from './management-operation.js';
import { readRuleName } from './rule-request.js';

export const removeRule: ManagementOperation = (request) => ({
  command: { kind: 'remove-rule', entityPath: request.entityPath, name: readRuleName(request) },
  response: () => OK,
});
