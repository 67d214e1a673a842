// Keys go to the debugger from the beginning, and again when the person comes back to the tab.
"use strict";

function takeKeys() {
  document.querySelector(".xterm-helper-textarea")?.focus();
}

window.addEventListener("focus", takeKeys);
window.addEventListener("load", () => {
  // textual.js says by this class that it is connected.
  new MutationObserver((changes, observer) => {
    if (document.body.classList.contains("-loaded")) {
      observer.disconnect();
      takeKeys();
    }
  }).observe(document.body, { attributes: true });
});
