// The head of a table.

import { useStore } from '../state/use-store.js';

type HeadsProps = {
  readonly names: readonly string[];
  /** The names above numbers, which stand at the right. */
  readonly right?: readonly string[];
  /** The name of a last column of buttons, which is said and not shown. A page that may change nothing has no such column. */
  readonly act?: string;
};

export function Heads({ names, right = [], act }: HeadsProps) {
  const { isReadOnly } = useStore();
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col" class={right.includes(name) ? 'r' : undefined}>
            {name}
          </th>
        ))}
        {act === undefined || isReadOnly.value ? null : (
          <th scope="col">
            <span class="vh">{act}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
