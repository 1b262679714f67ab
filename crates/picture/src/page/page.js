const { columns, rows, playsRows, chosen, settings, marks, pictures } = JSON.parse(document.getElementById("data").textContent);
const state = { row: 0, sort: null, descending: false };
/* At this scale the smallest letters have ten pixels. */
const readable = 0.9;

const picture = stage({
  least: readable,
  most: 2,
  height: () => 0.72 * innerHeight,
  onStep: (step) => {
    if (playsRows) select(step - 1);
    remember();
  },
});

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

/* Selects the row of the shown step; there is none before the first step. */
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
  const shown = pictures[rows[row] ? rows[row][0] : 0];
  picture.play(false);
  if (rows[row]) { select(row); say(row); }
  element("stage").hidden = !shown;
  if (!shown) { remember(); return; }
  picture.draw({ ...shown, ground: shown.ground.map((mark) => marks[mark]) });
  picture.show(step, true);
}

function build() {
  element("answers").hidden = rows.length === 0;
  /* The table goes below a wide picture. */
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

/* Settings. The first cells of the row that has a setting are its values. */

const set = [];
const wanted = () => set.map((select) => select.value).join("");
const first = (cells, count) => cells.slice(0, count).join("");
const rowOf = (setting) => rows.findIndex(([, cells]) => first(cells, 1) === setting || first(cells, 2) === setting);

function offer() {
  if (!settings.length || !settings.every(([, values]) => values.length) || rowOf(settings.map(([, values]) => values[0]).join("")) < 0) return;
  const box = element("settings");
  box.hidden = false;
  for (const [name, values] of settings) {
    const select = document.createElement("select");
    values.forEach((value) => select.add(new Option(value, value)));
    const label = box.appendChild(document.createElement("label"));
    label.append(name, select);
    select.oninput = () => { if (rowOf(wanted()) >= 0) choose(rowOf(wanted())); };
    set.push(select);
  }
  const run = box.appendChild(document.createElement("button"));
  run.textContent = "Run";
  run.onclick = () => {
    choose(rowOf(wanted()));
    picture.play(true);
  };
}

/* Shows the settings of a row. */
function say(row) {
  if (!set.length) return;
  const [, cells] = rows[row];
  const matches = (at, rest) => {
    if (at === settings.length) return rest === "" ? [] : null;
    for (const value of settings[at][1]) {
      const more = rest.startsWith(value) ? matches(at + 1, rest.slice(value.length)) : null;
      if (more) return [value, ...more];
    }
    return null;
  };
  const values = matches(0, first(cells, 1)) || matches(0, first(cells, 2));
  if (values) set.forEach((select, index) => select.value = values[index]);
}

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  picture.key(event);
});

/* The address contains the row and the step, so that a reload restores them. */

function remember() {
  history.replaceState(null, "", `#row=${Math.max(state.row, 0)}&step=${picture.step()}`);
}

/* A page with a single step shows that step first. */
const [, row, step = playsRows && rows.length === 1 ? 1 : 0] = (location.hash.match(/^#row=(\d+)&step=(\d+)$/) || []).map(Number);
build();
list();
offer();
/* Settings initially have their first values, unless an answer was requested. */
const begin = row ?? (chosen === 0 && set.length ? rowOf(wanted()) : Math.max(rows.findIndex(([picture]) => picture === chosen), 0));
choose(Math.min(begin, Math.max(rows.length - 1, 0)), step);
if (rows.length === 0 || element("stage").hidden) element("words").open = true;
