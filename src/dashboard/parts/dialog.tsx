// A question that must be answered before the page goes on; Escape means no.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** A dialog that is open while it is drawn. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <div class="in">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

type ConfirmProps = {
  readonly title: string;
  /** Says what will be gone, and how many. */
  readonly children: ComponentChildren;
  readonly act: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Asks before an act that cannot be undone. */
export function Confirm({ title, children, act, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="bad"
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {act}
        </button>
      </footer>
    </Dialog>
  );
}
