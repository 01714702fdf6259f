// Where the page begins.

import { render } from 'preact';
import { App } from './app.js';
import { start } from './state/model.js';
import './state/theme.js';

start();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
