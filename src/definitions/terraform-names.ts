// The resources and attributes of Terraform's provider azurerm for those of Azure Resource Manager.

import type { ResourceKind } from './azure-resource.js';

export const TERRAFORM_TYPES: Readonly<Record<ResourceKind, string>> = {
  queue: 'azurerm_servicebus_queue',
  topic: 'azurerm_servicebus_topic',
  subscription: 'azurerm_servicebus_subscription',
  rule: 'azurerm_servicebus_subscription_rule',
  'queue-authorization-rule': 'azurerm_servicebus_queue_authorization_rule',
  'topic-authorization-rule': 'azurerm_servicebus_topic_authorization_rule',
};

export const NAMESPACE_RESOURCE = 'azurerm_servicebus_namespace';

/** The attribute with the id of the resource to which one belongs. */
export const PARENT_ATTRIBUTE: Readonly<Record<ResourceKind, string>> = {
  queue: 'namespace_id',
  topic: 'namespace_id',
  subscription: 'topic_id',
  rule: 'subscription_id',
  'queue-authorization-rule': 'queue_id',
  'topic-authorization-rule': 'topic_id',
};

/** Attributes that are not the name of the property in lower case with underscores. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  defaultMessageTimeToLive: 'default_message_ttl',
  deadLetteringOnFilterEvaluationExceptions: 'dead_lettering_on_filter_evaluation_error',
  enableBatchedOperations: 'batched_operations_enabled',
  enableExpress: 'express_enabled',
  enablePartitioning: 'partitioning_enabled',
};

/** Names that earlier versions of the provider had. */
export const EARLIER_NAMES: Readonly<Record<string, string>> = {
  enable_batched_operations: 'batched_operations_enabled',
  enable_express: 'express_enabled',
  enable_partitioning: 'partitioning_enabled',
};

/** Terraform sends false for these where they are not given, and Azure's default is true. */
export const FALSE_BY_DEFAULT: Readonly<Partial<Record<ResourceKind, readonly string[]>>> = {
  topic: ['enableBatchedOperations', 'supportOrdering'],
  subscription: ['enableBatchedOperations'],
};

export function attributeOf(property: string): string {
  return OTHER_NAMES[property] ?? property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
