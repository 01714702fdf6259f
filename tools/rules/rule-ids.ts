// What the number of a rule looks like, and where one finds numbers: at the end of a test's title, or anywhere in a text.

const ID = /(?:[A-Z][A-Z0-9]{1,3}-\d{2}|[MX]\d{1,2})/;
const WHOLE_ID = new RegExp(`^${ID.source}$`);
const ANY_ID = new RegExp(`(?<![\\w-])${ID.source}(?![\\w-])`, 'g');

const TITLE_END = /\[([^[\]\n]*)\]$/;

export function isRuleId(text: string): boolean {
  return WHOLE_ID.test(text);
}

/** `'a lock ends [RCV-09, DLV-02]'` names two; brackets with nothing like a number in them name none. */
export function idsOfTitle(title: string): string[] {
  return listedIds(TITLE_END.exec(title)?.[1] ?? '');
}

export function idsInText(text: string): string[] {
  return Array.from(text.matchAll(ANY_ID), ([id]) => id);
}

function listedIds(list: string): string[] {
  const parts = list.split(',').map((part) => part.trim());
  return parts.some(isRuleId) ? parts : [];
}
