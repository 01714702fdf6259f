// A dialog with a form: its fields, the words of a refusal, and the buttons that leave it.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { shownText } from '../state/format.js';
import { errorText } from '../state/notices.js';
import { Dialog } from './dialog.js';
import { Icon } from './icon.js';

type FormDialogProps = {
  readonly title: string;
  /** The word of the button that saves. */
  readonly act: string;
  readonly isReady: boolean;
  /** Throws the error of a refusal, which the form shows. Resolves with false if a field says why nothing was saved. */
  readonly onSave: () => Promise<boolean>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

export function FormDialog({ title, act, isReady, onSave, onClose, children }: FormDialogProps) {
  const [refusal, setRefusal] = useState<string>();
  const save = () => {
    if (!isReady) return;
    setRefusal(undefined);
    onSave().then(
      (isSaved) => isSaved && onClose(),
      (error: unknown) => setRefusal(errorText(error)),
    );
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {children}
        {refusal === undefined ? null : (
          <p class="red" role="alert">
            <Icon name="warning" /> {shownText(refusal, 600)}
          </p>
        )}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="pri" disabled={!isReady}>
            {act}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
