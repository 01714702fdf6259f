// The dialog that creates a queue, topic or subscription, or changes one: a field for each property, with its default and its mistake.

import { useState } from 'preact/hooks';
import type { EntityAnswer } from '../../../http/control/control-schemas.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { Choice } from '../../parts/panel.js';
import { change } from '../../state/api.js';
import { shownText, spokenPath } from '../../state/format.js';
import { go } from '../../state/route.js';
import type { Listed } from '../../state/store.js';
import { useStore } from '../../state/use-store.js';
import {
  changesIn,
  draftOf,
  type EntityKind,
  fieldsOf,
  NEVER,
  type PropertyDraft,
  type PropertyField,
  problemsIn,
} from './property-draft.js';

const KINDS = [
  ['queue', 'Queue'],
  ['topic', 'Topic'],
  ['subscription', 'Subscription'],
] as const;

type FormProps = {
  /** The entity to change. Without it one is created. */
  readonly entity?: Listed;
  /** The topic of a new subscription. Without it the kind can be chosen. */
  readonly topic?: string;
  readonly onClose: () => void;
};

export function EntityForm({ entity, topic, onClose }: FormProps) {
  const store = useStore();
  const [kind, setKind] = useState<EntityKind>(
    entity?.kind ?? (topic === undefined ? 'queue' : 'subscription'),
  );
  const [name, setName] = useState('');
  const [owner, setOwner] = useState(topic ?? '');
  const before = draftOf(kind, entity?.properties);
  const [draft, setDraft] = useState<PropertyDraft>(before);
  const changes = changesIn(kind, draft, before);
  const problems = problemsIn(kind, changes);
  const path = kind === 'subscription' ? `${owner}/Subscriptions/${name.trim()}` : name.trim();
  const save = async () => {
    const saved =
      entity === undefined
        ? await change<EntityAnswer>('POST', 'entities', {}, { type: kind, path, properties: changes })
        : await change<EntityAnswer>('PUT', 'entity', { entity: entity.path }, { properties: changes });
    await store.refreshEntities();
    store.notices.show(`${spokenPath(saved.path)} is ${entity === undefined ? 'created' : 'changed'}.`);
    if (entity === undefined) go({ screen: 'entity', path: saved.path, tab: 'settings', filter: '' });
    return true;
  };
  const isComplete = entity === undefined ? name.trim() !== '' : Object.keys(changes).length > 0;
  return (
    <FormDialog
      title={entity === undefined ? 'New entity' : `Settings of ${spokenPath(entity.path)}`}
      act={entity === undefined ? 'Create' : 'Save'}
      isReady={isComplete && problems.size === 0}
      onSave={save}
      onClose={onClose}
    >
      {entity === undefined ? (
        <Naming
          {...{ kind, name, owner, isFixedTopic: topic !== undefined }}
          onName={setName}
          onOwner={setOwner}
          onKind={(next) => {
            setKind(next);
            setDraft(draftOf(next));
          }}
        />
      ) : null}
      <Fields
        kind={kind}
        draft={draft}
        problems={problems}
        isNew={entity === undefined}
        onChange={(property, value) => setDraft({ ...draft, [property]: value })}
      />
    </FormDialog>
  );
}

type NamingProps = {
  readonly kind: EntityKind;
  readonly name: string;
  readonly owner: string;
  readonly isFixedTopic: boolean;
  readonly onKind: (kind: EntityKind) => void;
  readonly onName: (name: string) => void;
  readonly onOwner: (topic: string) => void;
};

function Naming({ kind, name, owner, isFixedTopic, onKind, onName, onOwner }: NamingProps) {
  const { listed } = useStore();
  const topics = listed.value.filter((one) => one.kind === 'topic').map(({ path }) => path);
  const choose = (next: EntityKind) => {
    onKind(next);
    if (next === 'subscription' && owner === '') onOwner(topics[0] ?? '');
  };
  return (
    <>
      {isFixedTopic ? null : (
        <Choice
          label="Kind"
          values={topics.length === 0 ? KINDS.slice(0, 2) : KINDS}
          value={kind}
          onChoose={choose}
        />
      )}
      {kind === 'subscription' && !isFixedTopic ? (
        <label class="labelled">
          Topic
          <select value={owner} onChange={(event) => onOwner(event.currentTarget.value)}>
            {topics.map((path) => (
              <option key={path}>{path}</option>
            ))}
          </select>
        </label>
      ) : null}
      <label class="labelled">
        Name
        <input
          type="text"
          autofocus
          spellcheck={false}
          value={name}
          onInput={(event) => onName(event.currentTarget.value)}
        />
      </label>
    </>
  );
}

type FieldsProps = {
  readonly kind: EntityKind;
  readonly draft: PropertyDraft;
  readonly problems: ReadonlyMap<string, string>;
  readonly isNew: boolean;
  readonly onChange: (name: string, value: string | boolean) => void;
};

function Fields({ kind, draft, problems, isNew, onChange }: FieldsProps) {
  const { listed } = useStore();
  const targets = listed.value.filter((one) => one.kind !== 'subscription');
  return (
    <div class="fieldgrid">
      <datalist id="forward-targets">
        {targets.map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      {fieldsOf(kind).map((field) => (
        <Field
          key={field.name}
          field={field}
          value={draft[field.name] ?? ''}
          problem={problems.get(field.name)}
          isLocked={field.isFixed && !isNew}
          onChange={(value) => onChange(field.name, value)}
        />
      ))}
    </div>
  );
}

type FieldProps = {
  readonly field: PropertyField;
  readonly value: string | boolean;
  readonly problem: string | undefined;
  /** The entity exists, and this property cannot change. */
  readonly isLocked: boolean;
  readonly onChange: (value: string | boolean) => void;
};

function Field({ field, value, problem, isLocked, onChange }: FieldProps) {
  const { name, type, values, fallback } = field;
  const id = `property-${name}`;
  const common = {
    id,
    disabled: isLocked,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-note`,
  };
  const note = isLocked
    ? 'Cannot change: delete the entity and create it anew.'
    : fallback === ''
      ? 'Default: none'
      : `Default: ${fallback === NEVER ? 'never' : fallback}`;
  return (
    <div class="labelled">
      <label for={id} class="m">
        {name}
      </label>
      {type === 'boolean' ? (
        <input
          {...common}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      ) : values === undefined ? (
        <input
          {...common}
          type="text"
          spellcheck={false}
          list={name.startsWith('forward') ? 'forward-targets' : undefined}
          placeholder={fallback === NEVER ? 'never' : fallback}
          value={value === NEVER ? '' : String(value)}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <select {...common} value={String(value)} onChange={(event) => onChange(event.currentTarget.value)}>
          {values.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )}
      <p id={`${id}-note`} class={problem === undefined ? 't3' : 'red'}>
        {problem === undefined ? note : shownText(problem, 300)}
      </p>
    </div>
  );
}
