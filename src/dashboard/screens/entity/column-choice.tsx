// The choice of the columns of a list.

import { Icon } from '../../parts/icon.js';
import type { Column } from './columns.js';

type ChoiceProps = {
  readonly columns: readonly Column[];
  readonly shown: readonly Column[];
  /** Undefined: as many as there is room for. */
  readonly onChoose: (names: readonly string[] | undefined) => void;
};

export function ColumnChoice({ columns, shown, onChoose }: ChoiceProps) {
  const isShown = (one: Column) => shown.includes(one);
  const toggle = (column: Column) =>
    onChoose(columns.filter((one) => isShown(one) !== (one === column)).map(({ name }) => name));
  return (
    <details class="menu">
      <summary class="btn" title="Choose the columns">
        <Icon name="grid" />
        Columns
      </summary>
      <div class="menuin">
        {columns.map((column) => (
          <label key={column.name}>
            <input type="checkbox" checked={isShown(column)} onChange={() => toggle(column)} />
            {column.name}
          </label>
        ))}
        <button type="button" class="sm" onClick={() => onChoose(undefined)}>
          As many as fit
        </button>
      </div>
    </details>
  );
}
