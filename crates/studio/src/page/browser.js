/* The program in this page: WebAssembly in workers, which need no server. `server.js` has the same functions for a server on this machine. */

/* The lane of each kind of request. A newer request in a lane ends the older one. */
const laneOf = { solve: 0, play: 0, why: 1, hint: 1, tests: 1, places: 2, count: 3, picture: 4 };

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
  wanted = null;

  cancel() {
    this.wanted = null;
    if (!this.running) return;
    this.running.worker.terminate();
    this.running.end({ cancelled: true });
  }

  /* Returns the response as JSON text, or the reason why there is none. */
  async ask(request, onSecond) {
    this.cancel();
    this.wanted = request;
    const module = await compiled;
    if (this.wanted !== request) return { cancelled: true };
    const running = { worker: this.idle || take(module) };
    this.idle = null;
    this.running = running;
    const since = Date.now();
    const answer = await new Promise((end) => {
      running.end = end;
      running.clock = setInterval(() => {
        const seconds = (Date.now() - since) / 1000;
        if (seconds < patienceSeconds) return onSecond(seconds);
        end({ lasted: true });
      }, 1000);
      running.worker.onmessage = ({ data }) => end(data);
      running.worker.onerror = ({ message }) => end({ ended: true, failed: message || "The worker ended." });
      running.worker.postMessage({ line: JSON.stringify(request) });
    });
    clearInterval(running.clock);
    if (this.running === running) this.running = null;
    if (answer.line || (answer.failed && !answer.ended)) this.idle = running.worker;
    else running.worker.terminate();
    return answer;
  }
}

const lanes = [0, 1, 2, 3, 4].map(() => new Lane());
let lastTexts = "";
let listeners = { progress: () => {} };

/* The name under which a text is saved in this browser. */
const saved = (name) => `asp-solve ${name}`;

/* The saved text. Browsers may refuse to keep anything. */
function stored(name) {
  try {
    return localStorage.getItem(saved(name));
  } catch {
    return null;
  }
}

/* The program in the address, or null. `words` say what is wrong with it. */
async function linked() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has("files")) return null;
  const mode = given.get("mode");
  try {
    const files = JSON.parse(await unpack(given.get("files")));
    const areTexts = Array.isArray(files) && files.length > 0 && files.every((file) => Array.isArray(file) && file.length === 2 && file.every((part) => typeof part === "string"));
    if (areTexts) return { files: files.map(([name, text]) => ({ name: readable(name), text })), mode };
  } catch {
    /* As below. */
  }
  return { files: [{ name: "program.lp", text: "" }], words: "This link is damaged: its program cannot be read." };
}

/* A name whose last part is visible. */
function readable(name) {
  const text = name.toWellFormed ? name.toWellFormed() : name;
  return /[^/\s]\s*$/.test(text) ? text : `${text}program.lp`;
}

const engine = {
  async begin({ files }) {
    const isEmbedded = new URLSearchParams(location.hash.slice(1)).has("embedded");
    document.body.classList.toggle("is-embedded", isEmbedded);
    /* The header is hidden there. */
    if (isEmbedded) element("board").prepend(element("status"));
    say("waiting", "Loading the program…");
    return (await linked()) || { files: files.map(({ name, text }) => ({ name, text: stored(name) ?? text, saves: true })) };
  },

  async ask(request) {
    const [kind] = Object.keys(request.ask);
    const texts = JSON.stringify(request.files);
    if (kind !== "picture" && texts !== lastTexts) {
      lastTexts = texts;
      for (const lane of lanes.slice(0, 4)) lane.cancel();
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
    const other = stored(name);
    if (other !== null && other !== base && other !== text) return { name, text: other };
    localStorage.setItem(saved(name), text);
    /* A link in the address would hide the saved text from the next visit. */
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    return { name };
  },

  async picture({ file, text }) {
    const answer = await engine.ask({ id: 0, files: [{ name: file, text }], ask: { picture: {} } });
    return answer.svg || "";
  },

  listen(on) {
    listeners = on;
    window.onhashchange = async () => {
      const program = await linked();
      if (program) on.link(program);
    };
    /* The files are asked for again, and come from the browser's cache. */
    if ("serviceWorker" in navigator && location.protocol !== "file:") compiled.then(() => navigator.serviceWorker.register("offline.js")).catch(() => {});
  },

  /* A link to these texts. */
  async link(files) {
    const packed = await pack(JSON.stringify(files.map(({ name, text }) => [name, text])));
    return `${location.origin}${location.pathname}${location.search}#files=${packed}`;
  },
};
