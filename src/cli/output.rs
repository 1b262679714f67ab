//! Where a run writes: standard output, a device, or a file that appears whole or not at all.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use same_file::Handle;
use tempfile::NamedTempFile;

use super::{input, messages};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::puzzle::report::{Output, written};
use crate::words::why;

/// Temporary files that are not to be left behind, whichever thread leaves the process.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Held by the thread that leaves the process: the others wait for its end.
static LEAVING: Mutex<()> = Mutex::new(());

/// Leaves the process because somebody wants it, and says so, whatever else is about to be said.
pub fn leave_interrupted() -> ! {
    let _leaving = LEAVING.lock();
    messages::say("interrupted");
    clean_up_and_leave(3)
}

/// Leaves the process at once, whatever its threads do, and no temporary file behind.
pub fn leave(code: i32) -> ! {
    let _leaving = LEAVING.lock();
    clean_up_and_leave(code)
}

fn clean_up_and_leave(code: i32) -> ! {
    let _cleared = messages::try_clear_progress();
    for path in unfinished().iter() {
        // It may have got its name in this moment.
        let _ = fs::remove_file(path);
    }
    asp::leave(code)
}

/// A file in the making, which gets its name when it is whole.
pub struct Unfinished {
    file: NamedTempFile,
    target: PathBuf,
}

impl Unfinished {
    /// Gives the finished file its name.
    pub fn keep(self) -> io::Result<()> {
        let path = self.file.path().to_owned();
        let kept = self.file.persist(&self.target).map(drop).map_err(|error| error.error);
        unfinished().remove(&path);
        kept
    }

    /// Leaves nothing behind.
    fn discard(self) {
        unfinished().remove(self.file.path());
    }
}

/// Opens the file that was asked for, or standard output for none and for `-`; what was read is not written over.
pub fn open(path: Option<&Path>, color: bool) -> Result<(Output, Option<Unfinished>), Failure> {
    let Some(path) = path else { return Ok((buffered(standard(), io::stdout().is_terminal(), color), None)) };
    refuse_inputs("--output", path)?;
    begin(path, color)
}

/// Standard output. Where the process was started without one, Rust writes to the null device; here it is an error.
pub struct Standard(io::Stdout);

pub fn standard() -> Standard {
    Standard(io::stdout())
}

impl Write for Standard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const EBADF: i32 = 9;
        if asp::is_output_closed() { Err(io::Error::from_raw_os_error(EBADF)) } else { self.0.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// What is there and no regular file (a device, a pipe) is written to as it is: it must not be replaced.
fn begin(path: &Path, color: bool) -> Result<(Output, Option<Unfinished>), Failure> {
    let wrong = |error: io::Error| cannot_write(path, &error);
    let there = fs::metadata(path).ok();
    if there.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(wrong(io::ErrorKind::IsADirectory.into()));
    }
    // Whoever may not write to the file may not replace it either.
    let existing = there.as_ref().map(|_| OpenOptions::new().write(true).open(path)).transpose().map_err(wrong)?;
    if let (Some(device), false) = (existing, there.as_ref().is_some_and(fs::Metadata::is_file)) {
        let is_terminal = device.is_terminal();
        return Ok((buffered(device, is_terminal, color), None));
    }
    let target = followed(path);
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    if let Some(permissions) = new_file() {
        builder.permissions(permissions);
    }
    let file = builder.tempfile_in(folder).map_err(wrong)?;
    unfinished().insert(file.path().to_owned());
    if let Some(metadata) = there {
        file.as_file().set_permissions(metadata.permissions()).map_err(wrong)?;
    }
    let writer = file.reopen().map_err(wrong)?;
    Ok((buffered(writer, false, color), Some(Unfinished { file, target })))
}

/// That the file cannot be written.
pub fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Diagnostic::error(format!("cannot write {}: {}", path.display(), why(error.kind()))).into()
}

/// Columns of the terminal that standard output goes to.
pub fn width() -> Option<usize> {
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(columns.into())
}

/// Writes a text, whole or not at all.
pub fn write(path: Option<&Path>, color: bool, text: &str) -> Result<(), Failure> {
    write_to(path, open(path, color)?, text)
}

/// Replaces a file that may have been read.
pub fn save(path: &Path, text: &str) -> Result<(), Failure> {
    write_to(Some(path), begin(path, false)?, text)
}

fn write_to(path: Option<&Path>, (mut output, file): (Output, Option<Unfinished>), text: &str) -> Result<(), Failure> {
    let whole = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    match (path, whole.and_then(|()| file.map_or(Ok(()), Unfinished::keep))) {
        (Some(path), Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(path, &error)),
        (_, whole) => written(whole),
    }
}

/// Refuses a file that could not be written at the end of a run, or would replace another; `option` is what asks for it.
pub fn check(option: &str, path: &Path) -> Result<(), Failure> {
    refuse_inputs(option, path)?;
    // To open a pipe would disturb its reader.
    if path.is_file() || path.is_dir() || !path.exists() {
        let (_, file) = begin(path, false)?;
        if let Some(file) = file {
            file.discard();
        }
    }
    Ok(())
}

/// An output that is an input under whatever name, or what standard input comes from, would be lost; `option` is what asks for it.
pub fn refuse_inputs(option: &str, path: &Path) -> Result<(), Failure> {
    if !path.is_file() {
        return Ok(());
    }
    let Ok(output) = Handle::from_path(path) else { return Ok(()) };
    let is_same = |input: &Path| match input.as_os_str() == "-" {
        true => Handle::stdin().is_ok_and(|input| input == output),
        // To open a pipe would wait for its writer.
        false => input.is_file() && Handle::from_path(input).is_ok_and(|input| input == output),
    };
    match input::files_read().iter().find(|input| is_same(input)) {
        Some(input) => {
            let text = format!("{option} {} is the input {}; it would be lost", path.display(), input.display());
            Err(Diagnostic::error(text).into())
        }
        None => Ok(()),
    }
}

/// Of two outputs in one file the second would replace the first.
pub fn refuse_twice(outputs: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let whole = |path: &Path| {
        let path = followed(path);
        let folder = path.parent().and_then(|folder| Path::new(".").join(folder).canonicalize().ok());
        folder.zip(path.file_name()).map(|(folder, name)| folder.join(name))
    };
    // A device takes both.
    let file = |path: &Path| whole(path).filter(|path| path.is_file() || !path.exists());
    let mut known: Vec<(&str, PathBuf)> = Vec::new();
    for &(option, path) in outputs {
        let Some(file) = path.and_then(file) else { continue };
        if let Some((other, _)) = known.iter().find(|(_, known)| *known == file) {
            let text = format!("{other} and {option} name one file, {}", file.display());
            return Err(Diagnostic::error(text).help("give each a file of its own").into());
        }
        known.push((option, file));
    }
    Ok(())
}

/// Where symbolic links lead, whether or not there is a file.
fn followed(path: &Path) -> PathBuf {
    const MOST_LINKS: usize = 40;
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(link) = path.read_link() else { break };
        path = path.parent().unwrap_or(Path::new("")).join(link);
    }
    path
}

/// What the person's umask takes its part from.
#[cfg(unix)]
fn new_file() -> Option<Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o666))
}

#[cfg(not(unix))]
fn new_file() -> Option<Permissions> {
    None
}

fn buffered(out: impl Write + Send + 'static, is_terminal: bool, color: bool) -> Output {
    let out: Output = if is_terminal { Box::new(Terminal { out, color, line: Vec::new() }) } else { Box::new(out) };
    Box::new(BufWriter::with_capacity(1 << 16, out))
}

/// A terminal that obeys no control characters: texts come from files that anybody may have written.
struct Terminal<W> {
    out: W,
    color: bool,
    /// What came since the last end of a line.
    line: Vec<u8>,
}

impl<W: Write> Write for Terminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        if let Some(end) = self.line.iter().rposition(|&byte| byte == b'\n') {
            let rest = self.line.split_off(end + 1);
            let lines = std::mem::replace(&mut self.line, rest);
            let _cleared = messages::clear_progress();
            self.out.write_all(visible(&String::from_utf8_lossy(&lines), self.color).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.line);
        self.out.write_all(visible(&String::from_utf8_lossy(&rest), self.color).as_bytes())?;
        self.out.flush()
    }
}

/// The text with its control characters as pictures of them, but for ends of lines, tabs and, where they are wanted, colours.
/// What turns the direction of writing is shown by its number.
pub fn visible(text: &str, color: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.char_indices();
    while let Some((at, character)) = rest.next() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\x1b' if color && let Some(length) = length_of_color(&text[at..]) => {
                shown.push_str(&text[at..at + length]);
                rest.nth(length - 2);
            }
            '\0'..='\x1f' => shown.extend(char::from_u32(0x2400 + u32::from(character))),
            '\x7f' => shown.push('␡'),
            '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.extend(character.escape_unicode());
            }
            _ => shown.push(character),
        }
    }
    shown
}

/// Bytes of the escape sequence for a colour that a text begins with.
fn length_of_color(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\x1b[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    parameters[end..].starts_with('m').then_some(end + 3)
}

/// A name with `number` for each `{n}` in it.
#[cfg(unix)]
pub fn numbered(path: &Path, number: u64) -> PathBuf {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let (mut rest, mut name) = (path.as_os_str().as_bytes(), Vec::new());
    while let Some(at) = rest.windows(3).position(|window| window == b"{n}") {
        name.extend_from_slice(&rest[..at]);
        name.extend_from_slice(number.to_string().as_bytes());
        rest = &rest[at + 3..];
    }
    name.extend_from_slice(rest);
    std::ffi::OsString::from_vec(name).into()
}

#[cfg(not(unix))]
pub fn numbered(path: &Path, number: u64) -> PathBuf {
    path.to_string_lossy().replace("{n}", &number.to_string()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_colours_are_where_they_are_wanted() {
        assert_eq!(visible("a\x1b[2Jb\u{9b}c\r\n\td\x7f", true), "a␛[2Jb\\u{9b}c␍\n\td␡");
        assert_eq!(visible("\x1b[1;31mä\x1b[0m\x1b[0", true), "\x1b[1;31mä\x1b[0m␛[0");
        assert_eq!(visible("\x1b[31mred", false), "␛[31mred");
    }

    #[test]
    fn a_terminal_is_written_to_line_by_line() {
        let mut terminal = Terminal { out: Vec::new(), color: true, line: Vec::new() };
        for part in ["\x1b", "[31mr", "\x1b[0m\n", "\x1b]0;x\x07"] {
            terminal.write_all(part.as_bytes()).expect("memory takes all");
        }
        terminal.flush().expect("memory takes all");
        assert_eq!(String::from_utf8_lossy(&terminal.out), "\x1b[31mr\x1b[0m\n␛]0;x␇");
    }
}
