// Where the page begins.

import { render } from 'preact';
import { App } from './app.js';
import { Store } from './state/store.js';
import './state/theme.js';
import { StoreContext } from './state/use-store.js';

const page = new Store();
page.start();
const root = document.getElementById('app');
if (root !== null) {
  render(
    <StoreContext.Provider value={page}>
      <App />
    </StoreContext.Provider>,
    root,
  );
}
