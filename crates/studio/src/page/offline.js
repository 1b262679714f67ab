/* Keeps the files of the page, so that it works without a connection. A new version replaces all of them. */

/* Copies of the page in other folders have caches of their own. */
const folder = `asp-solve ${registration.scope} `;
const cacheName = `${folder}<!--version-->`;
const files = ["./", "index.html", "studio.css", "studio.js", "worker.js", "embed.js", "asp-solve.wasm"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(files.map((file) => new Request(file, { cache: "no-cache" })))).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const outdated = (name) => name.startsWith(folder) && name !== cacheName;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(outdated).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin) return;
  event.respondWith(caches.match(event.request, { ignoreSearch: true }).then((kept) => kept || fetch(event.request)));
});
