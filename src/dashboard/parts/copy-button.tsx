// A button that copies a text, and says that it has.

import { useState } from 'preact/hooks';
import { useStore } from '../state/use-store.js';
import { Icon } from './icon.js';

const SHOWN_MS = 1500;

type CopyProps = {
  readonly text: string | (() => string);
  readonly label: string;
  readonly isIcon?: boolean;
  /** As high as the acts of a screen. */
  readonly isBig?: boolean;
};

export function CopyButton({ text, label, isIcon = false, isBig = false }: CopyProps) {
  const { notices } = useStore();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(typeof text === 'string' ? text : text());
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <button
      type="button"
      class={isBig ? '' : isIcon ? 'ic sm' : 'sm'}
      data-harmless
      aria-label={isIcon ? label : undefined}
      onClick={() => notices.attempt(copy)}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      {isIcon ? null : isCopied ? 'Copied' : label}
    </button>
  );
}

/** Puts a text into the clipboard, also on a page without TLS that is not on this machine, where browsers have no such interface. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
