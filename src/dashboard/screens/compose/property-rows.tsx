// The application properties of a draft: a name, a type and a value each.

import { Icon } from '../../parts/icon.js';
import { Panel } from '../../parts/panel.js';
import { isPropertyType, PROPERTY_TYPES } from '../../state/property-text.js';
import type { DraftProperty } from './draft.js';
import { type DraftProps, described, Problem } from './fields.js';

const NEW: DraftProperty = { name: '', type: 'string', value: '' };

export function PropertyRows({ draft: { properties }, problems, onChange }: DraftProps) {
  const set = (index: number, change: Partial<DraftProperty>) =>
    onChange({ properties: properties.map((one, at) => (at === index ? { ...one, ...change } : one)) });
  const add = () => onChange({ properties: [...properties, NEW] });
  return (
    <Panel
      title="Application properties"
      sub={properties.length === 0 ? 'none' : String(properties.length)}
      acts={
        <button type="button" class="sm" onClick={add}>
          Add
        </button>
      }
    >
      {properties.length === 0 ? (
        <p class="pad t2">Filters of rules see them, with their types.</p>
      ) : (
        <ul class="pad stack proprows">
          {properties.map((property, index) => (
            <li key={index}>
              <PropertyRow
                {...{ property, problems, index }}
                onSet={(change) => set(index, change)}
                onRemove={() => onChange({ properties: properties.filter((_, at) => at !== index) })}
              />
              <Problem problems={problems} name={`property ${index}`} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

type RowProps = Pick<DraftProps, 'problems'> & {
  readonly property: DraftProperty;
  readonly index: number;
  readonly onSet: (change: Partial<DraftProperty>) => void;
  readonly onRemove: () => void;
};

function PropertyRow({ property: { name, type, value }, problems, index, onSet, onRemove }: RowProps) {
  const { id: _, ...attributes } = described(problems, `property ${index}`);
  return (
    <div class="row">
      <input
        type="text"
        class="m name"
        aria-label={`Name of property ${index + 1}`}
        placeholder="name"
        value={name}
        onInput={(event) => onSet({ name: event.currentTarget.value })}
      />
      <select
        aria-label={`Type of property ${index + 1}`}
        value={type}
        onChange={(event) => {
          const next = event.currentTarget.value;
          if (isPropertyType(next)) onSet({ type: next });
        }}
      >
        {PROPERTY_TYPES.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <input
        type="text"
        class="m value"
        aria-label={`Value of property ${index + 1}`}
        {...attributes}
        disabled={type === 'null'}
        value={type === 'null' ? '' : value}
        onInput={(event) => onSet({ value: event.currentTarget.value })}
      />
      <button type="button" class="ic flat" aria-label={`Remove property ${index + 1}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </div>
  );
}
