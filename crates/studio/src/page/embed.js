/* A board in another page:

     <script src="https://…/embed.js"></script>
     <asp-solve-board name="tents.txt" mode="play">tents
     …
     </asp-solve-board>

   The text of the element is the board or the program; a `<` in it is written `&lt;`, or the text is in a
   `<script type="text/plain">` inside the element. `mode` is `solve` (the default) or `play`; `name` is the name of the
   file. The page with the program comes from the folder of this script. */

{
  const page = new URL("index.html", document.currentScript.src);

  /*<!--links-->*/

  if (!customElements.get("asp-solve-board")) customElements.define("asp-solve-board", class extends HTMLElement {
    async connectedCallback() {
      /* The text may not be there yet while the page is read. */
      if (document.readyState === "loading") await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve, { once: true }));
      if (this.querySelector("iframe")) return;
      const name = this.getAttribute("name") || "program.lp";
      const files = await pack(JSON.stringify([[name, this.textContent.replace(/^\s*\n/, "")]]));
      const frame = document.createElement("iframe");
      frame.src = `${page}#embedded&mode=${encodeURIComponent(this.getAttribute("mode") || "solve")}&files=${files}`;
      frame.title = this.getAttribute("title") || "A puzzle in asp-solve";
      frame.allow = "clipboard-write";
      Object.assign(frame.style, { border: "0", width: "100%", height: "100%" });
      if (getComputedStyle(this).display === "inline") Object.assign(this.style, { display: "block", height: "30rem" });
      this.replaceChildren(frame);
    }
  });
}
