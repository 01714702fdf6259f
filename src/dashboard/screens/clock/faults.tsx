// Faults on demand: presets, faults of one's own, and how often each has happened.

import { useState } from 'preact/hooks';
import type { AddedFaultAnswer, FaultsAnswer } from '../../../http/control/control-schemas.js';
import { Heads } from '../../parts/heads.js';
import { Panel } from '../../parts/panel.js';
import { post } from '../../state/api.js';
import { numberText, shownText } from '../../state/format.js';
import { usePolled } from '../../state/use-polled.js';
import { useStore } from '../../state/use-store.js';

const PRESETS: readonly (readonly [name: string, does: string])[] = [
  ['flaky', '5 % of all operations find the server busy'],
  ['slow', 'each operation takes 0.2 to 0.5 s more'],
  ['throttled', '10 operations a second pass, the others find the server busy'],
  ['failover', 'all links are detached, and the server is busy for 2 s'],
  ['blip', 'all connections are broken off once'],
];
const OPERATIONS = [
  ...['send', 'receive', 'complete', 'abandon', 'dead-letter', 'defer', 'renew-lock', 'renew-session-lock'],
  ...['get-session-state', 'set-session-state', 'schedule', 'cancel', 'peek', 'attach', 'open', 'token'],
  ...['declare', 'discharge', 'administration', 'any'],
];
/** Effects, and the values that they take. */
const EFFECTS: readonly (readonly [field: string, text: string, values: readonly string[]])[] = [
  [
    'error',
    'fails with',
    [
      ...[
        'com.microsoft:server-busy',
        'com.microsoft:timeout',
        'amqp:internal-error',
        'amqp:unauthorized-access',
      ],
      ...[
        'amqp:resource-limit-exceeded',
        'com.microsoft:message-lock-lost',
        'com.microsoft:session-lock-lost',
      ],
      ...['com.microsoft:entity-disabled', 'amqp:not-found'],
    ],
  ],
  ['loseAnswer', 'is done, and never answered', []],
  ['detach', 'detaches the link', []],
  ['reset', 'breaks the connection off', []],
  ['silence', 'silences the connection', []],
  ['deliverTwice', 'comes a second time (receive)', []],
  ['endLock', 'loses its lock at once (receive)', []],
  ['delay', 'is held back 2 s', []],
];
const DELAY_MS = 2000;
const EVERY_MS = 1000;

export function FaultsPanel() {
  // The counters change with what happens.
  const { notices, isReadOnly } = useStore();
  const { value, refresh } = usePolled<FaultsAnswer>('faults', { every: EVERY_MS });
  const faults = value?.faults;
  const change = (name: string, body: object, text: string) =>
    notices.attempt(async () => {
      await post(name, {}, body);
      notices.show(text);
      await refresh();
    });
  const clear = (
    <button
      type="button"
      class="sm"
      disabled={faults === undefined || faults.length === 0}
      onClick={() => change('faults:clear', {}, 'All faults are removed.')}
    >
      Remove all
    </button>
  );
  return (
    <Panel
      title="Faults"
      sub="bad days on demand; each that happens is an event"
      acts={isReadOnly.value ? undefined : clear}
    >
      {isReadOnly.value ? null : (
        <>
          <div class="preset">
            {PRESETS.map(([name, does]) => (
              <div key={name}>
                <span class="row">
                  {name}
                  <button
                    type="button"
                    class="sm"
                    onClick={() => change('faults:preset', { name }, `The preset ${name} is there.`)}
                  >
                    {name === 'blip' ? 'Do' : 'Add'}
                  </button>
                </span>
                <p>{does}</p>
              </div>
            ))}
          </div>
          <NewFault onAdd={(fault) => change('faults', fault, 'The fault is there.')} />
        </>
      )}
      {faults === undefined ? null : (
        <FaultTable
          faults={faults}
          onRemove={(id) => change('faults:remove', { id }, `Fault ${id} is removed.`)}
        />
      )}
    </Panel>
  );
}

function NewFault({ onAdd }: { readonly onAdd: (fault: object) => void }) {
  const [on, setOn] = useState('send');
  const [entity, setEntity] = useState('');
  const [effect, setEffect] = useState('error');
  const [condition, setCondition] = useState('com.microsoft:server-busy');
  const [times, setTimes] = useState('1');
  const values = EFFECTS.find(([field]) => field === effect)?.[2] ?? [];
  const add = () => {
    const value = effect === 'delay' ? DELAY_MS : values.length > 0 ? condition : true;
    const limit = Number(times);
    onAdd({
      ...{ on, [effect]: value },
      ...(entity === '' ? {} : { entity }),
      ...(Number.isInteger(limit) && limit > 0 ? { times: limit } : {}),
    });
  };
  return (
    <form
      class="row pad"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <Select label="Operation" value={on} values={OPERATIONS.map((each) => [each, each])} onChoose={setOn} />
      <span>of</span>
      <EntityField value={entity} onInput={setEntity} />
      <Select
        label="Effect"
        value={effect}
        values={EFFECTS.map(([field, text]) => [field, text])}
        onChoose={setEffect}
      />
      {values.length === 0 ? null : (
        <Select
          label="Condition"
          value={condition}
          values={values.map((each) => [each, each])}
          onChoose={setCondition}
        />
      )}
      <input
        type="number"
        min="1"
        class="short"
        aria-label="How often; empty: until it is removed"
        placeholder="always"
        value={times}
        onInput={(event) => setTimes(event.currentTarget.value)}
      />
      <span>times</span>
      <button type="submit" class="pri">
        Add
      </button>
    </form>
  );
}

type EntityFieldProps = { readonly value: string; readonly onInput: (value: string) => void };

function EntityField({ value, onInput }: EntityFieldProps) {
  const { listed } = useStore();
  return (
    <>
      <input
        type="text"
        list="fault-entities"
        aria-label="Entity"
        placeholder="every entity"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <datalist id="fault-entities">
        {listed.value.slice(0, 200).map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </>
  );
}

type SelectProps = {
  readonly label: string;
  readonly value: string;
  readonly values: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
};

function Select({ label, value, values, onChoose }: SelectProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {values.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}

type TableProps = { readonly faults: readonly AddedFaultAnswer[]; readonly onRemove: (id: number) => void };

function FaultTable({ faults, onRemove }: TableProps) {
  const { isReadOnly } = useStore();
  if (faults.length === 0) return <p class="pad t2">No faults: everything works as it should.</p>;
  return (
    <table>
      <caption class="vh">Faults</caption>
      <Heads
        names={['Fault', 'State', 'Happened', 'Of operations']}
        right={['Happened', 'Of operations']}
        act="Remove"
      />
      <tbody>
        {faults.map(({ id, fault, matchedCount, firedCount, isActive }) => (
          <tr key={id}>
            <th scope="row" class="wide">
              {textOf(fault)}
            </th>
            <td class={isActive ? '' : 't3'}>{isActive ? 'active' : 'over'}</td>
            <td class={firedCount === 0 ? 'r z' : 'r'}>{numberText(firedCount)}</td>
            <td class={matchedCount === 0 ? 'r z' : 'r'}>{numberText(matchedCount)}</td>
            {isReadOnly.value ? null : (
              <td>
                <button type="button" class="sm" onClick={() => onRemove(id)}>
                  Remove
                </button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The fields of a fault on one line. */
function textOf(fault: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(fault).map(([name, value]) =>
    value === true ? name : `${name} ${String(value)}`,
  );
  return shownText(parts.join(', '), 200);
}
