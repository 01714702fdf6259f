// The settings of an entity: all properties by Azure's names, its rules, what it is, and how it is changed or deleted.

import { useState } from 'preact/hooks';
import { Panel } from '../../parts/panel.js';
import { dateTimeText, numberText, shownText } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import type { Listed } from '../../state/store.js';
import { useStore } from '../../state/use-store.js';
import { DeleteEntity } from '../manage/delete-entity.js';
import { EntityForm } from '../manage/entity-form.js';
import { type EntityKind, settingText } from '../manage/property-draft.js';
import { RulesPanel } from '../manage/rules-panel.js';

type Line = readonly [name: string, value: string, path?: string];

export function SettingsTab({ path }: { readonly path: string }) {
  const store = useStore();
  const [open, setOpen] = useState<'form' | 'delete'>();
  const entity = store.entityAt(path);
  if (entity === undefined) return null;
  const acts = store.isReadOnly.value ? undefined : (
    <>
      <button type="button" class="sm" onClick={() => setOpen('form')}>
        Edit…
      </button>
      <button type="button" class="sm bad" onClick={() => setOpen('delete')}>
        Delete…
      </button>
    </>
  );
  const close = () => setOpen(undefined);
  return (
    <div class="stack">
      {entity.kind === 'subscription' ? <RulesPanel path={entity.path} topic={entity.topic} /> : null}
      <div class="cols settings">
        <Lines
          title="Properties"
          acts={acts}
          lines={Object.entries(entity.properties).map(([name, value]) =>
            propertyLine(entity.kind, name, value),
          )}
        />
        <Lines title="What it is" lines={identity(entity)} />
      </div>
      {open === 'form' ? <EntityForm entity={entity} onClose={close} /> : null}
      {open === 'delete' ? <DeleteEntity entity={entity} onClose={close} /> : null}
    </div>
  );
}

type LinesProps = {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly acts?: preact.ComponentChildren;
};

function Lines({ title, lines, acts }: LinesProps) {
  return (
    <Panel title={title} acts={acts}>
      <table class="props">
        <caption class="vh">{title}</caption>
        <tbody>
          {lines.map(([name, value, path]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="value">
                {path === undefined ? (
                  <bdi>{shownText(value, 400)}</bdi>
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

function propertyLine(kind: EntityKind, name: string, value: Listed['properties'][string]): Line {
  if (Array.isArray(value)) {
    const rules = value.map(({ keyName, accessRights }) => `${keyName}: ${accessRights.join(', ')}`);
    return [name, rules.length === 0 ? 'none' : rules.join('; ')];
  }
  const text = settingText(kind, name, value);
  return name.startsWith('forward') ? [name, text, text] : [name, text];
}

function identity(entity: Listed): readonly Line[] {
  const { path, kind, links, createdTime, updatedTime, accessedTime, sizeBytes } = entity;
  return [
    ['Path', path],
    ['Kind', kind],
    ...(kind === 'subscription' ? [['Topic', entity.topic, entity.topic] as const] : []),
    ['Size', `${numberText(sizeBytes)} bytes`],
    ['Senders', numberText(links.senders)],
    ['Receivers', numberText(links.receivers)],
    ['Created', dateTimeText(createdTime)],
    ['Updated', dateTimeText(updatedTime)],
    ['Used', accessedTime === undefined ? 'not yet' : dateTimeText(accessedTime)],
  ];
}
