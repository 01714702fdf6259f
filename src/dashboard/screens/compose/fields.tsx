// The fields of a message: one line each, with the mistake below the field that it is about.

import type { ComponentChildren } from 'preact';
import { nearestWord } from '../../../description/suggestion.js';
import { Icon } from '../../parts/icon.js';
import { Choice } from '../../parts/panel.js';
import { shownText, spokenPath } from '../../state/format.js';
import { useStore } from '../../state/use-store.js';
import { type Draft, type Problems, TEXT_FIELDS, type When } from './draft.js';

export type DraftProps = {
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onChange: (change: Partial<Draft>) => void;
};

export function Problem({ problems, name }: { readonly problems: Problems; readonly name: string }) {
  const text = problems.get(name);
  if (text === undefined) return null;
  return (
    <p class="red fieldproblem" id={idOf(name)} role="alert">
      <Icon name="warning" /> {shownText(text, 600)}
    </p>
  );
}

function idOf(name: string): string {
  return `problem-${name.replace(' ', '-')}`;
}

type LabelledProps = {
  readonly label: string;
  readonly name: string;
  readonly problems: Problems;
  readonly children: ComponentChildren;
};

function Labelled({ label, name, problems, children }: LabelledProps) {
  return (
    <div class="labelled">
      <label for={`field-${name}`}>{label}</label>
      {children}
      <Problem problems={problems} name={name} />
    </div>
  );
}

/** The attributes that a field and its mistake share. */
export function described(problems: Problems, name: string) {
  const isBad = problems.has(name);
  return {
    id: `field-${name}`,
    'aria-invalid': isBad,
    ...(isBad ? { 'aria-describedby': idOf(name) } : {}),
  };
}

/** The one field that must be filled. An entity that is not there is named, with the one that was probably meant. */
export function Destination({ draft, problems, onChange }: DraftProps) {
  const { listed } = useStore();
  const targets = listed.value.filter(({ kind }) => kind !== 'subscription').map(({ path }) => path);
  const given = draft.destination.trim();
  const isKnown = targets.some((path) => path.toLowerCase() === given.toLowerCase());
  const near = isKnown || given === '' ? undefined : nearestWord(given, targets);
  return (
    <div class="labelled destination">
      <label for="field-destination">To the queue or topic</label>
      <input
        type="text"
        list="destinations"
        autocomplete="off"
        {...described(problems, 'destination')}
        value={draft.destination}
        onInput={(event) => onChange({ destination: event.currentTarget.value })}
      />
      <datalist id="destinations">
        {targets.slice(0, 200).map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      {isKnown || given === '' || problems.has('destination') ? null : (
        <p class="amb fieldproblem">There is no queue or topic '{shownText(given, 60)}'.</p>
      )}
      <Problem problems={problems} name="destination" />
      {near === undefined ? null : (
        <button type="button" class="sm" onClick={() => onChange({ destination: near })}>
          Did you mean '{spokenPath(near)}'?
        </button>
      )}
    </div>
  );
}

export function TextFields({ draft, problems, onChange }: DraftProps) {
  return (
    <>
      {TEXT_FIELDS.map(([name, label]) => (
        <Labelled key={name} label={label} name={name} problems={problems}>
          <input
            type="text"
            class="m"
            spellcheck={false}
            {...described(problems, name)}
            placeholder={name === 'messageId' ? 'ord-{n}' : undefined}
            value={draft[name]}
            onInput={(event) => onChange({ [name]: event.currentTarget.value })}
          />
        </Labelled>
      ))}
    </>
  );
}

const WHEN: readonly (readonly [When, string])[] = [
  ['now', 'Now'],
  ['in', 'In'],
  ['at', 'At'],
];

export function Times({ draft, problems, onChange }: DraftProps) {
  const { when, time, timeToLive } = draft;
  const timeField = {
    ...described(problems, 'time'),
    value: time,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      onChange({ time: event.currentTarget.value }),
  };
  return (
    <>
      <Labelled label="Time to live" name="timeToLive" problems={problems}>
        <input
          type="text"
          {...described(problems, 'timeToLive')}
          placeholder="that of the entity"
          value={timeToLive}
          onInput={(event) => onChange({ timeToLive: event.currentTarget.value })}
        />
      </Labelled>
      <Labelled label="Becomes active" name="time" problems={problems}>
        <div class="row schedule">
          <Choice
            label="When it becomes active"
            values={WHEN}
            value={when}
            onChoose={(next) => onChange({ when: next, time: next === 'in' ? '5 min' : '' })}
          />
          {when === 'in' ? (
            <input type="text" {...timeField} />
          ) : when === 'at' ? (
            <input type="datetime-local" step="1" {...timeField} />
          ) : null}
        </div>
      </Labelled>
    </>
  );
}
