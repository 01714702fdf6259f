// The buttons of acts on messages, each with its key.

import { Icon } from '../../parts/icon.js';
import type { Act, ActName } from './acts.js';

type ButtonsProps = { readonly acts: readonly Act[]; readonly onStart: (name: ActName) => void };

export function ActButtons({ acts, onStart }: ButtonsProps) {
  return (
    <>
      {acts.map(({ name, label, icon, key, isHarmless }) => (
        <button
          type="button"
          key={name}
          class={name === 'delete' ? 'bad' : name === 'resubmit' ? 'pri' : ''}
          data-harmless={isHarmless}
          onClick={() => onStart(name)}
        >
          {name === 'delete' ? null : <Icon name={icon} />}
          {label}
          {key === undefined ? null : <kbd>{key}</kbd>}
        </button>
      ))}
    </>
  );
}
