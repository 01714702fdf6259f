// Prepares texts of clients for records, which are kept for long: cuts them to the shown length, and copies them.

/** A record keeps so many characters of a text. */
export const MAX_KEPT = 2000;

export function keptText(text: string, most = MAX_KEPT): string {
  return copied(text.length > most ? `${text.slice(0, most)}…` : text);
}

/** Copies a part of a text, because a slice would keep the whole text in memory. */
export function copied(part: string): string {
  return Buffer.from(part).toString();
}
