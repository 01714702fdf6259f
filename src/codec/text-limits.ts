// The longest texts that a client may write, even with `--limits none`. They are limited because we keep them as long as its connection lasts.

export const MAX_ADDRESS_LENGTH = 2048;
export const MAX_LINK_NAME_LENGTH = 1024;
/** The limit for a container id, and for the host name to which a client connects. */
export const MAX_CONTAINER_ID_LENGTH = 1024;

const SHOWN_LENGTH = 50;

/** The error for a text that is too long; undefined for any other. `what` begins the sentence. */
export function tooLong(what: string, text: string, most: number): string | undefined {
  if (text.length <= most) return undefined;
  const shown = JSON.stringify(`${text.slice(0, SHOWN_LENGTH)}...`);
  return `${what} is ${shown}, ${text.length} characters long; ${most} is the limit.`;
}
