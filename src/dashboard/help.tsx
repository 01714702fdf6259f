// The sheet of all keys.

import { Dialog } from './parts/dialog.js';
import { ACTS } from './screens/entity/acts.js';
import { useStore } from './state/use-store.js';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['/', 'find or filter'],
  ['j k', 'down, up'],
  ['space', 'peek'],
  ['o Enter', 'open'],
  ['x X', 'select, select to here'],
  ['a', 'select all that match'],
  ...ACTS.flatMap(({ key, label }) => (key === undefined ? [] : [[key, label.toLowerCase()] as const])),
  ['c', 'new message'],
  ['f', 'follow on the timeline'],
  ['p', 'pause the page'],
  ['[ ]', 'tabs'],
  ['← → + -', 'move and zoom the timeline'],
  ['0', 'fit the timeline to the messages in view'],
  ['n', 'clock to the next (Clock only)'],
  ['g o', 'overview'],
  ['g f', 'flow'],
  ['g t', 'timeline'],
  ['g r', 'rules tester'],
  ['g s', 'sessions and locks'],
  ['g c', 'connections'],
  ['g k', 'clock and faults'],
  ['Esc', 'back'],
  ['?', 'this sheet'],
];

export function Help() {
  const { isHelpOpen } = useStore();
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog title="Keys" onClose={close}>
      <ul class="keysheet">
        {KEYS.map(([keys, does]) => (
          <li key={keys}>
            <span>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </span>
            {does}
          </li>
        ))}
      </ul>
      <p class="t2">Off while you type, and with Ctrl, Alt and Cmd. Each is a control of the page, too.</p>
      <footer>
        <button type="button" onClick={close}>
          Close
        </button>
      </footer>
    </Dialog>
  );
}
