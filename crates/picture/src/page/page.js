const { columns, rows, framesPerRow, nouns, chosen, settings, marks, pictures } = JSON.parse(document.getElementById("data").textContent);
const state = { row: 0, picture: -1, sort: null, descending: false };
/* Rows are steps of pictures, or answers. */
const playsRows = framesPerRow > 0;
/* The height that the picture leaves for the table below it. */
const below = () => (innerWidth < 900 ? 0 : 16);

const picture = stage({
  least: 0,
  most: 3,
  /* The picture and its buttons fit on the screen. */
  height: () => Math.max(innerHeight - (element("stage").offsetHeight - element("view").offsetHeight) - element("stage").offsetTop - below(), 160),
  onStep: (step) => {
    if (playsRows) select(rowAt(step));
    remember();
  },
});

/* The rows of a picture are consecutive. There is none for its first frame. */
const firstRow = (shown) => rows.findIndex(([picture]) => picture === shown);
const rowAt = (step) => step === 0 ? -1 : firstRow(state.picture) + Math.ceil(step / framesPerRow) - 1;
const stepOf = (row) => playsRows && rows[row] ? (row - firstRow(rows[row][0]) + 1) * framesPerRow : 0;
const counted = (number) => `${number} ${nouns[number === 1 ? 0 : 1] || ""}`;

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
  const listed = rows.map((row, index) => [...row, index]).filter(([shown]) => !playsRows || shown === state.picture);
  const found = listed.filter(([, cells]) => matches(cells));
  if (state.sort !== null) found.sort((a, b) => (state.descending ? compare(b, a) : compare(a, b)));
  body.replaceChildren(...found.map(([, cells, index]) => {
    const row = document.createElement("tr");
    row.dataset.row = index;
    row.tabIndex = 0;
    row.setAttribute("aria-selected", index === state.row);
    cells.forEach((cell) => {
      const data = row.appendChild(document.createElement("td"));
      data.textContent = cell;
      data.classList.toggle("is-long", cell.length > 24);
    });
    return row;
  }));
  element("count").textContent = found.length === listed.length ? counted(listed.length) : `${found.length} of ${counted(listed.length)}`;
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

/* Shows a frame of a picture. */
function open(shown, step) {
  const isNew = shown !== state.picture;
  state.picture = shown;
  picture.play(false);
  const drawn = pictures[shown];
  element("stage").hidden = !drawn;
  if (isNew && playsRows) list();
  if (!drawn) { remember(); return; }
  element("stage").classList.toggle("is-still", drawn.captions.length < 2);
  element("stage").classList.toggle("is-wordy", drawn.captions.some((caption) => caption.length > 90));
  if (isNew) picture.draw({ ...drawn, ground: drawn.ground.map((mark) => marks[mark]) });
  picture.show(step, isNew || Math.abs(step - picture.step()) !== 1);
}

function choose(row, step = stepOf(row)) {
  if (rows[row]) { select(row); say(row); }
  open(rows[row] ? rows[row][0] : 0, step);
}

/* The table goes below a wide picture, if that makes the picture much larger. */
function arrange() {
  const main = document.querySelector("main");
  const [wide, high] = [0, 1].map((axis) => Math.max(1, ...pictures.map(({ view }) => view[2 + axis])));
  const scale = (width) => Math.min((width * innerWidth) / wide, (0.68 * innerHeight) / high, 3);
  main.classList.toggle("is-wide", scale(0.95) > 1.3 * scale(0.65));
  main.style.setProperty("--picture", `${wide * scale(1)}px`);
  main.classList.toggle("plays-rows", playsRows);
  picture.fit();
}

function build() {
  element("answers").hidden = rows.length === 0;
  arrange();
  onresize = arrange;
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
    if (playsRows || values.length < 2 || values.length > 6 || rows.length < 2 * values.length) return;
    const select = element("filters").insertBefore(document.createElement("select"), element("count"));
    select.setAttribute("aria-label", name);
    select.add(new Option(`any ${name}`, ""));
    values.sort().forEach((value) => select.add(new Option(value, value)));
    select.oninput = list;
    selects.push({ column, select });
  });
  element("filter").oninput = list;
  element("filter").hidden = rows.length < 6;
  element("note").hidden = !element("note").textContent;
  offerAnswers();
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

/* Several answers whose rows are steps. */
function offerAnswers() {
  if (!playsRows || pictures.length < 2) return;
  const select = element("filters").insertBefore(document.createElement("select"), element("filter"));
  select.setAttribute("aria-label", "Solution");
  select.id = "answer";
  pictures.forEach((_, shown) => select.add(new Option(`Solution ${shown + 1} of ${pictures.length}`, shown)));
  select.oninput = () => open(Number(select.value), 0);
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
  const row = Math.max(state.row, playsRows ? firstRow(state.picture) : 0, 0);
  history.replaceState(null, "", `#row=${row}&step=${picture.step()}`);
}

/* A page with a single step shows that step first. */
const [, row, step = playsRows && rows.length === 1 ? framesPerRow : 0] = (location.hash.match(/^#row=(\d+)&step=(\d+)$/) || []).map(Number);
build();
list();
offer();
const begin = row ?? Math.max(rows.findIndex(([picture]) => picture === chosen), 0);
choose(Math.min(begin, Math.max(rows.length - 1, 0)), step);
if (element("answer")) element("answer").value = state.picture;
if (element("words") && (rows.length === 0 || element("stage").hidden)) element("words").open = true;
