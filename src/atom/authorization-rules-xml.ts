// Writes the authorization rules of an entity.

import type { AuthorizationRule } from '../broker/contract/entities/authorization-rule.js';
import { element, textElement } from './xml/write-xml.js';

export function authorizationRules(rules: readonly AuthorizationRule[]): string {
  const all = rules.map((rule) =>
    element(
      'AuthorizationRule',
      { 'i:type': 'SharedAccessAuthorizationRule' },
      textElement('ClaimType', rule.claimType),
      textElement('ClaimValue', rule.claimValue),
      element('Rights', {}, ...rule.rights.map((right) => textElement('AccessRights', right))),
      rule.createdTime === undefined ? undefined : textElement('CreatedTime', rule.createdTime),
      rule.modifiedTime === undefined ? undefined : textElement('ModifiedTime', rule.modifiedTime),
      textElement('KeyName', rule.keyName),
      textElement('PrimaryKey', rule.primaryKey),
      textElement('SecondaryKey', rule.secondaryKey),
    ),
  );
  return element('AuthorizationRules', {}, ...all);
}
