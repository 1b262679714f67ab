/* Text editors. The visible text is painted below a text area that shows only its caret, so that the browser provides editing, undo and
   screen reading. Colours and underlines are highlights of ranges, which need no elements. */

const paints = [
  ["comment", /%\*[^]*?(?:\*%|$)|%.*/],
  ["string", /"(?:\\.|[^"\\\n])*"?/],
  ["word", /#[a-z_]+|\bnot\b|:-|:~/],
  ["number", /\b\d+\b/],
  ["variable", /\b_*[A-Z]\w*/],
];
const token = new RegExp(paints.map(([, pattern]) => `(${pattern.source})`).join("|"), "g");
const kinds = [...paints.map(([kind]) => kind), "cause", "info", "warning", "error"];
const highlights = {};
if (window.Highlight) for (const kind of kinds) CSS.highlights.set(kind, (highlights[kind] = new Highlight()));

/* Replaces only the changed part, so that the browser does not lay out the rest again. */
function replace(node, text) {
  const { data } = node;
  let [from, behind] = [0, 0];
  const least = Math.min(data.length, text.length);
  while (from < least && data[from] === text[from]) from += 1;
  while (behind < least - from && data[data.length - 1 - behind] === text[text.length - 1 - behind]) behind += 1;
  node.replaceData(from, data.length - from - behind, text.slice(from, text.length - behind));
}

class EditorTab {
  constructor({ name, text, saves = false, isShipped = false }, changed) {
    Object.assign(this, { name, saves, isShipped, saved: text, marks: [], starts: [0] });
    /* Text areas support a single kind of line end. */
    this.end = text.includes("\r\n") ? "\r\n" : "\n";
    this.numbers = make("pre", { class: "numbers", "aria-hidden": "true" }, "");
    this.painted = make("pre", { class: "painted", "aria-hidden": "true" }, "");
    this.area = make("textarea", {
      "aria-label": isShipped ? `${name}, read-only` : name,
      "aria-describedby": "messages",
      spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
      ...(isShipped && { readonly: "" }),
    });
    this.root = make("div", { class: "sheet", role: "tabpanel", "aria-label": name }, this.numbers, this.painted, this.area);
    this.area.oninput = () => { this.lay(); changed(this); };
    this.area.onpointermove = (event) => this.area.title = this.words(this.line(event.clientY));
    this.root.onscroll = () => requestAnimationFrame(() => this.paint());
    this.text = text;
  }

  get text() { return this.end === "\n" ? this.area.value : this.area.value.replaceAll("\n", this.end); }
  set text(text) {
    this.area.value = text;
    this.lay();
  }

  get isDirty() { return this.text !== this.saved; }

  lay() {
    const text = this.area.value;
    this.starts = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.starts.push(at + 1);
    /* Adds a last line, even if it is empty. */
    replace(this.painted.firstChild, `${text}\n`);
    replace(this.numbers.firstChild, this.starts.map((_, line) => line + 1).join("\n"));
    this.paint();
  }

  get height() { return parseFloat(getComputedStyle(this.painted).lineHeight); }

  /* The line at a height on the screen, from 1. */
  line(y) { return Math.ceil((y - this.painted.getBoundingClientRect().top) / this.height); }

  offset([line, column]) {
    const at = Math.min(line, this.starts.length) - 1;
    return Math.min(this.starts[at] + column - 1, (this.starts[at + 1] ?? this.area.value.length + 1) - 1);
  }

  /* Highlights the visible lines; a comment may begin above them. */
  paint() {
    if (this.root.hidden || !window.Highlight || !this.root.isConnected) return;
    for (const kind of kinds) highlights[kind].clear();
    const node = this.painted.firstChild;
    const paint = (kind, from, to) => highlights[kind].add(new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to }));
    const top = Math.floor(this.root.scrollTop / this.height);
    const seen = (line) => this.starts[Math.min(line, this.starts.length - 1)];
    const [first, last] = [seen(top - 1 < 0 ? 0 : top - 1), seen(top + Math.ceil(this.root.clientHeight / this.height) + 1)];
    for (const match of this.area.value.matchAll(token)) {
      if (match.index > last) break;
      if (match.index + match[0].length < first) continue;
      paint(paints[match.findIndex((group, index) => index > 0 && group !== undefined) - 1][0], match.index, match.index + match[0].length);
    }
    for (const { kind, start, end } of this.marks) {
      const from = this.offset(start);
      paint(kind, Math.min(from, node.length - 1), Math.max(this.offset(end), from + 1));
    }
  }

  /* Underlines ranges: `{kind, start, end, words}`. */
  mark(kinds, marks) {
    this.marks = this.marks.filter(({ kind }) => !kinds.includes(kind)).concat(marks);
    this.area.setAttribute("aria-invalid", this.marks.some(({ kind }) => kind === "error"));
    this.paint();
  }

  words(line) {
    return this.marks.filter(({ start, end, words }) => words && start[0] <= line && line <= end[0]).map(({ words }) => words).join("\n");
  }

  reveal(start, end = start) {
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(this.offset(start), this.offset(end));
    this.root.scrollTo({ top: (start[0] - 1) * this.height - this.root.clientHeight / 3, left: 0 });
    this.paint();
  }
}

/* Makes a list of tabs, with arrow keys; calls `choose` with the selected tab. */
function tabs(list, choose) {
  const pick = (tab) => {
    for (const other of list.querySelectorAll("[role=tab]")) {
      other.setAttribute("aria-selected", other === tab);
      other.tabIndex = other === tab ? 0 : -1;
    }
    tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    choose(tab);
  };
  list.onclick = (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) pick(tab);
  };
  list.onkeydown = (event) => {
    const all = [...list.querySelectorAll("[role=tab]:not([hidden])")];
    const at = all.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const tab = all.at(to % all.length);
    tab.focus();
    pick(tab);
  };
  return pick;
}
