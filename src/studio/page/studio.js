"use strict";
const start = JSON.parse(document.getElementById("data").textContent);
const files = document.getElementById("files");
let last = 0;
for (const file of start.files) {
  const area = document.createElement("textarea");
  area.setAttribute("aria-label", file.name);
  area.value = file.text;
  area.oninput = solve;
  file.area = area;
  files.append(area);
}
async function solve() {
  const id = ++last;
  const body = JSON.stringify({ id, files: start.files.map((file) => ({ name: file.name, text: file.area.value })), ask: { solve: { models: 20 } } });
  const response = await fetch("ask", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const answer = await response.json();
  if (answer.id !== last || answer.cancelled) return;
  document.getElementById("words").textContent = answer.words;
  document.getElementById("diagnostics").textContent = answer.diagnostics.map((one) => one.text).join("\n");
  const picture = answer.answers.length ? answer.answers[0].picture : answer.board;
  const svg = document.getElementById("picture");
  svg.innerHTML = picture ? picture.ground.join("") : "";
  if (picture) svg.setAttribute("viewBox", picture.view.join(" "));
}
solve();
