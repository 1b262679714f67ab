"use strict";
const { columns, rows, playsRows, marks, pictures } = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const picture = element("picture");
const state = { row: 0, step: 0, sort: null, descending: false, playing: null };

/* The picture: as large as one can read it, and what is beyond the screen is scrolled to. */

let shown = null;
let movers = [];
const view = element("view");
/* Pixels on the screen for one of the picture: the smallest letters have ten. */
const readable = 0.9;
let scale = null;

function whole() {
  const [, , width, height] = shown.view;
  return Math.min(view.clientWidth / width, (0.72 * innerHeight) / height, 2);
}

function zoom(wanted) {
  const [, , width, height] = shown.view;
  const [x, y] = [view.scrollLeft + view.clientWidth / 2, view.scrollTop + view.clientHeight / 2];
  const before = scale || 1;
  scale = Math.max(Math.min(wanted, 4), Math.min(whole(), 0.2));
  picture.setAttribute("width", width * scale);
  picture.setAttribute("height", height * scale);
  view.scrollTo((x * scale) / before - view.clientWidth / 2, (y * scale) / before - view.clientHeight / 2);
}

function draw(number) {
  shown = pictures[number];
  if (!shown) { element("stage").hidden = true; return; }
  picture.setAttribute("viewBox", shown.view.join(" "));
  picture.setAttribute("aria-label", shown.title);
  /* Each thing that comes, goes or moves knows how much of the ground lies below it. */
  const ground = (from, to) => shown.ground.slice(from, to).map((mark) => marks[mark]).join("");
  let below = 0;
  const layers = shown.movers.map(([mark, , , , above]) => {
    const layer = `${ground(below, above)}<g class="mark mover">${mark}</g>`;
    below = above;
    return layer;
  });
  picture.innerHTML = layers.join("") + ground(below);
  zoom(scale || Math.max(whole(), readable));
  movers = [...picture.querySelectorAll(".mover")];
  const last = Math.max(shown.captions.length, 1) - 1;
  element("step").max = last;
  element("player").hidden = last === 0;
}

/* What is looked at stays on the screen. */
function follow([x, y], jumps) {
  const [left, top] = shown.view;
  const behavior = jumps ? "instant" : "smooth";
  view.scrollTo({ left: (x - left) * scale - view.clientWidth / 2, top: (y - top) * scale - view.clientHeight / 2, behavior });
}

const translate = ([x, y]) => `translate(${x}px, ${y}px)`;

/* Along the way of a step, or back along it. */
function ride(mover, way, back) {
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", way);
  const [length, parts] = [path.getTotalLength(), 24];
  const frames = Array.from({ length: parts + 1 }, (_, part) => {
    const { x, y } = path.getPointAtLength((length * (back ? parts - part : part)) / parts);
    return { transform: translate([x, y]) };
  });
  mover.animate(frames, { duration: 400, easing: "ease-in-out" });
}

function show(step, jumps) {
  if (!shown) return;
  const before = state.step;
  state.step = Math.max(0, Math.min(step, shown.captions.length - 1, Number(element("step").max)));
  const moves = !jumps && Math.abs(state.step - before) === 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  picture.classList.toggle("is-jumping", Boolean(jumps));
  let looked = null;
  movers.forEach((mover, index) => {
    const [, places, ways, there] = shown.movers[index];
    mover.style.visibility = there.length && !there[state.step] ? "hidden" : "";
    const at = (step) => places[Math.min(step, places.length - 1)];
    mover.style.transform = translate(at(state.step));
    if (ways.length && moves) ride(mover, ways[Math.min(before, state.step)], state.step < before);
    if (ways.length || String(at(state.step)) !== String(at(before))) looked = at(state.step);
  });
  if (looked) follow(looked, jumps);
  element("step").value = state.step;
  element("caption").textContent = shown.captions[state.step] || shown.title;
  if (playsRows) select(state.step - 1);
  remember();
}

function play(on) {
  clearInterval(state.playing);
  state.playing = null;
  element("play").textContent = on ? "❚❚" : "▶";
  if (!on || !shown) return;
  if (state.step >= shown.captions.length - 1) show(0, true);
  state.playing = setInterval(() => {
    if (state.step >= shown.captions.length - 1) play(false);
    else show(state.step + 1);
  }, 500);
}

function go(step) { play(false); show(step); }

element("first").onclick = () => go(0);
element("back").onclick = () => go(state.step - 1);
element("play").onclick = () => play(!state.playing);
element("on").onclick = () => go(state.step + 1);
element("last").onclick = () => go(Infinity);
element("smaller").onclick = () => zoom(scale / 1.4);
element("larger").onclick = () => zoom(scale * 1.4);
element("whole").onclick = () => zoom(whole());
element("step").oninput = (event) => go(Number(event.target.value));

/* The table. */

const selects = [];

function matches(cells) {
  const wanted = element("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = cells.join(" ").toLowerCase();
  return wanted.every((word) => text.includes(word)) && selects.every(({ column, select }) => !select.value || cells[column] === select.value);
}

function compare(one, other) {
  const [a, b] = [one[1][state.sort], other[1][state.sort]];
  return a.localeCompare(b, undefined, { numeric: true });
}

function list() {
  const body = document.querySelector("tbody");
  const found = rows.map((row, index) => [...row, index]).filter(([, cells]) => matches(cells));
  if (state.sort !== null) found.sort((a, b) => (state.descending ? compare(b, a) : compare(a, b)));
  body.replaceChildren(...found.map(([, cells, index]) => {
    const row = document.createElement("tr");
    row.dataset.row = index;
    row.tabIndex = 0;
    row.setAttribute("aria-selected", index === state.row);
    cells.forEach((cell) => row.appendChild(document.createElement("td")).textContent = cell);
    return row;
  }));
  element("count").textContent = found.length === rows.length ? `${rows.length}` : `${found.length} of ${rows.length}`;
  document.querySelectorAll("th").forEach((head, column) => {
    head.setAttribute("aria-sort", column !== state.sort ? "none" : state.descending ? "descending" : "ascending");
    head.firstChild.textContent = columns[column] + (column !== state.sort ? "" : state.descending ? " ▼" : " ▲");
  });
}

/* A mouse drags the picture; fingers scroll it anyway. */
view.onpointermove = (event) => {
  if (event.pointerType === "mouse" && event.buttons === 1) view.scrollBy(-event.movementX, -event.movementY);
};

/* The row of what is shown; before the first step there is none. */
function select(row) {
  state.row = row;
  const lines = [...document.querySelectorAll("tbody tr")];
  lines.forEach((line) => line.setAttribute("aria-selected", Number(line.dataset.row) === row));
  const [line, scroll] = [lines.find((line) => Number(line.dataset.row) === row), element("scroll")];
  if (!playsRows || !line) return;
  const [top, bottom] = [line.offsetTop - document.querySelector("thead").offsetHeight, line.offsetTop + line.offsetHeight];
  scroll.scrollTop = Math.max(Math.min(scroll.scrollTop, top), bottom - scroll.clientHeight);
}

function choose(row, step = playsRows ? row + 1 : 0) {
  if (!rows[row]) { draw(0); show(0, true); return; }
  play(false);
  select(row);
  draw(rows[row][0]);
  show(step, true);
}

function build() {
  element("answers").hidden = rows.length === 0;
  /* A wide picture has the table below it. */
  const widest = Math.max(0, ...pictures.map((picture) => picture.view[2]));
  document.querySelector("main").classList.toggle("is-wide", widest * readable > 0.6 * innerWidth);
  document.querySelector("main").classList.toggle("plays-rows", playsRows);
  const head = document.querySelector("thead").appendChild(document.createElement("tr"));
  columns.forEach((name, column) => {
    const button = head.appendChild(document.createElement("th")).appendChild(document.createElement("button"));
    button.textContent = name;
    button.onclick = () => {
      state.descending = state.sort === column && !state.descending;
      state.sort = column;
      list();
    };
    const values = [...new Set(rows.map(([, cells]) => cells[column]))];
    if (values.length < 2 || values.length > 6 || rows.length < 2 * values.length) return;
    const select = element("filters").insertBefore(document.createElement("select"), element("count"));
    select.setAttribute("aria-label", name);
    select.add(new Option(`any ${name}`, ""));
    values.sort().forEach((value) => select.add(new Option(value, value)));
    select.oninput = list;
    selects.push({ column, select });
  });
  element("filter").oninput = list;
  element("filter").hidden = rows.length < 2;
  const body = document.querySelector("tbody");
  body.onclick = (event) => {
    const row = event.target.closest("tr");
    if (row) choose(Number(row.dataset.row));
    if (row) element("stage").scrollIntoView({ block: "nearest" });
  };
  body.onkeydown = (event) => {
    const row = event.target.closest("tr");
    const next = event.key === "ArrowDown" ? row.nextElementSibling : event.key === "ArrowUp" ? row.previousElementSibling : event.key === "Enter" ? row : null;
    if (!next) return;
    next.focus();
    choose(Number(next.dataset.row));
    event.preventDefault();
  };
}

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const deed = {
    ArrowLeft: () => go(state.step - 1),
    ArrowRight: () => go(state.step + 1),
    Home: () => go(0),
    End: () => go(Infinity),
    " ": () => play(!state.playing),
    "+": () => zoom(scale * 1.4),
    "-": () => zoom(scale / 1.4),
    0: () => zoom(whole()),
  }[event.key];
  if (!deed || (event.key === " " && event.target.matches("button, summary"))) return;
  event.preventDefault();
  deed();
});

/* A place on the page has an address, which also survives that the page is loaded again. */

function remember() {
  history.replaceState(null, "", `#row=${Math.max(state.row, 0)}&step=${state.step}`);
}

/* A single step is shown at once. */
const [, row = 0, step = playsRows && rows.length === 1 ? 1 : 0] = (location.hash.match(/^#row=(\d+)&step=(\d+)$/) || []).map(Number);
build();
list();
choose(Math.min(row, Math.max(rows.length - 1, 0)), step);
if (rows.length === 0 || !shown) element("words").open = true;
