/* The board in play: its places and moves are what the server says; what was done is a list of moves, and undoing is one less. */

const game = { moves: [], undone: [], look: null, at: -1, pencils: false, queue: Promise.resolve() };

async function look(asks = element("at-once").checked ? "mistake" : "nothing") {
  let answer = await ask("solve", { play: { moves: game.moves, asks } });
  /* Moves of another board are none of this one; a text with an error keeps them. */
  if (answer && !answer.places && game.moves.length) {
    const anew = await ask("solve", { play: { moves: [], asks } });
    if (!anew) return;
    if (anew.places) [answer, game.moves, game.undone] = [anew, [], []];
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
  places(answer.places, ({ words, options }, index) => ({
    words,
    kinds: options.length ? [] : ["is-fixed"],
    click: () => {
      if (chosen === index || options.filter(({ key }) => key !== "Backspace").length <= many) act(index);
      chosen = index;
    },
    other: () => act(index, before),
  }));
  notes(answer.places);
  mark(answer.marked, asks === "hint" && answer.moves.length ? "hinted" : "marked");
  element("board").dataset.state = answer.state;
  element("pencil").hidden = !answer.places.some(takesNotes);
  element("undo").disabled = element("again").disabled = game.moves.length === 0;
  element("redo").disabled = game.undone.length === 0;
  element("told").textContent = [answer.because, answer.distance, answer.state !== "open" && answer.words].filter(Boolean).join("\n");
  say({ open: "open", won: "solved", lost: "error", stuck: "error" }[answer.state], answer.words.split("\n")[0]);
  /* What has become of the place, for who does not see it. */
  const now = answer.places[game.at];
  if (now && then && now.words !== then.words) element("said").textContent = now.words;
  options();
  /* A trip is seen from its beginning to its end. */
  if (answer.picture && answer.picture.captions.length > 1 && game.moves.length) picture.play(true);
}

/* One after the other: what the next value is depends on what there is. */
const queue = (deed) => game.queue = game.queue.then(deed);

/* A number of two digits takes the place of its first. */
function move(wanted, corrects = false) {
  if (!wanted) return undefined;
  if (corrects) game.moves.pop();
  game.moves.push(game.pencils && wanted.sign ? `pencil ${wanted.move}` : wanted.move);
  game.undone = [];
  return look();
}

element("marked").before(drawn("g", { id: "notes" }));

const takesNotes = ({ options }) => options.some(({ sign }) => sign);

/* What is pencilled in, small: up to nine signs each in a place of its own, of more of them those that are there. */
function notes(all) {
  element("notes").replaceChildren(...all.filter(({ pencilled }) => pencilled.length).flatMap(({ at: [x, y, width, height], options, pencilled }) => {
    const signs = options.filter(({ sign }) => sign);
    const slots = signs.length > 9 ? pencilled.map((option) => options[option]) : signs;
    const side = Math.max(2, Math.ceil(Math.sqrt(slots.length)));
    const longest = Math.max(...slots.map(({ sign }) => sign.length));
    const size = Math.min(0.3 * height, (0.8 * height) / side, (1.3 * width) / side / longest);
    return pencilled.map((option) => {
      const slot = slots.indexOf(options[option]);
      const [column, row] = [slot % side, Math.floor(slot / side)];
      const inside = (number) => 0.1 + (0.8 * (number + 0.5)) / side;
      const note = drawn("text", { x: x + width * inside(column), y: y + height * inside(row), "font-size": size });
      note.textContent = options[option].sign;
      return note;
    });
  }));
}

function pencil(on = !game.pencils) {
  game.pencils = on;
  element("pencil").setAttribute("aria-pressed", on);
}

/* Sets a place to the value that comes next, or to the one that `which` says. */
function act(index, which = ({ next }) => next) {
  game.at = index;
  if (game.pencils && takesNotes(game.look.places[index])) return options();
  return queue(() => {
    const place = game.look.places[index];
    return place.next === null ? undefined : move(place.options.at(which(place) % place.options.length));
  });
}

/* The value before: nothing, if there is a value to take away, lies between the last one and the first. */
const before = ({ options, next }) => next - (options.some(({ key }) => key === "Backspace") ? 2 : 1);

/* A place with more values than these is chosen by the first click, and set by keys, buttons, or further clicks. */
const many = 4;
let chosen = -1;

/* From one list of moves to the other, and what the board is then. */
const back = (from, to, number = 1) => queue(() => {
  for (; number > 0 && from().length; number -= 1) to().push(from().pop());
  return look();
});
const [moves, undone] = [() => game.moves, () => game.undone];
const undo = () => back(moves, undone);
const redo = () => back(undone, moves);
const restart = () => back(moves, undone, Infinity);
const asking = (asks) => () => queue(() => look(asks));

/* From a button to the place that it was for, so that keys are for that again. */
const goBack = () => { if (spots[game.at]) spots[game.at].spot.focus({ preventScroll: true }); };

/* The values of a place as buttons, and the moves that have no place. */
function options() {
  if (!game.look) return;
  const place = game.look.places[game.at];
  const button = (wanted) => make("button", { title: wanted.words, "aria-label": wanted.words, onclick: () => queue(() => move(wanted)) }, ...face(wanted));
  element("options").setAttribute("aria-label", place ? place.words : "Moves");
  /* Each once, as that of the place. */
  const all = new Map([...game.look.moves, ...(place ? place.options : [])].map((wanted) => [wanted.move, wanted]));
  const hadFocus = element("options").contains(document.activeElement);
  element("options").replaceChildren(...[...all.values()].map(button));
  element("options").hidden = element("options").childElementCount === 0;
  if (hadFocus) goBack();
}

const signs = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Backspace: "⌫", " ": "␣" };

/* What is on the button of a move: its sign says it all, other keys stand beside the words. */
const face = ({ words, sign, key }) => signs[key] ? [signs[key]] : [sign || words, ...(key && key !== sign ? [make("kbd", {}, key)] : [])];

/* A place that one has come to. */
function visit(index) {
  if (game.at !== index) chosen = -1;
  game.at = index;
  options();
}

/* Digits that were typed one soon after the other, for the same place. */
const typed = { at: -1, digits: "", until: 0, moved: false };

/* The move of a key: of the number that it ends, else its own. */
function keyed(moves, name, { timeStamp }) {
  const digits = typed.at === game.at && timeStamp < typed.until ? typed.digits + name : name;
  const corrects = digits !== name && typed.moved;
  const long = digits !== name && moves.find(({ key }) => key === digits);
  const wanted = long || moves.find(({ key }) => key === name);
  if (/^\d$/.test(name)) Object.assign(typed, { at: game.at, digits: long ? digits : name, until: timeStamp + 800, moved: Boolean(wanted) });
  return [wanted, Boolean(long) && corrects];
}

const tools = { "Ctrl+z": undo, "Ctrl+y": redo, "Ctrl+Z": redo, n: () => press("pencil"), c: asking("mistake"), h: asking("hint"), m: asking("distance") };

/* Keys in a game: whether one was for it. */
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
for (const asks of ["mistake", "hint", "distance"]) element(asks).onclick = asking(asks);
element("at-once").onchange = asking();

/* Back from what cannot be played, with the reason. */
async function leave(reason) {
  await turnTo(false);
  refuse(reason);
  element("told").textContent = reason;
  element("told").hidden = false;
}

function turnTo(plays) {
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
  /* What was seen, and could be clicked, was of the other board: its solution, perhaps. */
  if (plays) {
    places([]);
    draw(null, " ");
  }
  turn("board");
  return plays ? look().then(() => spots[0] && spots[0].spot.focus({ preventScroll: true })) : solve();
}

element("solve").onclick = () => turnTo(false);
element("game").onclick = () => turnTo(true);
