// A name in the room that there is: cut in its middle when it is too long, whole in the title and for those who hear it.

import { shownText } from '../state/format.js';

/** Shorter names are cut at their end, if at all. */
const SHORT = 16;
/** The characters of the end that stay, however narrow the room is. */
const END = 10;

type CutProps = {
  /** Text from a sender, or a name of an entity. */
  readonly text: string;
  /** Shown in its place where its start is known, as that of a subscription below its topic. */
  readonly short?: string;
};

export function Cut({ text, short = text }: CutProps) {
  const characters = [...shownText(short, 1000)];
  const at = characters.length <= SHORT ? characters.length : characters.length - END;
  return (
    <bdi class="cut" dir="auto" title={shownText(text, 1000)}>
      <span class="start">{characters.slice(0, at).join('')}</span>
      {at === characters.length ? null : <span class="end">{characters.slice(at).join('')}</span>}
    </bdi>
  );
}
