/* Runs the program, which is WebAssembly for WASI preview 1, in a worker.

   Messages to the worker: `{ module }` first; then `{ line }`, a request of the studio, whose response is `{ line }`; or
   `{ run: { args, input, files } }`, a command, whose response is `{ run: { code, output, errors } }`. A program that fails
   responds `{ failed }`, words for the user. */

/* Thrown to leave the program when it exits. */
class Exit {
  constructor(code) { this.code = code; }
}

const errno = { badFile: 8, invalid: 28, isFolder: 31, missing: 44, notSupported: 52, readOnly: 69 };
const fileType = { unknown: 0, folder: 3, file: 4 };

/* A started program with its arguments, standard streams and files. `files` are texts by name; the program can read them. */
class Program {
  constructor(module, args, files = {}) {
    const encode = (text) => new TextEncoder().encode(text);
    Object.assign(this, { module, args: ["asp-solve", ...args].map((text) => encode(`${text}\0`)), input: new Uint8Array(), output: [], errors: [] });
    this.files = new Map(Object.entries(files).map(([name, text]) => [name, encode(text)]));
    this.open = new Map([[3, { folder: "" }]]);
    const functions = this.functions();
    /* The program may ask for a function that nothing here needs. */
    const wasi = new Proxy(functions, { get: (all, name) => all[name] || (() => errno.notSupported), has: () => true });
    const imports = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, wasi[name]]));
    this.instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
    this.memory = this.instance.exports.memory;
  }

  /* Runs `main` and returns the exit code. */
  main() {
    try {
      this.instance.exports._start();
      return 0;
    } catch (error) {
      if (error instanceof Exit) return error.code;
      throw error;
    }
  }

  /* Answers a request after `main`. */
  answer(line) {
    this.input = new TextEncoder().encode(`${line}\n`);
    this.output = [];
    this.instance.exports.asp_solve_answer();
    return this.text(this.output).trimEnd();
  }

  text(parts) {
    const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of parts) { all.set(part, at); at += part.length; }
    return new TextDecoder().decode(all);
  }

  /* What failed, in words for the user. */
  words(error) {
    const errors = this.text(this.errors).trim();
    if (error instanceof RangeError || /stack/i.test(error.message)) return "This program is nested too deeply for a browser.";
    if (/memory allocation/.test(errors) || this.memory.buffer.byteLength > 3.5e9) return "Gave up: the memory limit was reached.";
    if (/divide result|integer overflow/.test(error.message)) return "The program divides -2147483648 by -1, which exceeds 32 bits.";
    return `The program ended: ${errors || error.message}`;
  }

  functions() {
    const view = () => new DataView(this.memory.buffer);
    const bytes = (at, length) => new Uint8Array(this.memory.buffer, at, length);
    const list = (texts, pointers, buffer) => {
      for (const text of texts) {
        view().setUint32(pointers, buffer, true);
        bytes(buffer, text.length).set(text);
        pointers += 4;
        buffer += text.length;
      }
      return 0;
    };
    const sizes = (texts, count, length) => {
      view().setUint32(count, texts.length, true);
      view().setUint32(length, texts.reduce((sum, text) => sum + text.length, 0), true);
      return 0;
    };
    /* The buffers of a vectored read or write. */
    const buffers = (at, count) => Array.from({ length: count }, (_, index) =>
      bytes(view().getUint32(at + 8 * index, true), view().getUint32(at + 8 * index + 4, true)));
    const stat = (at, type, length) => {
      bytes(at, 64).fill(0);
      view().setUint8(at + 16, type);
      view().setBigUint64(at + 32, BigInt(length), true);
      return 0;
    };
    const path = (folder, at, length) => {
      const parts = [];
      for (const part of `${folder}/${new TextDecoder().decode(bytes(at, length))}`.split("/")) {
        if (part === "..") parts.pop();
        else if (part && part !== ".") parts.push(part);
      }
      return parts.join("/");
    };
    const isFolder = (name) => name === "" || [...this.files.keys()].some((file) => file.startsWith(`${name}/`));
    const now = (clock) => BigInt(Math.round((clock === 0 ? performance.timeOrigin + performance.now() : performance.now()) * 1e6));
    return {
      args_sizes_get: (count, length) => sizes(this.args, count, length),
      args_get: (pointers, buffer) => list(this.args, pointers, buffer),
      environ_sizes_get: (count, length) => sizes([], count, length),
      environ_get: () => 0,
      clock_time_get: (clock, _precision, at) => { view().setBigUint64(at, now(clock), true); return 0; },
      random_get: (at, length) => {
        for (let begin = 0; begin < length; begin += 65536) crypto.getRandomValues(bytes(at + begin, Math.min(65536, length - begin)));
        return 0;
      },
      sched_yield: () => 0,
      /* Only pauses are polled for. */
      poll_oneoff: (from, to, count, events) => {
        const end = now(1) + view().getBigUint64(from + 24, true);
        while (now(1) < end);
        bytes(to, 32).fill(0);
        view().setBigUint64(to, view().getBigUint64(from, true), true);
        view().setUint32(events, 1, true);
        return count ? 0 : errno.invalid;
      },
      proc_exit: (code) => { throw new Exit(code); },
      fd_prestat_get: (file, at) => {
        if (file !== 3) return errno.badFile;
        view().setUint32(at, 0, true);
        view().setUint32(at + 4, 1, true);
        return 0;
      },
      fd_prestat_dir_name: (file, at) => { bytes(at, 1)[0] = 47; return file === 3 ? 0 : errno.badFile; },
      fd_fdstat_get: (file, at) => {
        const opened = this.open.get(file);
        if (file > 2 && !opened) return errno.badFile;
        bytes(at, 24).fill(0);
        view().setUint8(at, !opened ? fileType.unknown : opened.content ? fileType.file : fileType.folder);
        view().setBigUint64(at + 8, ~0n & 0xffffffffffffffffn, true);
        view().setBigUint64(at + 16, ~0n & 0xffffffffffffffffn, true);
        return 0;
      },
      fd_fdstat_set_flags: () => 0,
      fd_filestat_get: (file, at) => {
        const opened = this.open.get(file);
        if (file > 2 && !opened) return errno.badFile;
        return !opened ? stat(at, fileType.unknown, 0) : opened.content ? stat(at, fileType.file, opened.content.length) : stat(at, fileType.folder, 0);
      },
      fd_close: (file) => this.open.delete(file) || file < 3 ? 0 : errno.badFile,
      fd_seek: (file, offset, whence, at) => {
        const opened = this.open.get(file);
        if (!opened || !opened.content) return errno.badFile;
        opened.at = Number(offset) + [0, opened.at, opened.content.length][whence];
        view().setBigUint64(at, BigInt(opened.at), true);
        return 0;
      },
      fd_read: (file, at, count, length) => {
        const opened = this.open.get(file);
        if (file !== 0 && !(opened && opened.content)) return opened ? errno.isFolder : errno.badFile;
        let read = 0;
        for (const buffer of buffers(at, count)) {
          const source = file === 0 ? this.input : opened.content.subarray(opened.at);
          const part = source.subarray(0, buffer.length);
          buffer.set(part);
          read += part.length;
          if (file === 0) this.input = this.input.subarray(part.length);
          else opened.at += part.length;
        }
        view().setUint32(length, read, true);
        return 0;
      },
      fd_readdir: (_file, _buffer, _length, _cookie, used) => { view().setUint32(used, 0, true); return 0; },
      fd_write: (file, at, count, length) => {
        if (file !== 1 && file !== 2) return errno.badFile;
        let written = 0;
        for (const buffer of buffers(at, count)) {
          (file === 1 ? this.output : this.errors).push(buffer.slice());
          written += buffer.length;
        }
        view().setUint32(length, written, true);
        return 0;
      },
      path_filestat_get: (folder, _flags, name, length, at) => {
        const wanted = path(this.open.get(folder).folder, name, length);
        const content = this.files.get(wanted);
        return content ? stat(at, fileType.file, content.length) : isFolder(wanted) ? stat(at, fileType.folder, 0) : errno.missing;
      },
      path_open: (folder, _lookup, name, length, flags, _rights, _inherited, _how, at) => {
        const wanted = path(this.open.get(folder).folder, name, length);
        const content = this.files.get(wanted);
        if (!content && !isFolder(wanted)) return flags & 1 ? errno.readOnly : errno.missing;
        const file = Math.max(...this.open.keys()) + 1;
        this.open.set(file, content ? { content, at: 0 } : { folder: wanted });
        view().setUint32(at, file, true);
        return 0;
      },
      path_readlink: () => errno.invalid,
      path_create_directory: () => errno.readOnly,
      path_unlink_file: () => errno.readOnly,
      path_rename: () => errno.readOnly,
      path_link: () => errno.readOnly,
    };
  }
}

let module = null;
let studio = null;

/* Bytes of memory above which the next request gets a new program: memory never shrinks. */
const memoryLimit = 512 << 20;

function prepare() {
  studio = new Program(module, ["studio", "--worker"]);
  studio.main();
}

function run({ args, input = "", files = {} }) {
  const program = new Program(module, args, files);
  program.input = new TextEncoder().encode(input);
  try {
    const code = program.main();
    return { run: { code, output: program.text(program.output), errors: program.text(program.errors) } };
  } catch (error) {
    return { failed: program.words(error) };
  }
}

onmessage = ({ data }) => {
  if (data.module) {
    module = data.module;
    if (data.studio !== false) prepare();
    return;
  }
  if (data.run) return postMessage(run(data.run));
  try {
    if (!studio) prepare();
    postMessage({ line: studio.answer(data.line) });
  } catch (error) {
    const failed = studio ? studio.words(error) : String(error);
    studio = null;
    return postMessage({ failed });
  }
  if (studio.memory.buffer.byteLength > memoryLimit) studio = null;
};
