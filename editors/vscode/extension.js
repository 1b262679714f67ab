// Starts `asp-solve lsp` for .lp files, and shows what its commands answer beside the program.
const { execFile } = require("child_process");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** Answers are texts of this scheme: they cannot be changed, and nobody is asked to save them. */
const SCHEME = "asp-solve-answer";
const answers = new Map();
const renewed = new vscode.EventEmitter();
const pictures = new Map();

let client;

/** The program in front, or one that stands beside an answer. */
function current() {
  const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
  return editors.find((editor) => editor && editor.document.languageId === "asp");
}

/** Shows a text, or a picture, beside the program; what the same command answered before makes way. */
async function show(command, program, text) {
  const uri = vscode.Uri.parse(program);
  const title = `${uri.path.split("/").pop()}: ${command}`;
  const editor = current();
  const viewColumn = editor && editor.viewColumn ? editor.viewColumn + 1 : vscode.ViewColumn.Beside;
  if (text.trimStart().startsWith("<svg") || text.trimStart().startsWith("<?xml")) {
    let panel = pictures.get(program);
    if (panel) {
      panel.reveal(undefined, true);
    } else {
      panel = vscode.window.createWebviewPanel("asp-solve", title, { viewColumn, preserveFocus: true });
      pictures.set(program, panel);
      panel.onDidDispose(() => pictures.delete(program));
    }
    panel.webview.html = `<!doctype html><body style="background:#fff">${text.replace(/^\s*<\?xml.*?\?>/, "")}</body>`;
    return;
  }
  const answer = vscode.Uri.from({ scheme: SCHEME, path: `/${title}`, query: program });
  answers.set(answer.toString(), text);
  renewed.fire(answer);
  const document = await vscode.workspace.openTextDocument(answer);
  await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true, preview: false });
}

/** Starts the server, or says why that cannot be. */
async function start() {
  const settings = vscode.workspace.getConfiguration("asp-solve");
  const command = settings.get("path");
  const failure = await new Promise((done) => execFile(command, ["--version"], done));
  if (failure) {
    const why = failure.code === "ENOENT" ? "there is no such program on the PATH" : failure.message;
    const button = "Say where it is";
    const message = vscode.window.showErrorMessage(`${command} does not start: ${why}.`, button);
    message.then((chosen) => chosen && vscode.commands.executeCommand("workbench.action.openSettings", "asp-solve.path"));
    return;
  }
  const server = { command, args: ["lsp", ...settings.get("arguments")] };
  client = new LanguageClient("asp-solve", "asp-solve", server, {
    documentSelector: ["file", "untitled"].map((scheme) => ({ language: "asp", scheme })),
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.lp") },
    middleware: {
      executeCommand: async (command, args, next) => {
        const title = command.replace("asp-solve.", "");
        const progress = { location: vscode.ProgressLocation.Window, title: `asp-solve: ${title}` };
        const text = await vscode.window.withProgress(progress, () => next(command, args));
        if (typeof text === "string") await show(title, args[0], text);
        return text;
      },
    },
  });
  await client.start();
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) await old.stop();
}

function ask(command, ...rest) {
  const editor = current();
  if (!client) return vscode.window.showErrorMessage("asp-solve does not run; the setting asp-solve.path says where it is.");
  if (!editor) return vscode.window.showInformationMessage("Open a logic program first.");
  return vscode.commands.executeCommand(command, editor.document.uri.toString(), ...rest);
}

async function activate(context) {
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: renewed.event,
      provideTextDocumentContent: (uri) => answers.get(uri.toString()),
    }),
    vscode.workspace.onDidCloseTextDocument((document) => answers.delete(document.uri.toString())),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (!change.affectsConfiguration("asp-solve")) return;
      await stop();
      await start();
    }),
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
  await start();
}

module.exports = { activate, deactivate: stop };
