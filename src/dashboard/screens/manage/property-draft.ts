// The properties of an entity as a form holds them: texts and ticks, compared with what the entity has or what Azure gives it.

import {
  defaultProperties,
  isFixedProperty,
  PROPERTIES_OF,
  problemOfProperty,
} from '../../../description/described-entity.js';

export type EntityKind = keyof typeof PROPERTIES_OF;

/** The texts and switches in the fields, by the names of the properties. */
export type PropertyDraft = Readonly<Record<string, string | boolean>>;

export type PropertyField = {
  readonly name: string;
  readonly type: 'duration' | 'number' | 'boolean' | 'text';
  /** All possible values, if there are only a few. */
  readonly values: readonly string[] | undefined;
  /** Azure's default; empty where there is none. */
  readonly fallback: string;
  readonly isFixed: boolean;
};

type Properties = Readonly<Record<string, unknown>>;

/** The longest duration, with which Azure writes "never". */
export const NEVER = 'P10675199DT2H48M5.4775807S';

/** The properties in the order of the table. Authorization rules hold keys, which the page neither shows nor asks for. */
export function fieldsOf(kind: EntityKind): readonly PropertyField[] {
  const defaults: Properties = defaultProperties(kind);
  return PROPERTIES_OF[kind].flatMap(({ name, type, ...more }): PropertyField[] => {
    if (type === 'list') return [];
    const values = 'values' in more ? more.values : undefined;
    const fallback = defaults[name] === undefined ? '' : String(defaults[name]);
    return [{ name, type, values, fallback, isFixed: isFixedProperty(kind, name) }];
  });
}

/** The fields filled from an entity, or with Azure's defaults. */
export function draftOf(kind: EntityKind, properties: Properties = defaultProperties(kind)): PropertyDraft {
  return Object.fromEntries(
    fieldsOf(kind).map(({ name, type }) => {
      const value = properties[name];
      return [name, type === 'boolean' ? value === true : value === undefined ? '' : String(value)];
    }),
  );
}

/** The properties that differ, as a call takes them. An empty field brings back the default. */
export function changesIn(
  kind: EntityKind,
  draft: PropertyDraft,
  before: PropertyDraft = draftOf(kind),
): Properties {
  const changed = fieldsOf(kind).filter(({ name }) => draft[name] !== before[name]);
  return Object.fromEntries(changed.map((field) => [field.name, sentValue(field, draft[field.name])]));
}

/** The mistakes by the names of their fields, each without that name. */
export function problemsIn(kind: EntityKind, changes: Properties): ReadonlyMap<string, string> {
  const found = Object.entries(changes).flatMap(([name, value]): [string, string][] => {
    const problem = problemOfProperty(kind, name, value);
    return problem === undefined ? [] : [[name, problem.replace(`${name} `, '')]];
  });
  return new Map(found);
}

function sentValue({ type }: PropertyField, given: string | boolean | undefined): unknown {
  if (typeof given !== 'string') return given;
  const text = given.trim();
  if (text === '') return null;
  const isNumber = (type === 'number' || type === 'duration') && /^\d+$/.test(text);
  return isNumber ? Number(text) : text;
}
