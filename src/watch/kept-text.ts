// Keeps texts of clients for as long as records last: cut to what is shown, and copied.

/** The characters of a text that a record keeps. */
export const MAX_KEPT = 2000;

export function keptText(text: string, most = MAX_KEPT): string {
  return copied(text.length > most ? `${text.slice(0, most)}…` : text);
}

/** Copies a part of a text: a slice would keep the whole text in memory. */
export function copied(part: string): string {
  return Buffer.from(part).toString();
}
