/* The board in play. The function `ask` (of a server, or of the page itself) returns its places and moves. The state is a list of moves; undo removes the last one. */

const game = { moves: [], undone: [], look: null, at: -1, pencils: false, queue: Promise.resolve() };

async function look(asks = element("at-once")?.checked ? "mistake" : "nothing") {
  let answer = await ask("solve", { play: { moves: game.moves, asks } });
  /* Moves that do not fit a changed board are dropped. While the text has an error, they are retained. */
  if (answer && !answer.places && game.moves.length) {
    const fresh = await ask("solve", { play: { moves: [], asks } });
    if (!fresh) return;
    if (fresh.places) [answer, game.moves, game.undone] = [fresh, [], []];
  }
  if (!answer || !state.plays) return;
  document.body.classList.remove("is-waiting");
  messages(answer.diagnostics);
  document.body.classList.toggle("is-old", !answer.places);
  if (!answer.places) {
    const reason = (answer.diagnostics[0] || { text: answer.words }).text;
    return answer.diagnostics.some(({ places }) => places.length) ? say("error", reason) : leave(reason);
  }
  const then = game.look && game.look.places[game.at];
  game.look = answer;
  draw(answer.picture, answer.words);
  places(answer.places, (place, index) => ({
    words: place.words,
    kinds: [...(place.options.length ? [] : ["is-fixed"]), ...(index === game.at && isChosen(place) ? ["is-chosen"] : [])],
    click: () => {
      if (chosen === index || !isChosen(place)) act(index);
      chosen = index;
    },
    other: () => act(index, before),
  }));
  /* One finger draws, and two fingers scroll the page. If nothing can be drawn, one finger scrolls it. */
  board.style.touchAction = answer.places.some(isDragged) ? "pinch-zoom" : "manipulation";
  notes(answer.places);
  mark(answer.marked, answer.isHint || (asks === "hint" && answer.moves.length) ? "hinted" : "marked", answer.reasons);
  element("board").dataset.state = answer.state;
  element("pencil").hidden = !answer.places.some(takesNotes);
  element("undo").disabled = element("again").disabled = game.moves.length === 0;
  element("redo").disabled = game.undone.length === 0;
  element("told").textContent = [answer.because, answer.distance, answer.state !== "open" && answer.words].filter(Boolean).join("\n") || answer.usage || "";
  say({ open: "open", won: "solved", lost: "error", stuck: "error" }[answer.state], answer.words.split("\n")[0]);
  /* Announces the changed place to screen readers. */
  const now = answer.places[game.at];
  if (now && then && now.words !== then.words) element("said").textContent = now.words;
  options();
  /* Plays a picture with steps after a move. */
  if (answer.picture && answer.picture.captions.length > 1 && game.moves.length) picture.play(true);
}

/* Tasks run in sequence, since the next value depends on the current one. */
const queue = (task) => game.queue = game.queue.then(task);

/* A number of two digits replaces its first digit. */
function move(wanted, corrects = false) {
  if (!wanted) return undefined;
  if (corrects) game.moves.pop();
  game.moves.push(game.pencils && wanted.sign ? `pencil ${wanted.move}` : wanted.move);
  game.undone = [];
  return look();
}

element("marked").before(drawn("g", { id: "notes" }));

const takesNotes = ({ options, ends }) => !ends && options.some(({ sign }) => sign);

/* Draws pencil marks: each of up to nine signs has a fixed position; of more signs, only those present are arranged. A text at the top of a cell stays free. */
function notes(all) {
  element("notes").replaceChildren(...all.filter(({ pencilled }) => pencilled.length).flatMap(({ at: [x, above, width, whole], isLow, options, pencilled, struck = [], found = [] }) => {
    const [y, height] = isLow ? [above + 0.24 * whole, 0.76 * whole] : [above, whole];
    const signs = options.filter(({ sign }) => sign);
    const slots = signs.length > 9 ? pencilled.map((option) => options[option]) : signs;
    const side = Math.max(2, Math.ceil(Math.sqrt(slots.length)));
    const longest = Math.max(...slots.map(({ sign }) => sign.length));
    const size = Math.min(0.3 * height, (0.8 * height) / side, (1.3 * width) / side / longest);
    return pencilled.map((option) => {
      const slot = slots.indexOf(options[option]);
      const [column, row] = [slot % side, Math.floor(slot / side)];
      const inside = (number) => 0.1 + (0.8 * (number + 0.5)) / side;
      const kind = struck.includes(option) ? "struck" : found.includes(option) ? "found" : "note";
      const note = drawn("text", { x: x + width * inside(column), y: y + height * inside(row), "font-size": size, class: kind });
      note.textContent = options[option].sign;
      return note;
    });
  }));
}

function pencil(on = !game.pencils) {
  game.pencils = on;
  element("pencil").setAttribute("aria-pressed", on);
}

/* Sets a place to its next value, or to the option chosen by `which`. */
function act(index, which = ({ next }) => next) {
  game.at = index;
  if (game.pencils && takesNotes(game.look.places[index])) return options();
  return queue(() => {
    const place = game.look.places[index];
    return place.next === null ? undefined : move(place.options.at(which(place) % place.options.length));
  });
}

/* The previous value. If there is a value to clear, the empty value lies between the last and the first. */
const before = ({ options, next }) => next - (options.some(({ key }) => key === "Backspace") ? 2 : 1);

/* A place with more values than these is selected by the first click, and set by keys, buttons, or further clicks. */
const many = 4;
let chosen = -1;
const values = ({ options }) => options.filter(({ key }) => key !== "Backspace");
const isChosen = (place) => values(place).length > many;

/* Moves entries from one list to the other, and updates the board. */
const back = (from, to, number = 1) => queue(() => {
  for (; number > 0 && from().length; number -= 1) to().push(from().pop());
  return look();
});
const [moves, undone] = [() => game.moves, () => game.undone];
const undo = () => back(moves, undone);
const redo = () => back(undone, moves);
const restart = () => back(moves, undone, Infinity);
const asking = (asks) => () => queue(() => look(asks));

/* Returns the focus from a button to its place, so that keys apply to the place again. */
const goBack = () => { if (spots[game.at]) spots[game.at].spot.focus({ preventScroll: true }); };

/* Shows the values of a place, and the moves without a place, as buttons. */
function options() {
  if (!game.look) return;
  const place = game.look.places[game.at];
  const button = (wanted) => make("button", { title: wanted.words, "aria-label": wanted.words, class: wanted.sign ? "sign" : null, onclick: () => queue(() => move(wanted)) }, ...face(wanted));
  element("options").setAttribute("aria-label", place ? place.words : "Moves");
  /* Each move occurs once; the option of the place takes precedence. */
  const all = new Map([...game.look.moves, ...(place ? place.options.filter(({ covers }) => !covers) : [])].map((wanted) => [wanted.move, wanted]));
  const hadFocus = element("options").contains(document.activeElement);
  element("options").replaceChildren(...[...all.values()].map(button));
  element("options").hidden = element("options").childElementCount === 0;
  if (hadFocus) goBack();
}

const signs = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Backspace: "⌫", " ": "␣" };

/* The label of a move's button: a sign alone, or the words with the key. */
const face = ({ words, sign, key }) => signs[key] ? [signs[key]] : [sign || words, ...(key && key !== sign ? [make("kbd", {}, key)] : [])];

/* Selects a place. */
function visit(index) {
  if (game.at !== index) chosen = -1;
  game.at = index;
  spots.forEach(({ spot, place }, at) => spot.classList.toggle("is-chosen", at === index && isChosen(place)));
  options();
}

/* Digits typed in quick succession at the same place. */
const typed = { at: -1, digits: "", until: 0, moved: false };

/* Returns the move of a key: the move of the number that it completes, else the move of the key alone. */
function keyed(moves, name, { timeStamp }) {
  const digits = typed.at === game.at && timeStamp < typed.until ? typed.digits + name : name;
  const corrects = digits !== name && typed.moved;
  const long = digits !== name && moves.find(({ key }) => key === digits);
  const wanted = long || moves.find(({ key }) => key === name);
  if (/^\d$/.test(name)) Object.assign(typed, { at: game.at, digits: long ? digits : name, until: timeStamp + 800, moved: Boolean(wanted) });
  return [wanted, Boolean(long) && corrects];
}

/* Clicks a button if it is visible. */
function press(id) {
  if (element(id).getClientRects().length) element(id).click();
}

const tools = { "Ctrl+z": undo, "Ctrl+y": redo, "Ctrl+Z": redo, n: () => press("pencil"), c: asking("mistake"), h: asking("hint"), m: asking("distance") };

/* Handles keys in a game; returns true if the key was used. */
function playKey(event, name) {
  if (!game.look) return false;
  const index = at();
  const place = game.look.places[index];
  const isSpent = event.target.matches("button, input") && (name === " " || name === "Enter");
  const [wanted, corrects] = isSpent ? [] : keyed([...(place ? place.options : []), ...game.look.moves], name, event);
  if (wanted) queue(() => move(wanted, corrects));
  else if (tools[name]) tools[name]();
  else if (place && (name === "Enter" || name === " ")) act(index, event.shiftKey ? before : undefined);
  else return false;
  event.preventDefault();
  return true;
}

element("pencil").onclick = () => {
  pencil();
  goBack();
};
element("undo").onclick = undo;
element("redo").onclick = redo;
element("again").onclick = restart;
for (const asks of ["mistake", "hint", "distance"]) if (element(asks)) element(asks).onclick = asking(asks);
if (element("at-once")) element("at-once").onchange = asking();

/* Dragging draws a line from point to point, copies the value of the first cell to others, or sets borders from corner to corner. */

const board = element("picture");
const isDragged = (place) => place.ends || (place.options.length > 0 && !isChosen(place)) || place.options.some(({ covers }) => covers);
const erasing = ({ options }) => options.find(({ key }) => key === "Backspace");
const current = ({ options, next }) => options.some(({ key }) => key === "Backspace") ? options.at(next - 1) : undefined;
const holds = ([left, top, width, height], [x, y]) => x >= left && x < left + width && y >= top && y < top + height;

/* Returns a function from the position of the pointer to the moves of a drag that began at `from`, or null if nothing can be dragged there. */
function dragging(from) {
  const all = state.plays && game.look ? game.look.places : [];
  const kind = all.some(({ ends }) => ends) ? drawing : all.some(({ options }) => options.some(({ covers }) => covers)) ? framing : painting;
  return kind(all, from);
}

/* Draws lines to each point that the pointer reaches; going back removes them. */
function drawing(all, from) {
  const ways = all.flatMap(({ ends }, index) => ends ? [{ index, start: ends[0], end: ends[1] }, { index, start: ends[1], end: ends[0] }] : []);
  const away = ({ start: [x, y] }) => Math.hypot(x - from[0], y - from[1]);
  const nearest = [...ways].sort((one, other) => away(one) - away(other))[0];
  if (away(nearest) > 20) return null;
  let [here, wanted, way] = [nearest.start, null, []];
  const ahead = (to) => ways.filter(({ start }) => String(start) === String(here)).map((one) => {
    const [dx, dy, x, y] = [one.end[0] - here[0], one.end[1] - here[1], to[0] - here[0], to[1] - here[1]];
    const length = Math.hypot(dx, dy);
    return { ...one, along: (x * dx + y * dy) / length, aside: Math.abs(x * dy - y * dx) / length, length };
  }).filter(({ along, aside, length }) => along > 0.6 * length && aside <= along).sort((one, other) => other.along - one.along)[0];
  return (to) => {
    for (let next = ahead(to); next; next = ahead(to)) {
      here = next.end;
      if (way.length && way.at(-1).index === next.index) {
        way.pop();
        continue;
      }
      const place = all[next.index];
      const lines = values(place).filter(({ key }) => key !== "x");
      wanted = wanted || lines[lines.indexOf(current(place)) + 1] || erasing(place);
      way.push({ index: next.index, move: setting(place, wanted) });
    }
    return way.flatMap(({ move }) => move);
  };
}

/* The move that sets a place to the option `wanted`, unless it is set already. */
function setting(place, wanted) {
  const move = place.options.find(({ key, sign }) => key === wanted.key && sign === wanted.sign);
  return move && move !== current(place) ? [move] : [];
}

/* Cells below the pointer get the value that a click gives to the first one. */
function painting(all, from) {
  const first = all.find(({ at }) => holds(at, from));
  if (!first || first.next === null || isChosen(first)) return null;
  const met = new Set([first]);
  return (to) => {
    const over = all.find(({ at }) => holds(at, to));
    if (over) met.add(over);
    return met.size < 2 ? [] : [...met].flatMap((place) => setting(place, first.options[first.next]));
  };
}

/* Sets a rectangle of cells, with a preview; a click removes the rectangle around it. */
function framing(all, from) {
  const side = all[0].at[2];
  const corner = (point) => point.map((coordinate) => Math.floor(coordinate / side) * side);
  const [one, frame] = [corner(from), element("marked").appendChild(drawn("rect", { class: "frame" }))];
  const within = (place) => current(place)?.covers && holds(current(place).covers, from);
  return (to, isOver) => {
    const other = corner(to);
    const [x, y] = [0, 1].map((axis) => Math.min(one[axis], other[axis]));
    const [width, height] = [0, 1].map((axis) => Math.abs(one[axis] - other[axis]) + side);
    set(frame, { x, y, width, height });
    if (!isOver) return [];
    frame.remove();
    const isFound = (place) => place.options.find(({ covers }) => String(covers) === String([x, y, width, height]));
    const found = all.filter((place) => isFound(place) && isFound(place) !== current(place)).map(isFound);
    return found.length ? found.slice(0, 1) : width + height === 2 * side ? all.filter(within).map(erasing) : [];
  };
}

let drag = null;

/* The position of the pointer in the units of the picture. */
function pointed({ clientX, clientY }) {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(board.getScreenCTM().inverse());
  return [x, y];
}

function follow(event, isOver = false) {
  if (!drag || drag.isOver || !event.isPrimary) return;
  event.stopPropagation();
  const own = drag;
  const [from, to] = [own.at, pointed(event)];
  /* Interpolates between the positions of a fast pointer. */
  const parts = Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / 6) || 1;
  let moves = [];
  for (let part = 1; part <= parts; part += 1) moves = own.moves(from.map((start, axis) => start + ((to[axis] - start) * part) / parts), isOver && part === parts);
  Object.assign(own, { at: to, isOver });
  const names = moves.map(({ move }) => move);
  if (String(names) === String(own.names)) return;
  /* From now on the gesture is not a click. */
  Object.assign(own, { names, isDrag: true });
  board.setPointerCapture(event.pointerId);
  queue(() => {
    own.before = own.before || game.moves;
    game.moves = [...own.before, ...names];
    game.undone = [];
    return look();
  });
}

board.addEventListener("pointerdown", (event) => {
  const moves = event.isPrimary && event.button === 0 ? dragging(pointed(event)) : null;
  drag = moves && { moves, at: pointed(event), names: [], isDrag: false, isOver: false };
});
board.addEventListener("pointermove", (event) => follow(event));
board.addEventListener("pointerup", (event) => follow(event, true));
board.addEventListener("pointercancel", () => {
  drag = null;
  mark([]);
});
board.addEventListener("click", (event) => { if (drag?.isDrag) event.stopPropagation(); }, { capture: true });
