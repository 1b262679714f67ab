/* The studio: texts on one side, pictures and explanations of their answers on the other. */

const start = JSON.parse(element("data").textContent);
const state = { editor: null, solved: null, answer: 0, asked: 20, shows: "answer", plays: false, diagnostics: [] };
const newest = {};
let last = 0;

/* Returns the server's response, or null if a newer request was made in the same lane. */
async function ask(lane, what) {
  const id = (newest[lane] = ++last);
  const files = editors.filter((editor) => !editor.isShipped).map(({ name, text }) => ({ name, text: text.toWellFormed ? text.toWellFormed() : text }));
  const answer = await request(engine.ask({ id, files, ask: what }));
  return answer && id === newest[lane] && !answer.cancelled ? answer : null;
}

/* Shows the words of an error. */
async function request(response) {
  try {
    return await response;
  } catch (error) {
    say("error", error.message);
    return null;
  }
}

function say(verdict, words) {
  element("status").dataset.verdict = verdict;
  if (element("status").textContent !== words) element("status").textContent = words;
}

/* Texts. */

const editors = [];

function add(file) {
  const editor = new EditorTab(file, changed);
  const tab = make("button", { role: "tab", title: editor.isShipped ? "Read-only: a built-in encoding" : file.name }, make("span", {}, file.name.split("/").pop()));
  tab.classList.toggle("is-shipped", editor.isShipped);
  editor.tab = Object.assign(tab, { editor });
  editor.tab.setAttribute("aria-controls", (editor.root.id = `sheet-${last++}`));
  editor.root.hidden = true;
  editors.push(editor);
  element("files").append(tab);
  element("sheets").append(editor.root);
  return editor;
}

const pickFile = tabs(element("files"), ({ editor }) => {
  state.editor = editor;
  for (const other of editors) other.root.hidden = other !== editor;
  editor.paint();
  show();
});

/* Updates the state of editors outside their texts. */
function show() {
  const { editor } = state;
  for (const { tab, isDirty, conflict } of editors) tab.classList.toggle("is-dirty", isDirty || conflict !== undefined);
  element("save").disabled = !editor.saves || !editor.isDirty || Boolean(editor.isSaving);
  element("save").title = editor.saves ? "Save this file (Ctrl+S)" : "Only files named at the start are saved; download this one instead";
  element("changed").hidden = editor.conflict === undefined;
  element("changed").firstElementChild.textContent = `${editor.name} has changed ${engine.link ? "in another tab" : "on disk"}.`;
  document.title = `${editors.some(({ isDirty }) => isDirty) ? "• " : ""}${editor.name} – asp-solve studio`;
}

let pause = null;

/* Milliseconds without input before a request that cancels another one, so that letters typed fast are sent together. */
const still = 20;

function changed() {
  const { classList } = document.body;
  const delay = classList.contains("is-waiting") ? still : 0;
  show();
  classList.add("is-waiting");
  forget();
  clearTimeout(pause);
  pause = setTimeout(refresh, delay);
}

function refresh() {
  ++newest.reasons;
  state.plays ? look() : solve();
}

async function save() {
  const { editor } = state;
  if (element("save").disabled) return;
  const { text } = editor;
  editor.isSaving = true;
  show();
  const saved = await request(engine.save({ name: editor.name, text, base: editor.saved }));
  editor.isSaving = false;
  if (saved) {
    /* On a conflict, the response has the text on disk. */
    editor.conflict = saved.text;
    if (saved.text === undefined) {
      editor.saved = text;
      say("solved", `Saved ${editor.name}.`);
    }
  }
  show();
}

function read(editor, text) {
  editor.conflict = undefined;
  editor.saved = text;
  if (editor.text === text) return show();
  editor.text = text;
  changed();
}

element("save").onclick = save;
element("reload").onclick = () => read(state.editor, state.editor.conflict);
element("keep").onclick = () => {
  const { editor } = state;
  [editor.saved, editor.conflict] = [editor.conflict, undefined];
  show();
};
window.onbeforeunload = (event) => { if (everyEditor().some(({ isDirty }) => isDirty)) event.preventDefault(); };

function download() {
  const { name, text } = state.editor;
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  make("a", { href: address, download: name.split("/").pop() }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

element("download").onclick = download;

/* Only a page without a server has links. */
if (engine.link) {
  element("share").hidden = false;
  element("licences").hidden = false;
  element("share").onclick = async () => {
    const texts = editors.filter((editor) => !editor.isShipped);
    const link = await engine.link(texts);
    try {
      await navigator.clipboard.writeText(link);
      say("solved", "The link is on the clipboard.");
    } catch {
      /* Browsers keep pages without encryption away from the clipboard. */
      history.replaceState(null, "", link);
      say("solved", "The link is in the address bar.");
    }
  };
}

/* Events: changes on disk, and the time of a run. */
const on = {
  file({ name, text }) {
    const editor = everyEditor().find((editor) => editor.name === name && editor.saves);
    if (!editor || text === editor.saved) return;
    if (!editor.isDirty || text === editor.text) read(editor, text);
    else { editor.conflict = text; show(); }
  },
  /* A link was opened in this page. */
  link({ files, mode, words }) {
    switchTo(`link ${++last}`, files.map(({ name }) => name.split("/").pop()).join(", "), files);
    if (words) say("error", words);
    else if (mode === "play") turnTo(true);
  },
  progress({ id, seconds }) {
    if (id === newest.solve) say("waiting", `Running for ${Math.round(seconds)} s…`);
  },
};

/* Programs: the named files, examples and new ones. Each keeps its texts while another one is open. */

const programs = new Map();
const everyEditor = () => [...programs.values()].flatMap((program) => program === state.program ? editors : program.editors);

/* Opens a program; `files` are its initial texts, and `asked` is the number of answers to find. */
function openProgram(key, title, files, asked = 20) {
  if (state.program) Object.assign(state.program, { editors: [...editors], editor: state.editor, asked: state.asked });
  const program = programs.get(key) || { title, editors: [], editor: null, asked };
  programs.set(key, program);
  Object.assign(state, { program, asked: program.asked });
  editors.splice(0, Infinity, ...program.editors);
  element("files").replaceChildren(...editors.map(({ tab }) => tab));
  element("sheets").replaceChildren(...editors.map(({ root }) => root));
  if (editors.length === 0) for (const file of files) add(file);
  Object.assign(game, { moves: [], undone: [], look: null, at: -1 });
  forget();
  messages([]);
  clearResults();
  pickReasons(element("tab-answers"));
  draw(null, " ");
  element("told").textContent = "";
  document.body.classList.add("is-waiting");
  pickFile((program.editor || editors[0]).tab);
}

/* Opens a program that was chosen while another one is open. */
function switchTo(...program) {
  openProgram(...program);
  turnTo(false);
}

let created = 0;

function newProgram() {
  created += 1;
  const name = created === 1 ? "new.lp" : `new${created}.lp`;
  switchTo(name, name, [{ name, text: "" }]);
  turn("program");
  state.editor.area.focus();
}

element("new").onclick = newProgram;

/* The gallery of examples. Its pictures are requested one after another while their cards are visible. */

const cards = start.examples.map((example) => {
  const { name, summary, file, text, group } = example;
  /* Summaries of puzzles begin with their title: "Tents: place …". */
  const [, title, words] = (group !== "More" && summary.match(/^([^:]{1,30}): (.*)$/)) || [null, name, summary];
  const [, variant] = name.match(/-(.*)$/) || [];
  const shown = variant ? `${title}: ${variant}` : title;
  const card = make("button", { class: "card", title: words, onclick: () => {
    element("gallery").close();
    /* All shortest solutions of a game take much longer than one. */
    switchTo(`example ${name}`, shown, [{ name: file, text }], group === "One-player games" ? 1 : 20);
  } }, make("span", { class: "thumbnail" }), make("b", {}, shown), make("small", {}, words[0].toUpperCase() + words.slice(1)));
  return { card, name, group, example, key: [...new Set(`${name} ${summary} ${file} ${text}`.toLowerCase().split(/[^\p{L}\p{N}]+/u))], picture: null };
});
const wanted = [];
let loading = null;

async function loadPictures() {
  if (loading) return;
  loading = new AbortController();
  const { signal } = loading;
  for (let next = wanted.shift(); next && !signal.aborted; next = wanted.shift()) {
    if (next.picture !== null) continue;
    try {
      next.picture = await engine.picture(next.example, signal);
      if (next.picture) next.card.firstChild.replaceChildren(make("img", { alt: "", src: `data:image/svg+xml,${encodeURIComponent(next.picture)}` }));
    } catch { /* The gallery was closed, or the studio has ended. */ }
  }
  if (loading && loading.signal === signal) loading = null;
}

const visible = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const entry = cards.find(({ card }) => card === target);
    if (wanted.includes(entry)) wanted.splice(wanted.indexOf(entry), 1);
    if (isIntersecting && entry.picture === null) wanted.push(entry);
  }
  loadPictures();
}, { root: element("gallery") });

function showGallery() {
  if (!element("cards").childElementCount) {
    const groups = new Map();
    for (const entry of cards) groups.set(entry.group, [...(groups.get(entry.group) || []), entry.card]);
    element("cards").replaceChildren(...[...groups].map(([title, all]) => make("section", {}, make("h3", {}, title), make("div", { class: "grid" }, ...all))));
  }
  const others = [...programs].filter(([, program]) => program !== state.program);
  element("opened").hidden = others.length === 0;
  element("opened").replaceChildren("Back to: ", ...others.map(([key, { title }]) => make("button", { onclick: () => {
    element("gallery").close();
    switchTo(key, title);
  } }, title)));
  element("gallery").showModal();
  for (const { card } of cards) visible.observe(card);
  element("search").select();
}

element("gallery").onclose = () => {
  visible.disconnect();
  wanted.splice(0, Infinity);
  if (loading) loading.abort();
  loading = null;
};
element("gallery").onclick = (event) => { if (event.target === element("gallery")) element("gallery").close(); };
element("close").onclick = () => element("gallery").close();
element("examples").onclick = showGallery;
element("search").oninput = () => {
  const words = element("search").value.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  for (const { card, key } of cards) card.hidden = !words.every((word) => key.some((other) => other.startsWith(word)));
  for (const section of element("cards").children) section.hidden = !section.querySelector(".card:not([hidden])");
  element("none").hidden = Boolean(element("cards").querySelector(".card:not([hidden])"));
};
element("search").onkeydown = (event) => {
  const first = element("cards").querySelector(".card:not([hidden])");
  if (event.key !== "Enter" || !first) return;
  /* The key would otherwise press the button that has the focus after the gallery closes. */
  event.preventDefault();
  first.click();
};

/* Messages. */

function messages(diagnostics) {
  state.diagnostics = diagnostics;
  for (const editor of editors) {
    const marks = diagnostics.flatMap(({ level, text, places }) => places.filter(({ file }) => file === editor.name).map(({ start, end }) => ({ kind: level, start, end, words: text })));
    editor.mark(["error", "warning", "info"], marks);
    editor.tab.classList.toggle("is-wrong", marks.some(({ kind }) => kind === "error"));
  }
  element("messages").replaceChildren(...diagnostics.map(({ level, text, help, places }) => {
    const words = [make("span", { class: "words" }, text), ...(help ? [make("small", {}, help)] : [])];
    const place = places[0];
    const button = make("button", { class: level, onclick: () => place && reveal(place.file, place.start, place.end) }, make("b", {}, level), ...words);
    if (place) button.append(make("code", {}, `${place.file.split("/").pop()}:${place.start.join(":")}`));
    return make("li", {}, button);
  }));
}

/* Scrolls to a range of a text. */
function reveal(file, start, end) {
  const editor = editors.find(({ name }) => name === file) || editors.find(({ name }) => name.endsWith(`/${file}`) || file.endsWith(`/${name}`));
  if (!editor) return;
  turn("program");
  pickFile(editor.tab);
  editor.reveal(start, end);
}

let message = -1;
function nextMessage() {
  const places = state.diagnostics.flatMap(({ places }) => places.slice(0, 1));
  if (places.length === 0) return;
  message = (message + 1) % places.length;
  reveal(places[message].file, places[message].start, places[message].end);
}

/* Answers. */

/* A narrow screen shows one scrolling pane, which a picture may fill. */
const isNarrow = matchMedia("(max-width: 800px)");
const picture = stage({ least: 0.1, most: 3, height: () => isNarrow.matches ? 0.7 * innerHeight : element("view").clientHeight, onStep: () => {} });

/* An empty program has no errors yet. */
function invite() {
  ++newest.solve;
  document.body.classList.remove("is-waiting", "is-old");
  messages([]);
  clearResults();
  draw(null, "Write a program, or paste a board or a link.");
  say("open", "Nothing to solve yet");
  refuse("There is nothing to play yet.");
}

/* Removes the results of another program. */
function clearResults() {
  Object.assign(state, { solved: null, answer: 0, drawn: null, shows: "answer" });
  for (const id of ["list", "atoms", "reason", "outcomes"]) element(id).replaceChildren();
  for (const id of ["answer", "all", "list", "more", "contradiction", "fix"]) element(id).hidden = true;
  element("passed").textContent = element("text").textContent = "";
  places([]);
}

async function solve() {
  if (editors.every(({ isShipped, text }) => isShipped || !text.trim())) return invite();
  const answer = await ask("solve", { solve: { models: state.asked } });
  if (!answer || state.plays) return;
  document.body.classList.remove("is-waiting");
  messages(answer.diagnostics);
  const { verdict } = answer;
  /* With an error in the text, the earlier answers remain. */
  document.body.classList.toggle("is-old", verdict === "error");
  if (verdict === "error") return say(verdict, (answer.diagnostics[0] || { text: answer.words }).text);
  answer.words = answer.words.trim() || { solved: "There is an answer.", impossible: "There is no answer." }[verdict] || "Gave up.";
  say(verdict, `${answer.words.split("\n")[0]} ${time(answer)}`);
  const before = state.solved && state.solved.answers[state.answer];
  state.solved = answer;
  /* The selected answer stays selected if it still exists. */
  const same = before ? answer.answers.findIndex(({ text }) => text === before.text) : 0;
  state.answer = Math.max(same, 0);
  ship(answer.encoding);
  list();
  choose(state.answer);
  if (answer.answers.some(({ picture }) => picture)) locate(answer);
  element("contradiction").hidden = element("fix").hidden = verdict !== "impossible";
  refuse(answer.playable || verdict === "gave-up" ? null : "This cannot be played: nothing is drawn.");
  /* A panel that opened automatically also closes automatically. */
  if (verdict === "solved" && state.hasOpened) pickReasons(element("tab-answers"));
  const reasons = verdict === "impossible" ? () => why(null) : element("tests").hidden ? () => {} : runTests;
  later(() => {
    reasons();
    if (verdict === "solved" && !answer.complete) count(answer);
  });
}

/* Adds the number of all answers to the status, if they can be counted. */
async function count(solved) {
  const counted = (await ask("count", { count: {} })) || { verdict: "error" };
  if (counted.verdict === "error" || solved !== state.solved || state.plays) return;
  const listed = solved.answers.length;
  /* Optima are not counted beside the worse answers before them. A bound may be lower than what is listed. */
  if (counted.costs) return;
  if (counted.count || BigInt(counted.at_least) > listed) say(solved.verdict, `${listed} of ${counted.words} ${time(solved)}`);
}

/* The seconds of a run, in parentheses. */
function time({ seconds }) {
  return `(${seconds < 0.01 ? "0.01" : seconds.toPrecision(2)} s)`;
}

/* Disables playing for a reason, or enables it. */
function refuse(reason) {
  state.refusal = reason;
  element("game").setAttribute("aria-disabled", Boolean(reason));
  element("game").title = reason || "Play (P)";
  element("told").hidden = true;
}

let patience = null;
/* Runs expensive tasks after a longer pause. */
function later(task) {
  clearTimeout(patience);
  patience = setTimeout(task, 300);
}

/* Requests the places of atoms in the pictures, which arrive after the answers. */
async function locate(solved) {
  const { places = [] } = (await ask("places", { places: {} })) || {};
  if (solved !== state.solved || state.plays || places.length === 0) return;
  const standing = (all) => {
    const holds = new Set(all);
    const there = places.map(({ at, words, atoms }) => ({ at, words, atoms: atoms.filter((atom) => holds.has(atom)) }));
    return there.filter(({ atoms }) => atoms.length);
  };
  for (const answer of solved.answers) answer.places = standing(answer.atoms);
  if (solved.shared) solved.shared.places = standing(solved.always || []);
  render();
}

/* Shows the encodings that were read as read-only texts. */
function ship(encodings) {
  for (const editor of editors.filter(({ isShipped }) => isShipped)) {
    if (encodings.some(({ name, text }) => name === editor.name && text === editor.saved)) continue;
    if (editor === state.editor) pickFile(editors[0].tab);
    editors.splice(editors.indexOf(editor), 1);
    editor.tab.remove();
    editor.root.remove();
  }
  for (const file of encodings) if (!editors.some(({ name }) => name === file.name)) add({ ...file, isShipped: true });
}

/* The text of an answer without shown atoms. */
const silent = "(no shown atoms)";

/* Maximum number of listed answers. */
const most = 200;

function list() {
  const { answers, complete, verdict } = state.solved;
  element("list").replaceChildren(...answers.slice(0, most).map(({ text }, index) =>
    make("li", {}, make("button", { onclick: () => choose(index) }, (text || silent).split("\n").slice(0, 3).join(" ")))));
  element("list").hidden = answers.length < 2;
  element("more").hidden = complete || verdict !== "solved" || answers.length < state.asked;
}

function choose(index) {
  const { answers } = state.solved;
  state.answer = Math.max(0, Math.min(index, answers.length - 1));
  [...element("list").children].forEach(({ firstChild: button }, at) => {
    if (at === state.answer) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  });
  render();
}

function render() {
  const { answers, complete, shared, board } = state.solved;
  const answer = answers[state.answer];
  const several = answers.length > 1;
  if (!several || (state.shows === "shared" && !(shared && shared.picture))) state.shows = "answer";
  element("answer").hidden = !several;
  element("shared").hidden = !shared || !shared.picture;
  /* Places arrive later; buttons keep their positions meanwhile, since the user may be about to click. */
  element("differ").hidden = !answer || !answer.picture;
  element("differ").disabled = !answer || answer.places.length === 0;
  element("shared").setAttribute("aria-pressed", state.shows === "shared");
  element("differ").setAttribute("aria-pressed", state.shows === "differ");
  element("counter").value = `${state.answer + 1} of ${answers.length}${complete ? "" : "+"}`;
  const { picture: shown, places: there = [] } = state.shows === "shared" ? shared : answer || { picture: board };
  atoms(answer);
  draw(shown, answer ? answer.text || silent : null);
  const everywhere = common();
  const kinds = ({ at, atoms }) => state.shows !== "differ" || !everywhere ? [] : differs(at, atoms, everywhere) ? ["differs"] : ["same"];
  places(shown ? there : [], (place) => ({
    words: [place.words, ...place.atoms].join(", "),
    kinds: [...kinds(place), ...place.atoms.flatMap((atom) => state.follows.has(atom) ? ["follows"] : [])],
    click: showingReasons(() => why(place.atoms)),
  }));
}

/* Shows a picture, or a text if there is none. */
function draw(wanted, words) {
  element("stage").hidden = !wanted;
  element("nothing").hidden = Boolean(wanted);
  element("nothing").textContent = words || (state.solved && state.solved.words) || "";
  if (!wanted || wanted === state.drawn) return;
  state.drawn = wanted;
  /* The other panes go below a wide picture. */
  document.body.classList.toggle("is-wide", wanted.view[2] > 1.4 * wanted.view[3] && wanted.view[2] > 500);
  picture.play(false);
  picture.draw(wanted);
  picture.show(0, true);
}

/* The atoms common to the known answers. */
function common() {
  const { always, answers = [] } = state.solved || {};
  return answers.length < 2 ? null : new Set(always || answers.map(({ atoms }) => atoms).reduce((some, others) => some.filter((atom) => others.includes(atom))));
}

/* Returns true if answers differ at a place. */
function differs(at, atoms, everywhere) {
  const there = state.solved.answers.flatMap(({ places }) => places.filter((place) => String(place.at) === String(at)));
  return [...atoms, ...there.flatMap(({ atoms }) => atoms)].some((atom) => !everywhere.has(atom));
}

function atoms(answer) {
  const everywhere = common();
  const words = element("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  element("all").hidden = !answer || answer.atoms.length === 0;
  element("text").textContent = answer && answer.atoms.length === 0 ? answer.text || silent : "";
  const all = (answer ? answer.atoms : []).filter((atom) => words.every((word) => atom.toLowerCase().includes(word)));
  element("atoms").replaceChildren(...all.slice(0, 2000).map((atom) => {
    const same = everywhere && everywhere.has(atom);
    const title = !everywhere ? "Why?" : same ? "In all answers. Why?" : "Not in all answers. Why?";
    return make("li", {}, make("button", { class: same ? "same" : everywhere ? "differs" : null, title, onclick: showingReasons(() => why([atom])) }, atom));
  }));
}

element("previous").onclick = () => choose(state.answer - 1);
element("next").onclick = () => choose(state.answer + 1);
for (const shows of ["shared", "differ"]) {
  element(shows).onclick = () => {
    state.shows = state.shows === shows ? "answer" : shows;
    render();
  };
}
element("more").onclick = () => { state.asked *= 10; solve(); };
element("filter").oninput = () => atoms(state.solved && state.solved.answers[state.answer]);

/* Reasons. */

state.follows = new Set();

function forget() {
  state.follows.clear();
  for (const editor of editors) editor.mark(["cause"], []);
  element("reason").classList.add("is-old");
}

const pickReasons = tabs(document.querySelector("#reasons .tabs"), (tab) => {
  state.hasOpened = false;
  for (const panel of document.querySelectorAll("#reasons [role=tabpanel]")) panel.hidden = panel.id !== tab.getAttribute("aria-controls");
  if (tab.id === "tab-tests" && element("outcomes").childElementCount === 0) runTests();
});

/* Explains the first of several atoms, and offers the others. `null`: explains why there is no answer. */
function why(about, fix = false) {
  const atom = about && about[0];
  return reason(atom ? `Why ${atom}?` : fix ? "What to change?" : "Why is there no answer?", { why: { about: atom, fix } }, about || []);
}

/* Without answers, the reason replaces their panel. */
function open() {
  if (element("answers").hidden || state.solved.answers.length) return;
  pickReasons(element("tab-why"));
  state.hasOpened = true;
}

/* Opens the panel of reasons before a task. */
const showingReasons = (task) => () => {
  pickReasons(element("tab-why"));
  turn("reasons");
  task();
};

async function reason(title, what, about = []) {
  const [since, clock] = [Date.now(), make("p", { role: "timer" }, "…")];
  const ticking = setInterval(() => clock.textContent = `${Math.round((Date.now() - since) / 1000)} s …`, 1000);
  element("reason").classList.remove("is-old");
  element("reason").replaceChildren(make("h2", {}, title), clock);
  const answer = await ask("reasons", what);
  clearInterval(ticking);
  clock.textContent = "The text has changed.";
  if (!answer) return;
  const { text = "", json = null, lists = [], diagnostics } = answer;
  const others = about.length < 2 ? [] : [make("p", { class: "others" }, ...about.map((atom, index) =>
    make("button", { "aria-pressed": String(index === 0), onclick: () => why([atom, ...about.filter((other) => other !== atom)]) }, atom)))];
  const summary = text.trim() || diagnostics.map(({ text }) => text).join("\n");
  element("reason").replaceChildren(
    make("h2", {}, title), ...others,
    make("p", { class: "verdict" }, summary.split("\n")[0]),
    ...lists.flatMap(({ title, lines }) => [...(title ? [make("h3", {}, title)] : []), reasonList(lines)]),
    make("details", {}, make("summary", {}, "In full"), make("pre", {}, summary)),
  );
  if (state.solved) open();
  const every = (lines) => lines.flatMap((line) => [line, ...every(line.below)]);
  const marks = lists.flatMap(({ lines }) => every(lines)).filter(({ place }) => place)
    .map(({ place, words, source }) => ({ ...place, kind: "cause", words: words || source }));
  for (const editor of editors) editor.mark(["cause"], marks.filter(({ file }) => file === editor.name));
  if (json && json.steps) {
    state.follows = new Set(json.steps.flatMap(({ follows }) => follows));
    if (!state.plays) render();
  }
}

/* A list of reasons with their subordinate reasons. */
function reasonList(lines) {
  return make("ul", { class: "parts" }, ...lines.map((line) => make("li", {}, line.source ? part(line) : line.atom || line.words, ...(line.below.length ? [reasonList(line.below)] : []))));
}

/* A reason with a link to its source. */
function part({ atom, words, source, place }) {
  return make("button", { class: "part", onclick: () => place && reveal(place.file, place.start, place.end) },
    ...(atom ? [make("b", {}, atom)] : []), ...(words ? [make("span", {}, words)] : []), make("code", { class: "source" }, source),
    ...(place ? [make("code", {}, `${place.file.split("/").pop()}:${place.start[0]}`)] : []));
}

element("contradiction").onclick = () => why(null);
element("fix").onclick = () => why(null, true);
element("follows").onclick = () => reason("What follows next?", { hint: { moves: [] } });

/* Tests. */

async function runTests() {
  const answer = await ask("reasons", { tests: {} });
  if (!answer) return;
  const { tests = [], passed = 0, failed = 0, diagnostics } = answer.json || answer;
  element("passed").textContent = tests.length ? `${passed} passed, ${failed} failed` : ((diagnostics || [])[0] || { text: "There are no tests in these files." }).text;
  element("passed").className = failed ? "error" : "";
  element("outcomes").replaceChildren(...tests.map(({ name, file, line, passed, words, answer }) => make("li", {},
    make("button", { class: passed ? "passed" : "failed", onclick: () => file && reveal(file, [line || 1, 1]) },
      make("b", {}, passed ? "ok" : "failed"), make("span", {}, name), ...(words && !passed ? [make("small", {}, words)] : []),
      ...(answer && !passed ? [make("small", {}, answer.join(" "))] : []), make("code", {}, `${(file || "").split("/").pop()}:${line}`)))));
}

element("run").onclick = runTests;

/* Solving and playing. */

/* Leaves a game that cannot be played, and shows the reason. */
async function leave(reason) {
  await turnTo(false);
  refuse(reason);
  element("told").textContent = reason;
  element("told").hidden = false;
}

function turnTo(plays, focuses = true) {
  if (plays && state.refusal) return leave(state.refusal);
  state.plays = plays;
  element("solve").setAttribute("aria-pressed", !plays);
  element("game").setAttribute("aria-pressed", plays);
  document.body.classList.toggle("plays", plays);
  for (const id of ["tools", "options", "told"]) element(id).hidden = !plays;
  element("answer").hidden = plays;
  forget();
  mark([]);
  notes([]);
  pencil(false);
  /* Removes the picture and places of the other mode, perhaps a solution. */
  if (plays) {
    places([]);
    draw(null, " ");
  }
  turn("board");
  return plays ? look().then(() => focuses && spots[0] && spots[0].spot.focus({ preventScroll: true })) : solve();
}

element("solve").onclick = () => turnTo(false);
element("game").onclick = () => turnTo(true);

/* The page. */

/* Selects the pane of a narrow screen. */
function turn(pane) {
  document.body.dataset.pane = pane;
  for (const button of document.querySelectorAll("nav button")) {
    if (button.dataset.pane === pane) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  if (state.editor) state.editor.paint();
}

for (const button of document.querySelectorAll("nav button")) button.onclick = () => turn(button.dataset.pane);
element("help").onclick = () => element("keys").showModal();

function nextPane() {
  const panes = [...document.querySelectorAll(".pane")].filter(({ id }) => !state.plays || id !== "reasons");
  const pane = panes[(panes.findIndex((pane) => pane.contains(document.activeElement)) + 1) % panes.length];
  turn(pane.id);
  const inside = pane.id === "program" ? state.editor.area : pane.querySelector("#places [tabindex='0'], [role=tab][aria-selected=true], button:not([hidden])");
  inside.focus();
}

/* Keys of the page; letters only outside text fields. */
document.addEventListener("keydown", (event) => {
  const combined = event.ctrlKey || event.metaKey;
  const name = `${combined ? "Ctrl+" : ""}${event.key}`;
  const anywhere = { "Ctrl+s": () => state.editor.saves ? save() : download(), F8: nextMessage, F6: nextPane, F1: () => element("keys").showModal() }[name];
  if (anywhere) {
    event.preventDefault();
    return anywhere();
  }
  if (event.altKey || document.querySelector("dialog[open]") || event.target.matches("textarea, [type=search], [role=tab]")) return;
  if (state.plays && playKey(event, name)) return;
  if (combined || placeKey(event)) return;
  const letter = { "[": "previous", "]": "next", s: "shared", d: "differ", g: "examples", p: state.plays ? "solve" : "game" }[event.key];
  if (letter) press(letter);
  else if (!event.target.matches("input")) picture.key(event);
});

new ResizeObserver(() => { if (state.drawn) picture.fit(); }).observe(element("view"));

async function begin() {
  const { files, mode, words } = await engine.begin(start);
  openProgram("files", files.map(({ name }) => name.split("/").pop()).join(", "), files);
  turn("board");
  engine.listen(on);
  /* A board in another page leaves the focus there. */
  if (mode === "play") turnTo(true, false);
  else solve();
  if (words) say("error", words);
}

begin();
