// The words of a message filter as text: for the reader of the filter, and for a page that edits one.

/** Blanks within quotation marks belong to the word; a backslash takes the next character as it is. */
const WORD = /(?:"(?:\\.|[^"\\])*"?|[^\s"])+/g;

export function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(WORD)].map(([word]) => word);
}

/** The text as the value of a word that means exactly this text. */
export function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `"${text.replace(/[\\"*]/g, '\\$&')}"`;
}

/** The text that a word means: without its quotation marks and backslashes. */
export function unquoted(word: string): string {
  return word.replace(/\\(.)|"/gs, (_, one: string | undefined) => one ?? '');
}
