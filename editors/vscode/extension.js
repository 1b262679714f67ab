// Starts `asp-solve lsp` for .lp files, and shows what its commands answer beside the program.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

/** Shows a text, or a picture, in a column of its own. */
async function show(title, text) {
  if (text.trimStart().startsWith("<svg") || text.trimStart().startsWith("<?xml")) {
    const panel = vscode.window.createWebviewPanel("asp-solve", title, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
    panel.webview.html = `<!doctype html><body style="background:#fff">${text.replace(/^<\?xml.*?\?>/, "")}</body>`;
    return;
  }
  const document = await vscode.workspace.openTextDocument({ content: text, language: "plaintext" });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
}

function current() {
  const editor = vscode.window.activeTextEditor;
  return editor && editor.document.languageId === "asp" ? editor : undefined;
}

function activate(context) {
  const settings = vscode.workspace.getConfiguration("asp-solve");
  const server = { command: settings.get("path"), args: ["lsp", ...settings.get("arguments")] };
  client = new LanguageClient("asp-solve", "asp-solve", server, {
    documentSelector: [{ language: "asp" }],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.lp") },
    middleware: {
      executeCommand: async (command, args, next) => {
        const title = command.replace("asp-solve.", "");
        const progress = { location: vscode.ProgressLocation.Window, title: `asp-solve: ${title}` };
        const text = await vscode.window.withProgress(progress, () => next(command, args));
        if (typeof text === "string") await show(title, text);
        return text;
      },
    },
  });
  const ask = (command, ...rest) => {
    const editor = current();
    return editor && vscode.commands.executeCommand(command, editor.document.uri.toString(), ...rest);
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("asp-solve.chooseBoard", async () => {
      const files = await vscode.window.showOpenDialog({ title: "The board that the program is checked with; none ends it" });
      return ask("asp-solve.board", files ? files[0].toString() : "");
    }),
    vscode.commands.registerCommand("asp-solve.whyAtom", async () => {
      const atom = await vscode.window.showInputBox({ prompt: "An atom, or 'not' and an atom; empty: why there is no answer" });
      return atom === undefined ? undefined : ask("asp-solve.why", atom);
    }),
    vscode.commands.registerCommand("asp-solve.showPicture", () => ask("asp-solve.picture")),
  );
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
