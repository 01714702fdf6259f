// The switch between the namespaces of the emulator. It is there only if there are several.

import { useEffect, useState } from 'preact/hooks';
import { NAMESPACE, namespaceNames } from './state/api.js';

const DEFAULT = 'default';

export function NamespaceSwitch() {
  const [names, setNames] = useState<readonly string[]>([]);
  const read = () => {
    namespaceNames().then(setNames, () => {});
  };
  useEffect(read, []);
  const shown = NAMESPACE ?? DEFAULT;
  if (names.length < 2 && NAMESPACE === undefined) return null;
  return (
    <select
      class="namespace"
      aria-label="Namespace"
      value={shown}
      onFocus={read}
      onChange={({ currentTarget: { value } }) => {
        // The page is loaded again, because everything on it is about one namespace.
        location.assign(value === DEFAULT ? '/' : `/?namespace=${encodeURIComponent(value)}`);
      }}
    >
      {(names.includes(shown) ? names : [shown, ...names]).map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
