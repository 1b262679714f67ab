/* The program behind the page: a server on this machine. `browser.js` has the same functions for a page without a server. */

const engine = {
  /* The texts to begin with, and the mode: solve or play. */
  begin: async ({ files }) => ({ files }),

  /* Sends a request. An error has words for the user. */
  ask: (request) => post("ask", request),

  /* Saves a text. On a conflict, the response has the text on disk. */
  save: (file) => post("save", file),

  /* The picture of an example as SVG, or an empty text. */
  async picture({ name }, signal) {
    const response = await fetch(`picture/${name}`, { signal });
    return response.ok ? response.text() : "";
  },

  /* Calls `on.file` when a file has changed on disk, and `on.progress` during a long run. Browsers limit the number of connections to a server, so a hidden page closes its connection. After a reconnection the server sends the missed events. */
  listen(on) {
    let events = null;
    const connect = () => {
      events = new EventSource("events");
      for (const name of ["file", "progress"]) events.addEventListener(name, (event) => on[name](JSON.parse(event.data)));
    };
    document.onvisibilitychange = () => {
      if (events) events.close();
      if (!document.hidden) connect();
    };
    if (!document.hidden) connect();
  },
};

async function post(where, what) {
  let response = null;
  try {
    response = await fetch(where, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(what) });
  } catch {
    throw new Error("No response from the studio. Is it still running?");
  }
  if (response.ok || response.status === 409) return response.json();
  throw new Error(await response.text());
}
