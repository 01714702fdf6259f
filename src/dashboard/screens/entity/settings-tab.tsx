// The description of an entity: what it was created with, and since when it is there.

import type { EntityAnswer } from '../../../http/control/control-schemas.js';
import { Empty, Panel } from '../../parts/panel.js';
import { pathOf } from '../../state/api.js';
import { dateTimeText, durationText, numberText, spokenPath } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import { usePolled } from '../../state/use-polled.js';

const EVERY_MS = 5000;

type Line = readonly [name: string, value: string, path?: string];

export function SettingsTab({ path }: { readonly path: string }) {
  const { value: entity } = usePolled<EntityAnswer>(pathOf('entity', { entity: path }), { every: EVERY_MS });
  if (entity === undefined) return null;
  return (
    <div class="cols settings">
      <Lines title="What it does" lines={behaviour(entity)} />
      <Lines title="What it is" lines={identity(entity)} />
      {entity.kind === 'subscription' ? <Rules rules={entity.rules} topic={entity.topic} /> : null}
    </div>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly Line[] }) {
  return (
    <Panel title={title}>
      <table class="props">
        <caption class="vh">{title}</caption>
        <tbody>
          {lines.map(([name, value, path]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="value">
                {path === undefined ? (
                  value
                ) : (
                  <a href={hrefOf({ screen: 'entity', path, tab: 'active', filter: '' })}>{value}</a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function behaviour(entity: EntityAnswer): readonly Line[] {
  const { defaultTimeToLiveMs, duplicateDetectionWindowMs, autoDeleteOnIdleMs } = entity;
  const common: readonly Line[] = [
    ['Status', entity.status],
    ['Default time to live', durationOr(defaultTimeToLiveMs, 'none: messages stay')],
    ['Duplicate detection', durationOr(duplicateDetectionWindowMs, 'off')],
    ['Deleted when idle', durationOr(autoDeleteOnIdleMs, 'never')],
  ];
  if (entity.kind === 'topic') return common;
  const { forwardTo, forwardDeadLetteredMessagesTo: deadTo } = entity;
  return [
    ['Lock duration', durationText(entity.lockDurationMs)],
    ['Most deliveries', numberText(entity.maxDeliveryCount)],
    ['Sessions', entity.requiresSession ? 'required' : 'not required'],
    forwardTo === undefined ? ['Forwards to', 'no other'] : ['Forwards to', spokenPath(forwardTo), forwardTo],
    deadTo === undefined
      ? ['Forwards dead letters to', 'no other']
      : ['Forwards dead letters to', spokenPath(deadTo), deadTo],
    ...common,
  ];
}

function identity(entity: EntityAnswer): readonly Line[] {
  const { path, kind, links, createdTime, updatedTime, accessedTime, sizeBytes } = entity;
  const partitioned: readonly Line[] =
    kind === 'subscription'
      ? [['Topic', entity.topic, entity.topic]]
      : [
          ['Partitioned', entity.isPartitioned ? 'yes' : 'no'],
          ['Largest size', `${numberText(entity.maxSizeInMegabytes)} MB`],
        ];
  return [
    ['Path', path],
    ['Kind', kind],
    ...partitioned,
    ['Size', `${numberText(sizeBytes)} bytes`],
    ['Senders', numberText(links.senders)],
    ['Receivers', numberText(links.receivers)],
    ['Created', dateTimeText(createdTime)],
    ['Updated', dateTimeText(updatedTime)],
    ['Used', accessedTime === undefined ? 'not yet' : dateTimeText(accessedTime)],
  ];
}

function durationOr(ms: number | undefined, none: string): string {
  return ms === undefined ? none : durationText(ms);
}

function Rules({ rules, topic }: { readonly rules: readonly string[]; readonly topic: string }) {
  return (
    <Panel
      title="Rules"
      acts={
        <a class="btn sm" href={hrefOf({ screen: 'rules', topic })}>
          Test them
        </a>
      }
    >
      {rules.length === 0 ? (
        <Empty title="No rules.">Without one, no message reaches this subscription.</Empty>
      ) : (
        <ul class="pad">
          {rules.map((rule) => (
            <li key={rule} class="m">
              <bdi>{rule}</bdi>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
