// The part in which texts that begin alike differ: bodies in a list often share most of their fields.

/** Texts that begin with the same so many characters are compared; of JSON those with the same first field. */
const ALIKE = 8;
/** A shorter shared beginning is shown. */
const SHORT = 24;
/** A field of JSON with a plain value: a text that was cut has some, too. */
const FIELD = /"([^"\\]{1,60})":("(?:[^"\\]|\\.){0,200}"?|[^",:{}[\]\s]{1,40})/g;

/** The part of each text to be shown: of JSON the fields that differ from those of the others, of other texts the part from the first difference on. */
export function differingTexts(texts: readonly string[]): readonly string[] {
  const groups = new Map<string, number[]>();
  for (const [index, text] of texts.entries()) {
    const key = text.startsWith('{') ? text.slice(0, text.indexOf(':')) : text.slice(0, ALIKE);
    groups.set(key, [...(groups.get(key) ?? []), index]);
  }
  const shown = [...texts];
  for (const indexes of groups.values()) {
    const group = indexes.map((index) => texts[index] ?? '');
    if (group.every((text) => text === group[0])) continue;
    const parts = differingFields(group) ?? differingEnds(group);
    for (const [at, index] of indexes.entries()) shown[index] = parts[at] ?? '';
  }
  return shown;
}

/** The fields whose values are not the same in all of the texts; undefined if they are no JSON, or do not differ in a field. */
function differingFields(texts: readonly string[]): readonly string[] | undefined {
  if (!texts.every((text) => text.startsWith('{'))) return undefined;
  const all = texts.map(fieldsOf);
  const first = all[0] ?? new Map<string, string>();
  const varied = new Set<string>();
  for (const fields of all) {
    for (const [name, value] of fields) if (first.get(name) !== value) varied.add(name);
    for (const name of first.keys()) if (!fields.has(name)) varied.add(name);
  }
  const isAll = all.every((fields) => [...fields.keys()].every((name) => varied.has(name)));
  if (varied.size === 0 || isAll) return undefined;
  return all.map((fields) =>
    [...fields]
      .flatMap(([name, value]) => (varied.has(name) ? [`${nameOf(name)}: ${value}`] : []))
      .join(' … '),
  );
}

/** The fields in their order; one of a name that is there already is numbered. */
function fieldsOf(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(FIELD)) {
    let key = name;
    for (let count = 2; fields.has(key); count++) key = `${name}\n${count}`;
    fields.set(key, value);
  }
  return fields;
}

function nameOf(key: string): string {
  return key.split('\n', 1)[0] ?? key;
}

function differingEnds(texts: readonly string[]): readonly string[] {
  const [first = '', ...others] = texts;
  const length = others.reduce((least, text) => Math.min(least, sharedLength(first, text)), first.length);
  if (length < SHORT) return texts;
  return texts.map((text) => `…${text.slice(startOfWord(text, length))}`);
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at++) if (one[at] !== other[at]) return at;
  return most;
}

/** Goes back to where the word begins, if that is near. */
function startOfWord(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - SHORT), at);
  const blank = before.search(/\S*$/);
  return blank <= 0 ? at : at - before.length + blank;
}
