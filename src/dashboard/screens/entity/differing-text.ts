// The part in which texts that begin alike differ: bodies in a list often share the names of their fields.

/** Texts that begin with the same so many characters are compared. */
const ALIKE = 8;
/** A shorter beginning is shown whole. */
const SHORT = 24;

/** Where each text is to be shown from: its start, or the field in which it first differs from the others like it. */
export function differingStarts(texts: readonly string[]): readonly number[] {
  const shared = new Map<string, { readonly text: string; length: number; isVaried: boolean }>();
  for (const text of texts) {
    const key = text.slice(0, ALIKE);
    const group = shared.get(key);
    if (group === undefined) shared.set(key, { text, length: text.length, isVaried: false });
    else if (text !== group.text) {
      group.length = Math.min(group.length, sharedLength(text, group.text));
      group.isVaried = true;
    }
  }
  return texts.map((text) => {
    const group = shared.get(text.slice(0, ALIKE));
    if (group === undefined || !group.isVaried || group.length < SHORT) return 0;
    return startOfField(text, group.length);
  });
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at++) if (one[at] !== other[at]) return at;
  return most;
}

/** Goes back to where the field or the word begins, if that is near. */
function startOfField(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - 40), at);
  const comma = Math.max(before.lastIndexOf(','), before.lastIndexOf('{'), before.lastIndexOf('\n'));
  const from = comma < 0 ? before.lastIndexOf(' ') : comma;
  return from < 0 ? at : at - before.length + from + 1;
}
