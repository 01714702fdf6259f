// The frames of the page: panels with a head, choices between a few, text that came from a sender.

import type { ComponentChildren } from 'preact';
import { shownText } from '../state/format.js';

type PanelProps = {
  readonly title: string;
  /** A word beside the title. */
  readonly sub?: ComponentChildren;
  /** Controls at the right of the head. */
  readonly acts?: ComponentChildren;
  /** Takes the room that is left. */
  readonly grows?: boolean;
  readonly children: ComponentChildren;
};

export function Panel({ title, sub, acts, grows = false, children }: PanelProps) {
  return (
    <section class={grows ? 'panel grow' : 'panel'} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {sub === undefined ? null : <span class="sub">{sub}</span>}
        <span class="push" />
        {acts}
      </header>
      {children}
    </section>
  );
}

type ChoiceProps<Value extends string> = {
  readonly label: string;
  readonly values: readonly (readonly [value: Value, text: string])[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
  readonly isSmall?: boolean;
};

/** A few buttons of which one is pressed. */
export function Choice<Value extends string>({
  label,
  values,
  value,
  onChoose,
  isSmall,
}: ChoiceProps<Value>) {
  return (
    <fieldset class={isSmall === true ? 'seg sm' : 'seg'} aria-label={label}>
      {values.map(([each, text]) => (
        <button type="button" key={each} aria-pressed={each === value} onClick={() => onChoose(each)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

/** Text from a sender, which changes neither the layout nor the direction of what stands beside it; its title says what a cell cuts off. */
export function Given({ text, most }: { readonly text: string; readonly most?: number }) {
  return (
    <bdi dir="auto" title={shownText(text, 1000)}>
      {shownText(text, most)}
    </bdi>
  );
}

/** In place of a screen whose first answer is on its way. */
export function Reading({ label }: { readonly label: string }) {
  return (
    <section aria-label={label}>
      <p class="t2 loading" role="status">
        Reading …
      </p>
    </section>
  );
}

/** Why there is nothing, and what would fill it. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="problem">
      <b>{title}</b>
      <p class="t2">{children}</p>
    </div>
  );
}
