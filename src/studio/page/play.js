/* The board in play: its places and moves are what the server says; what was done is a list of moves, and undoing is one less. */

const game = { moves: [], undone: [], look: null, at: -1, queue: Promise.resolve() };

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
  mark(answer.marked, asks === "hint" && answer.moves.length ? "hinted" : "marked");
  element("board").dataset.state = answer.state;
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

function move(wanted) {
  if (!wanted) return undefined;
  game.moves.push(wanted.move);
  game.undone = [];
  return look();
}

/* Sets a place to the value that comes next, or to the one that `which` says. */
function act(index, which = ({ next }) => next) {
  game.at = index;
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

/* The values of a place as buttons, and the moves that have no place. */
function options() {
  if (!game.look) return;
  const place = game.look.places[game.at];
  const button = (wanted) => make("button", { title: wanted.words, "aria-label": wanted.words, onclick: () => queue(() => move(wanted)) }, ...face(wanted));
  element("options").setAttribute("aria-label", place ? place.words : "Moves");
  /* Each once, as that of the place. */
  const all = new Map([...game.look.moves, ...(place ? place.options : [])].map((wanted) => [wanted.move, wanted]));
  element("options").replaceChildren(...[...all.values()].map(button));
  element("options").hidden = element("options").childElementCount === 0;
}

const signs = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Backspace: "⌫", " ": "␣" };

/* What is on the button of a move: a number says it all, other keys stand beside the words. */
const face = ({ words, key }) => !key ? [words] : signs[key] ? [signs[key]] : /^\d$/.test(key) ? [key] : [words, make("kbd", {}, key)];

/* A place that one has come to. */
function visit(index) {
  if (game.at !== index) chosen = -1;
  game.at = index;
  options();
}

const tools = { "Ctrl+z": undo, "Ctrl+y": redo, "Ctrl+Z": redo, c: asking("mistake"), h: asking("hint"), m: asking("distance") };

/* Keys in a game: whether one was for it. */
function playKey(event, name) {
  if (!game.look) return false;
  const index = at();
  const place = game.look.places[index];
  const isSpent = event.target.matches("button, input") && (name === " " || name === "Enter");
  const wanted = isSpent ? null : [...(place ? place.options : []), ...game.look.moves].find(({ key }) => key === name);
  if (wanted) queue(() => move(wanted));
  else if (tools[name]) tools[name]();
  else if (place && (name === "Enter" || name === " ")) act(index, event.shiftKey ? before : undefined);
  else return false;
  event.preventDefault();
  return true;
}

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
  /* What could be clicked was of the other board. */
  if (plays) places([]);
  turn("board");
  return plays ? look().then(() => spots[0] && spots[0].spot.focus({ preventScroll: true })) : solve();
}

element("solve").onclick = () => turnTo(false);
element("game").onclick = () => turnTo(true);
