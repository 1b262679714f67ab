/* A playable board in a self-contained page, without a server: each value adds its marks, and solutions are recognised by their hashes. */

const sheet = JSON.parse(element("data").textContent);
const state = { plays: true };
const clock = { seconds: 0, runs: false };

const picture = stage({ least: 0, most: 2.2, height: () => (innerWidth > 700 ? 0.72 : 0.66) * innerHeight, onStep: () => {} });

async function ask(_, { play: { moves, asks } }) {
  const answer = judge(moves);
  clock.runs = moves.length > 0 && answer.state === "open";
  if (answer.state === "won") {
    answer.words = `Solved in ${time()}.`;
  } else if (asks === "hint" && hints) {
    Object.assign(answer, nextStep(answer, moves));
  } else if (asks === "mistake") {
    Object.assign(answer, verdict(answer));
  }
  keep(moves);
  return answer;
}

/* Returns the board after some moves. */
function judge(moves) {
  const written = sheet.places.map(() => ({ option: null, pencilled: new Set() }));
  for (const name of moves) {
    const [option, place, pencil] = name.split(" ").reverse();
    const [there, number] = [written[place], Number(option)];
    if (pencil && !there.pencilled.delete(number)) there.pencilled.add(number);
    if (pencil) continue;
    const isUnset = sheet.places[place].options[number].key === "Backspace";
    if (isUnset && there.option === null) there.pencilled.clear();
    there.option = isUnset ? null : number;
  }
  const chosen = written.flatMap(({ option }, place) => option === null ? [] : [sheet.places[place].options[option]]);
  const shown = new Set(sheet.first);
  for (const { goes } of chosen) goes.forEach((mark) => shown.delete(mark));
  for (const { comes } of chosen) comes.forEach((mark) => shown.add(mark));
  const atoms = [...new Set(chosen.map(({ atom }) => atom).filter((atom) => atom !== null))].sort((one, other) => one - other);
  const isWon = sheet.hashes.includes(hash(`${sheet.salt}:${atoms.join(",")}`));
  return {
    picture: { view: sheet.view, title: sheet.title, ground: [...shown].sort((one, other) => one - other).map((mark) => sheet.marks[mark]), movers: [], captions: [] },
    places: sheet.places.map((place, index) => standing(place, written[index])),
    written, moves: [], marked: [], diagnostics: [], words: "", state: isWon ? "won" : "open",
  };
}

/* A place in its current state. Values hide pencil marks. */
function standing(place, { option, pencilled }) {
  const notes = option === null ? [...pencilled].sort((one, other) => one - other) : [];
  const isEmpty = option === null && notes.length === 0;
  const options = isEmpty ? place.options.slice(0, -1) : place.options;
  const words = option !== null ? `: ${options[option].words}` : notes.length ? `, pencilled in: ${notes.map((note) => options[note].sign).join(", ")}` : "";
  return { ...place, options, words: place.words + words, pencilled: notes, next: option === null ? 0 : (option + 1) % options.length };
}

/* Hints: the atoms that each step adds, with the frame of the step, and the steps in words. Frame 0 has the atoms that are known at once. */

const hints = sheet.hints ? JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(sheet.hints), (sign) => sign.charCodeAt(0)))) : null;
element("hint").hidden = !hints;

/* The places and options of each atom. */
const spotsOf = new Map();
sheet.places.forEach(({ options }, place) => options.forEach(({ atom }, option) => {
  if (atom !== null) spotsOf.set(atom, [...(spotsOf.get(atom) || []), { place, option }]);
}));

/* The last step that was shown. */
const hinted = { frame: 0, moves: 0 };

const isSet = (written, atom) => spotsOf.get(atom).some(({ place, option }) => written[place].option === option);
const isDenied = (written, atom) => spotsOf.get(atom).some(({ place }) => written[place].option !== null && sheet.places[place].options[written[place].option].key === "x");

/* The player's values that contradict a step, as parts of an answer, or null. */
function mistakes({ written }) {
  const wrong = hints.learned.filter(([atom, , holds]) => holds ? isDenied(written, atom) : isSet(written, atom));
  const at = [...new Set(wrong.flatMap(([atom]) => spotsOf.get(atom).filter(({ place }) => written[place].option !== null).map(({ place }) => place)))];
  const [subject, object] = at.length === 1 ? ["The marked value is", "it"] : ["The marked values are", "them"];
  return at.length ? { because: `${subject} wrong: a step of the solution excludes ${object}.`, marked: at.map((place) => sheet.places[place].at) } : null;
}

/* The answer to the question whether the board has a mistake. */
function verdict(answer) {
  const wrong = hints && mistakes(answer);
  if (wrong) return wrong;
  if (hints) return { because: hints.decides ? "No mistake so far. The board is not complete." : "No mistake found so far. The hints of this page do not determine every value." };
  return { because: sheet.areAll ? "This is not the solution: something is missing or wrong." : "This is none of the solutions stored in this page; others exist." };
}

/* The first step that is not on the board, as parts of an answer. Steps that only exclude values are shown once, unless the board shows them. */
function nextStep(answer, moves) {
  const { written, places } = answer;
  const wrong = mistakes(answer);
  if (wrong) return wrong;
  const missing = hints.learned.filter(([atom, , holds]) => holds && !isSet(written, atom));
  const next = Math.min(hints.steps.length + 1, ...missing.map(([, frame]) => frame));
  const made = Math.max(0, ...hints.learned.filter(([, frame, holds]) => holds && frame < next).map(([, frame]) => frame));
  if (moves.length < hinted.moves) hinted.frame = 0;
  const isShown = (frame) => hints.learned.every(([atom, since]) => since !== frame || isDenied(written, atom));
  let frame = Math.min(next, Math.max(made, hinted.frame) + 1);
  while (frame < next && isShown(frame)) frame += 1;
  if (frame > hints.steps.length) return { because: hints.ending };
  Object.assign(hinted, { frame, moves: moves.length });
  return shownStep(next === 0 ? 0 : frame, written, places);
}

function shownStep(frame, written, places) {
  const added = hints.learned.filter(([, since, holds]) => since === frame && (frame > 0 || holds));
  const { words, why, because } = frame > 0 ? hints.steps[frame - 1] : { words: "This follows directly from the givens.", why: "", because: [] };
  const at = (all) => [...new Set(all.flatMap(([atom]) => spotsOf.get(atom).map(({ place }) => place)))].map((place) => sheet.places[place].at);
  const values = added.filter(([, , holds]) => holds);
  const marked = at(values.length ? values : added);
  return { because: `${words} ${why}`, isHint: true, marked, reasons: because, places: withCandidates(frame, written, places, [...at(added), ...because]) };
}

/* The places of a step and of its reason show the values that are possible before it, and which of them it excludes. Other places keep their notes. */
function withCandidates(frame, written, places, rectangles) {
  const learned = new Map(hints.learned.map(([atom, since, holds]) => [atom, { since, holds }]));
  const isInside = ({ at: [x, y, width, height] }) => rectangles.some((one) => holds(one, [x + width / 2, y + height / 2]));
  return places.map((place, index) => {
    const signs = sheet.places[index].options.filter(({ sign }) => sign);
    if (signs.length < 3 || signs.length > 25 || written[index].option !== null || !takesNotes(place) || !isInside(place)) return place;
    const isKnown = ({ atom }, truth, test) => learned.has(atom) && Boolean(learned.get(atom).holds) === truth && test(learned.get(atom).since);
    const chosen = (test) => place.options.flatMap((option, number) => option.sign && test(option) ? [number] : []);
    return {
      ...place,
      pencilled: chosen((option) => !isKnown(option, false, (since) => since < frame)),
      struck: chosen((option) => isKnown(option, false, (since) => since === frame)),
      found: chosen((option) => isKnown(option, true, (since) => since === frame)),
    };
  });
}

/* SHA-1 in hexadecimal digits. The implementation of browsers is not available to every page opened from a file. */
function hash(text) {
  const turned = (word, by) => (word << by) | (word >>> (32 - by));
  const bytes = [...new TextEncoder().encode(text), 0x80];
  const bits = 8 * (bytes.length - 1);
  while (bytes.length % 64 !== 56) bytes.push(0);
  bytes.push(0, 0, 0, 0, bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255);
  const sum = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let start = 0; start < bytes.length; start += 64) {
    const words = Array.from({ length: 16 }, (_, word) => bytes.slice(start + 4 * word, start + 4 * word + 4).reduce((all, byte) => (all << 8) | byte, 0));
    let [a, b, c, d, e] = sum;
    for (let round = 0; round < 80; round += 1) {
      if (round > 15) words[round] = turned(words[round - 3] ^ words[round - 8] ^ words[round - 14] ^ words[round - 16], 1);
      const [mixed, constant] = [[(b & c) | (~b & d), 0x5a827999], [b ^ c ^ d, 0x6ed9eba1], [(b & c) | (b & d) | (c & d), 0x8f1bbcdc], [b ^ c ^ d, 0xca62c1d6]][Math.floor(round / 20)];
      [a, b, c, d, e] = [(turned(a, 5) + mixed + e + constant + words[round]) | 0, a, turned(b, 30), c, d];
    }
    [a, b, c, d, e].forEach((word, index) => sum[index] = (sum[index] + word) | 0);
  }
  return sum.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function draw(shown) {
  picture.draw(shown);
  picture.show(0, true);
}

const has = (what) => sheet.places.some(what);
/* A place between two points gets a line, or the note that it has none. */
const isCrossed = ({ options, ends }) => ends && values({ options }).length === 2 && values({ options })[1].key === "x";
element("how").textContent = [
  has(({ ends }) => ends) && "Drag from point to point to draw a line, and back to remove it.",
  has(({ options }) => options.some(({ covers }) => covers)) && "Drag from one corner of a rectangle to the opposite one; tap inside it to remove it.",
  has(isChosen) && !has(({ options }) => options.some(({ covers }) => covers)) && "Tap a cell, then a number.",
  has((place) => !place.ends && !isChosen(place)) && "Tap a cell for its next value, or drag over several.",
  has(isCrossed) && "Tap once for a line, a second time to note that none is there, and a third time to clear it.",
].filter(Boolean).join(" ");

/* All messages are below the board. */
const [messages, say] = [() => {}, () => {}];

/* The playing time and the moves survive a reload. */

const time = () => `${Math.floor(clock.seconds / 60)}:${String(clock.seconds % 60).padStart(2, "0")}`;
const kept = `asp-solve ${sheet.salt}`;

function keep(moves) {
  try {
    localStorage.setItem(kept, JSON.stringify({ moves, seconds: clock.seconds }));
  } catch { /* Browsers may not store data for files. */ }
}

function tick() {
  if (clock.runs && !document.hidden) clock.seconds += 1;
  element("clock").textContent = time();
}

try {
  const { moves = [], seconds = 0 } = JSON.parse(localStorage.getItem(kept)) || {};
  judge(moves);
  [game.moves, clock.seconds] = [moves, seconds];
} catch { /* No data, or invalid moves. */ }

document.addEventListener("keydown", (event) => {
  const name = `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.key}`;
  if (!event.altKey && !playKey(event, name) && !event.ctrlKey && !event.metaKey) placeKey(event);
});
new ResizeObserver(() => picture.fit()).observe(element("view"));
onpagehide = () => keep(game.moves);
setInterval(tick, 1000);
tick();
queue(() => look());
