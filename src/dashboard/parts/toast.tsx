// The toast: what the page has just done, or could not do, above the content at the bottom centre.

import { useStore } from '../state/use-store.js';
import { Icon } from './icon.js';

export function Toast() {
  const { notices } = useStore();
  const { value } = notices.current;
  return (
    <div class="toasts" role="status" aria-live="polite">
      {value === undefined ? null : (
        <div class={value.isError ? 'toast bad' : 'toast'}>
          <Icon name={value.isError ? 'warning' : 'check'} />
          <span>{value.text}</span>
          <Act />
          <button type="button" class="ic sm flat" aria-label="Dismiss" onClick={() => notices.dismiss()}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}

function Act() {
  const { notices } = useStore();
  const act = notices.current.value?.act;
  if (act === undefined) return null;
  if ('href' in act) {
    return (
      <a class="btn sm" href={act.href} onClick={() => notices.dismiss()}>
        {act.text}
      </a>
    );
  }
  const run = () => {
    notices.dismiss();
    act.run();
  };
  return (
    <button type="button" class="sm" onClick={run}>
      {act.text}
    </button>
  );
}
