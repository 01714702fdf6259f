// The effective configuration as text: a table for people, JSON for programs.

import type { EffectiveEntities, EffectiveEntity, EffectiveRule } from '../config/effective-entities.js';
import type { EffectiveValue } from '../config/effective-settings.js';
import { flagName } from '../config/setting-choice.js';

export type ShownConfig = EffectiveEntities & { readonly settings: readonly EffectiveValue[] };

const NAME_WIDTH = 43;
const VALUE_WIDTH = 30;

/** One row for each value: its name, the value, and whence it comes. */
export function formatConfig({ settings, queues, topics }: ShownConfig): string {
  const sections = [
    ['Settings', ...settings.map(({ name, value, from }) => row(flagName(name), value, from))],
    ...queues.map((queue) => sectionOf('Queue', queue.name, queue)),
    ...topics.flatMap((topic) => [
      sectionOf('Topic', topic.name, topic),
      ...topic.subscriptions.map((subscription) => [
        ...sectionOf('Subscription', `${topic.name}/${subscription.name}`, subscription),
        ...subscription.rules.map(ruleRow),
      ]),
    ]),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function sectionOf(kind: string, name: string, { from, properties }: EffectiveEntity): string[] {
  return [`${kind} ${name}   ${from}`, ...properties.map((one) => row(one.name, one.value, one.from))];
}

function row(name: string, value: EffectiveValue['value'], from: string): string {
  const text = String(value ?? '-').replace(/\s+/g, ' '); // SQL may have lines
  return `  ${name.padEnd(NAME_WIDTH)} ${text.padEnd(VALUE_WIDTH)} ${from}`;
}

function ruleRow({ name, filter, action, from }: EffectiveRule): string {
  const text = filterText(filter);
  return row(`rule ${name}`, action === undefined ? text : `${text} => ${action.expression}`, from);
}

function filterText(filter: EffectiveRule['filter']): string {
  switch (filter.kind) {
    case 'true':
    case 'false':
      return filter.kind;
    case 'sql':
      return filter.expression;
    case 'correlation': {
      const { kind: _, ...conditions } = filter;
      return JSON.stringify(conditions);
    }
    default:
      return filter satisfies never;
  }
}

export function formatConfigJson({ settings, queues, topics }: ShownConfig): string {
  const shown = {
    settings: byName(settings),
    queues: queues.map(entityJson),
    topics: topics.map(({ subscriptions, ...topic }) => ({
      ...entityJson(topic),
      subscriptions: subscriptions.map(({ rules, ...subscription }) => ({
        ...entityJson(subscription),
        rules: rules.map(({ action, ...rule }) => ({ ...rule, action: action ?? null })),
      })),
    })),
  };
  return `${JSON.stringify(shown, undefined, 2)}\n`;
}

function entityJson({ name, from, properties }: EffectiveEntity): object {
  return { name, from, properties: byName(properties) };
}

function byName(values: readonly EffectiveValue[]): object {
  return Object.fromEntries(values.map(({ name, value, from }) => [name, { value, from }]));
}
