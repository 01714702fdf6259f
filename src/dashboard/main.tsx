// Where the page begins.

import { render } from 'preact';
import { App } from './app.js';
import { Store } from './state/store.js';
import './state/theme.js';
import { StoreContext } from './state/use-store.js';

const store = new Store();
store.start();
const root = document.getElementById('app');
if (root !== null) {
  render(
    <StoreContext.Provider value={store}>
      <App />
    </StoreContext.Provider>,
    root,
  );
}
