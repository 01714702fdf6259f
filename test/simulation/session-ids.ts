// Few sessions and few connections, so that they are met again.

/** Two of them differ in case alone. */
export const SESSION_IDS = ['east', 'EAST', '', 'south'] as const;

export const CONNECTION_IDS = [1, 1, 2, 3] as const;
