/* Creates an element with attributes and children. */
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made[key] = value;
    else if (value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/* The places of the picture are buttons above it: Tab moves the focus to one of them, and arrow keys move it to the others. */

let spots = [];
const drawn = (name, attributes) => set(document.createElementNS("http://www.w3.org/2000/svg", name), attributes);

function set(shape, attributes) {
  for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
  return shape;
}

function places(wanted, describe) {
  const layer = element("places");
  const focused = at();
  const kept = spots.length === wanted.length && spots.every(({ place }, index) => String(place.at) === String(wanted[index].at));
  if (!kept) {
    layer.replaceChildren();
    spots = wanted.map(() => ({ spot: layer.appendChild(drawn("rect", { role: "button" })) }));
  }
  element("picture").setAttribute("role", wanted.length ? "group" : "img");
  spots.forEach((entry, index) => {
    const { spot } = entry;
    entry.place = wanted[index];
    const { words, kinds, click, other } = describe(entry.place, index);
    const [x, y, width, height] = entry.place.at;
    if (!kept) set(spot, { x, y, width, height, tabindex: index === 0 ? 0 : -1 });
    set(spot, { "aria-label": words, class: ["place", ...kinds].join(" ") });
    spot.onclick = () => {
      spot.focus({ preventScroll: true });
      click();
    };
    spot.oncontextmenu = (event) => {
      if (!other) return;
      event.preventDefault();
      other();
    };
    spot.onfocus = () => settle(index);
  });
  /* Keys typed for the board must not reach a text field. */
  if (!kept && focused >= 0 && spots.length) spots[Math.min(focused, spots.length - 1)].spot.focus({ preventScroll: true });
}

function settle(index) {
  spots.forEach(({ spot }, at) => spot.tabIndex = at === index ? 0 : -1);
  if (state.plays) visit(index);
}

/* Highlights rectangles of the picture, and below them the cells of the reasons. */
function mark(rectangles, kind, reasons = []) {
  const shape = (kind) => ([x, y, width, height]) => drawn("rect", { x, y, width, height, class: kind });
  element("marked").replaceChildren(...reasons.map(shape("reason")), ...rectangles.map(shape(kind)));
}

const at = () => spots.findIndex(({ spot }) => spot === document.activeElement);

/* Returns the nearest place in a direction, and prefers places straight ahead. */
function neighbour(index, [right, down]) {
  const middle = ({ place: { at: [x, y, width, height] } }) => [x + width / 2, y + height / 2];
  const [x, y] = middle(spots[index]);
  let [best, least] = [index, Infinity];
  spots.forEach((spot, other) => {
    const [dx, dy] = [middle(spot)[0] - x, middle(spot)[1] - y];
    const [ahead, aside] = [dx * right + dy * down, Math.abs(dx * down) + Math.abs(dy * right)];
    if (ahead > 1 && ahead + 3 * aside < least) [best, least] = [other, ahead + 3 * aside];
  });
  return best;
}

const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/* Handles keys on places; returns true if the key was used. */
function placeKey(event) {
  const index = at();
  if (index < 0) return false;
  if (directions[event.key]) spots[neighbour(index, directions[event.key])].spot.focus();
  else if ((event.key === "Enter" || event.key === " ") && !state.plays) spots[index].spot.onclick();
  else return false;
  event.preventDefault();
  return true;
}

