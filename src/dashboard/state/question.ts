// The question that is open, for the acts that are not handed the store yet.

import { page } from './model.js';

export const question = page.question;
