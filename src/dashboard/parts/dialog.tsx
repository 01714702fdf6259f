// A question that must be answered before the page goes on; Escape means no.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** A dialog that is open while it is drawn. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  // With the drawing: until it is open, keys are those of the page.
  useLayoutEffect(() => element.current?.showModal(), []);
  /** At once: `close` comes a task later, and would end a question that was asked meanwhile. */
  const cancel = (event: Event) => {
    event.preventDefault();
    element.current?.close();
    onClose();
  };
  return (
    <dialog
      ref={element}
      aria-label={title}
      onCancel={cancel}
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
    >
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
