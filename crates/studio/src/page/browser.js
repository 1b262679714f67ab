/* The program in this page: WebAssembly in workers, which need no server. `server.js` has the same functions for a server on this machine. */

/* The lane of each kind of request. A newer request in a lane ends the older one. */
const laneOf = { solve: 0, play: 0, why: 1, hint: 1, tests: 1, places: 2, picture: 3 };

/* Seconds until a run is ended from outside; the program itself gives up a moment earlier. */
const patienceSeconds = 62;

/* The compiled program, which all workers share. */
const compiled = compile("asp-solve.wasm");

async function compile(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  /* Some servers do not know the type of the file. */
  const isTyped = (response.headers.get("Content-Type") || "").startsWith("application/wasm");
  return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

let spare = null;

function startWorker(module) {
  const worker = new Worker("worker.js");
  worker.postMessage({ module });
  return worker;
}

/* A worker that has started; the next one starts after a pause. */
function take(module) {
  const worker = spare || startWorker(module);
  spare = null;
  setTimeout(() => { spare = spare || startWorker(module); }, 300);
  return worker;
}

class Lane {
  idle = null;
  running = null;

  cancel() {
    if (!this.running) return;
    this.running.worker.terminate();
    this.running.end({ cancelled: true });
  }

  /* Returns the response as JSON text, or the reason why there is none. */
  async ask(request, onSecond) {
    this.cancel();
    const module = await compiled;
    const worker = this.idle || take(module);
    this.idle = null;
    const since = Date.now();
    const answer = await new Promise((end) => {
      const running = { worker, end };
      running.clock = setInterval(() => {
        const seconds = (Date.now() - since) / 1000;
        if (seconds < patienceSeconds) return onSecond(seconds);
        worker.terminate();
        end({ lasted: true });
      }, 1000);
      this.running = running;
      worker.onmessage = ({ data }) => end(data);
      worker.onerror = ({ message }) => { worker.terminate(); end({ failed: message || "The worker ended." }); };
      worker.postMessage({ line: JSON.stringify(request) });
    }).finally(() => {
      clearInterval(this.running.clock);
      if (this.running.worker === worker) this.running = null;
    });
    if (answer.line || (answer.failed && !answer.ended)) this.idle = worker;
    return answer;
  }
}

const lanes = [0, 1, 2, 3].map(() => new Lane());
let lastTexts = "";
let listeners = { progress: () => {} };

/* The name under which a text is saved in this browser. */
const saved = (name) => `asp-solve ${name}`;

const engine = {
  async begin({ files }) {
    const given = new URLSearchParams(location.hash.slice(1));
    document.body.classList.toggle("is-embedded", given.has("embedded"));
    const mode = given.get("mode");
    const packed = given.get("files");
    if (packed) {
      try {
        return { files: JSON.parse(await unpack(packed)).map(([name, text]) => ({ name, text })), mode };
      } catch {
        say("error", "This link is damaged: its program cannot be read.");
      }
    }
    return { files: files.map(({ name, text }) => ({ name, text: localStorage.getItem(saved(name)) ?? text, saves: true })), mode };
  },

  async ask(request) {
    const [kind] = Object.keys(request.ask);
    const texts = JSON.stringify(request.files);
    if (kind !== "picture" && texts !== lastTexts) {
      lastTexts = texts;
      for (const lane of lanes.slice(0, 3)) lane.cancel();
    }
    const { id } = request;
    const answer = await lanes[laneOf[kind]].ask(request, (seconds) => listeners.progress({ id, seconds }));
    if (answer.line) return JSON.parse(answer.line);
    if (answer.cancelled) return { id, cancelled: true };
    const words = answer.lasted ? "Gave up: the time limit was reached." : answer.failed;
    const diagnostics = answer.lasted ? [] : [{ level: "error", text: words, places: [] }];
    return { id, seconds: patienceSeconds, verdict: answer.lasted ? "gave-up" : "error", words, text: words, answers: [], encoding: [], diagnostics };
  },

  async save({ name, text, base }) {
    const stored = localStorage.getItem(saved(name));
    if (stored !== null && stored !== base && stored !== text) return { name, text: stored };
    localStorage.setItem(saved(name), text);
    return { name };
  },

  async picture({ file, text }) {
    const answer = await engine.ask({ id: 0, files: [{ name: file, text }], ask: { picture: {} } });
    return answer.svg || "";
  },

  listen(on) {
    listeners = on;
    if ("serviceWorker" in navigator && location.protocol !== "file:") navigator.serviceWorker.register("offline.js").catch(() => {});
  },

  /* A link to these texts. */
  async link(files) {
    const packed = await pack(JSON.stringify(files.map(({ name, text }) => [name, text])));
    return `${location.origin}${location.pathname}${location.search}#files=${packed}`;
  },
};
