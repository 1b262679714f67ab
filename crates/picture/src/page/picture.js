"use strict";
/* A picture in a readable size, with scrolling, zoom, and steps that can be played. */

const element = (id) => document.getElementById(id);

/* `least` and `most`: the smallest readable and the largest useful scale, in screen pixels per unit of the picture. `height`: the available height.
   `onStep`: called at each step. */
function stage({ least, most, height, onStep }) {
  const [view, svg, marks] = [element("view"), element("picture"), element("marks")];
  let [shown, movers, scale, isChosen, step, playing] = [null, [], 1, false, 0, null];

  function whole() {
    const [, , wide, high] = shown.view;
    return Math.min(view.clientWidth / wide, height() / high, most);
  }

  /* Fits the picture into the available space, until the user zooms. */
  const fit = () => { if (shown && !isChosen) resize(Math.max(whole(), least)); };

  function zoom(wanted) {
    isChosen = true;
    resize(wanted);
  }

  function resize(wanted) {
    const [, , wide, high] = shown.view;
    const before = scale;
    scale = Math.max(Math.min(wanted, 4), Math.min(whole(), 0.2));
    const [width, height] = [wide * scale, high * scale].map(String);
    if (svg.getAttribute("width") === width && svg.getAttribute("height") === height) return;
    const [x, y] = [view.scrollLeft + view.clientWidth / 2, view.scrollTop + view.clientHeight / 2];
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    view.scrollTo((x * scale) / before - view.clientWidth / 2, (y * scale) / before - view.clientHeight / 2);
  }

  function draw(picture) {
    shown = picture;
    svg.setAttribute("viewBox", shown.view.join(" "));
    svg.setAttribute("aria-label", shown.title);
    /* Sizes are read before the marks change: reading them later would lay out the page once more. */
    if (isChosen) resize(scale);
    else fit();
    /* Each mover contains the number of static marks below it. */
    let below = 0;
    const layers = shown.movers.map(([mark, , , , above]) => {
      const layer = `${shown.ground.slice(below, above).join("")}<g class="mark mover">${mark}</g>`;
      below = above;
      return layer;
    });
    marks.innerHTML = layers.join("") + shown.ground.slice(below).join("");
    movers = [...marks.querySelectorAll(".mover")];
    element("step").max = last();
    element("player").hidden = last() === 0;
  }

  const last = () => Math.max(shown.captions.length, 1) - 1;

  /* Scrolls to a point. */
  function follow([x, y], jumps) {
    const [left, top] = shown.view;
    const behavior = jumps ? "instant" : "smooth";
    view.scrollTo({ left: (x - left) * scale - view.clientWidth / 2, top: (y - top) * scale - view.clientHeight / 2, behavior });
  }

  const translate = ([x, y]) => `translate(${x}px, ${y}px)`;

  /* Animates a mover along the path of a step, or back. */
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

  function show(wanted, jumps) {
    if (!shown) return;
    const before = step;
    step = Math.max(0, Math.min(wanted, last()));
    const moves = !jumps && Math.abs(step - before) === 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    svg.classList.toggle("is-jumping", Boolean(jumps));
    let looked = null;
    movers.forEach((mover, index) => {
      const [, places, ways, there] = shown.movers[index];
      mover.style.visibility = there.length && !there[step] ? "hidden" : "";
      const at = (step) => places[Math.min(step, places.length - 1)];
      mover.style.transform = translate(at(step));
      if (ways.length && moves) ride(mover, ways[Math.min(before, step)], step < before);
      if (ways.length || String(at(step)) !== String(at(before))) looked = at(step);
    });
    if (looked) follow(looked, jumps);
    element("step").value = step;
    element("caption").textContent = shown.captions[step] || shown.title;
    onStep(step);
  }

  function play(on) {
    clearInterval(playing);
    playing = null;
    element("play").textContent = on ? "❚❚" : "▶";
    if (!on || !shown) return;
    if (step >= last()) show(0, true);
    playing = setInterval(() => {
      if (step >= last()) play(false);
      else show(step + 1);
    }, 500);
  }

  const go = (step) => { play(false); show(step); };

  const actions = {
    first: () => go(0),
    back: () => go(step - 1),
    play: () => play(!playing),
    on: () => go(step + 1),
    last: () => go(Infinity),
    smaller: () => zoom(scale / 1.4),
    /* The first step makes the smallest letters readable: at a scale of 0.9 they have nine pixels. */
    larger: () => zoom(Math.max(scale * 1.4, Math.min(0.9, scale * 4))),
    whole: () => zoom(whole()),
  };
  for (const id in actions) element(id).onclick = actions[id];
  element("step").oninput = (event) => go(Number(event.target.value));

  /* Dragging with a mouse scrolls the picture; touch scrolls natively. */
  view.onpointermove = (event) => {
    if (event.pointerType === "mouse" && event.buttons === 1) view.scrollBy(-event.movementX, -event.movementY);
  };

  /* Returns true if the picture handled the key. */
  function key(event) {
    const names = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play", "+": "larger", "-": "smaller", 0: "whole" };
    const name = names[event.key];
    if (!name || !shown || (event.key === " " && event.target.matches("button, summary"))) return false;
    event.preventDefault();
    actions[name]();
    return true;
  }

  return { draw, show, play, key, step: () => step, fit };
}
