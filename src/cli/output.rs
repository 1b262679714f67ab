//! Output: standard output, a device, or a file that is written atomically.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
#[cfg(windows)]
use std::{thread, time::Duration};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::words::io_error;
use puzzle::report::{Output, output_result};
use same_file::Handle;
use tempfile::NamedTempFile;

use super::exit::unfinished;
use super::sources;
use super::terminal::{self, escape_controls};

/// A temporary file that is renamed to its target when it is complete.
pub struct PendingFile {
    file: NamedTempFile,
    target: PathBuf,
}

impl PendingFile {
    /// Renames the finished file to its target.
    pub fn persist(self) -> io::Result<()> {
        let path = self.file.path().to_owned();
        let persisted = rename(self.file, &self.target);
        unfinished().remove(&path);
        persisted
    }

    /// Removes the temporary file.
    fn discard(self) {
        unfinished().remove(self.file.path());
    }
}

#[cfg(not(windows))]
fn rename(file: NamedTempFile, target: &Path) -> io::Result<()> {
    file.persist(target).map(drop).map_err(|error| error.error)
}

/// Windows does not replace a file that another program has open. Scanners and indexers open new
/// files for a moment, so a few further attempts are made.
#[cfg(windows)]
fn rename(mut file: NamedTempFile, target: &Path) -> io::Result<()> {
    const ATTEMPTS: usize = 20;
    const PAUSE: Duration = Duration::from_millis(50);
    for _ in 0..ATTEMPTS {
        match file.persist(target) {
            Ok(_) => return Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::PermissionDenied => file = error.file,
            Err(error) => return Err(error.error),
        }
        thread::sleep(PAUSE);
    }
    Err(io::Error::other("another program has it open"))
}

/// The pixels for each unit of a picture, if pictures are written as PNG.
static PNG_SCALE: OnceLock<f64> = OnceLock::new();

/// Writes all SVG pictures of this run as PNG.
pub fn write_png(scale: f64) {
    _ = PNG_SCALE.set(scale);
}

/// A writer that replaces an SVG picture by a PNG.
struct PngWriter {
    out: Output,
    #[cfg_attr(not(feature = "png"), expect(dead_code, reason = "nothing is written as PNG"))]
    scale: f64,
    bytes: Vec<u8>,
}

impl Write for PngWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.bytes);
        let is_picture = bytes.starts_with(b"<svg");
        if is_picture && !bytes.trim_ascii_end().ends_with(b"</svg>") {
            self.bytes = bytes;
            return Ok(());
        }
        #[cfg(feature = "png")]
        let bytes = match is_picture {
            true => super::png::png(&String::from_utf8_lossy(&bytes), self.scale).map_err(io::Error::other)?,
            false => bytes,
        };
        self.out.write_all(&bytes)?;
        self.out.flush()
    }
}

/// Opens the output file, or standard output for `None` and for `-`. Rejects files that were read.
pub fn open(path: Option<&Path>, color: bool) -> Result<(Output, Option<PendingFile>), Failure> {
    let is_terminal = io::stdout().is_terminal();
    if path.is_none() && is_terminal && PNG_SCALE.get().is_some() {
        let text = "-f png: standard output is a terminal, which shows no pictures";
        return Err(Diagnostic::error(Code::Usage, text).help("-o FILE.png writes a file").into());
    }
    let Some(path) = path else { return Ok((buffered(standard(), is_terminal, color), None)) };
    reject_input_overwrite("--output", path)?;
    create(path, color)
}

/// Standard output. If the process was started without one, Rust would write to the null device;
/// this writer returns an error instead.
pub struct Stdout(io::Stdout);

pub fn standard() -> Stdout {
    Stdout(io::stdout())
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const EBADF: i32 = 9;
        if asp::is_output_closed() { Err(io::Error::from_raw_os_error(EBADF)) } else { self.0.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Creates the output. An existing device or pipe is written to directly, since it must not be
/// replaced.
fn create(path: &Path, color: bool) -> Result<(Output, Option<PendingFile>), Failure> {
    let wrong = |error: io::Error| cannot_write(path, &error);
    let existing_metadata = fs::metadata(path).ok();
    if existing_metadata.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(wrong(io::ErrorKind::IsADirectory.into()));
    }
    // A file without write permission must not be replaced either.
    let existing =
        existing_metadata.as_ref().map(|_| OpenOptions::new().write(true).open(path)).transpose().map_err(wrong)?;
    if let Some(device) = existing
        && !existing_metadata.as_ref().is_some_and(fs::Metadata::is_file)
    {
        let is_terminal = device.is_terminal();
        return Ok((buffered(device, is_terminal, color), None));
    }
    let (writer, file) = replacement(path)?;
    Ok((buffered(writer, false, color), Some(file)))
}

/// Creates a temporary file that replaces a file, with its permissions, when it is complete.
pub fn replacement(path: &Path) -> Result<(File, PendingFile), Failure> {
    let wrong = |error: io::Error| cannot_write(path, &error);
    let target = follow_links(path);
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    if let Some(permissions) = default_permissions() {
        builder.permissions(permissions);
    }
    let file = builder.tempfile_in(folder).map_err(wrong)?;
    unfinished().insert(file.path().to_owned());
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions()).map_err(wrong)?;
    }
    let writer = file.reopen().map_err(wrong)?;
    Ok((writer, PendingFile { file, target }))
}

/// Opens a file that is written piece by piece, so that no other run of the program writes it, too.
pub fn open_alone(path: &Path, options: &mut OpenOptions) -> Result<File, Failure> {
    // A lock of Windows would keep others from reading, too.
    #[cfg(windows)]
    {
        const FILE_SHARE_READ: u32 = 1;
        const FILE_SHARE_DELETE: u32 = 4;
        std::os::windows::fs::OpenOptionsExt::share_mode(options, FILE_SHARE_READ | FILE_SHARE_DELETE);
    }
    let file = options.open(path).map_err(|error| cannot_write(path, &error))?;
    lock(path, &file)?;
    Ok(file)
}

/// Locks a file that will stand at `path`. Devices and file systems without locks are not locked.
pub fn lock(path: &Path, file: &File) -> Result<(), Failure> {
    let is_lockable = cfg!(not(windows)) && file.metadata().is_ok_and(|metadata| metadata.is_file());
    match is_lockable.then(|| file.try_lock()) {
        Some(Err(TryLockError::WouldBlock)) => {
            let text = format!("cannot write {}: another run writes it", path.display());
            let help = "give each run a file of its own, or wait for its end";
            Err(Diagnostic::error(Code::UnwritableFile, text).help(help).into())
        }
        _ => Ok(()),
    }
}

/// Returns the failure to write a file.
pub fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    unwritable(path, error).into()
}

/// Returns the error of a file that cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    let reason = match error.kind() {
        io::ErrorKind::Other => error.to_string(),
        _ => io_error(error),
    };
    Diagnostic::error(Code::UnwritableFile, format!("cannot write {}: {reason}", path.display()))
}

/// Writes a text atomically.
pub fn write(path: Option<&Path>, color: bool, text: &str) -> Result<(), Failure> {
    write_to(path, open(path, color)?, text)
}

/// Replaces a file atomically, even if it was an input of the same command.
pub fn save(path: &Path, text: &str) -> Result<(), Failure> {
    write_to(Some(path), create(path, false)?, text)
}

fn write_to(path: Option<&Path>, (mut output, file): (Output, Option<PendingFile>), text: &str) -> Result<(), Failure> {
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    match (path, written.and_then(|()| file.map_or(Ok(()), PendingFile::persist))) {
        (Some(path), Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(path, &error)),
        (_, written) => output_result(written),
    }
}

/// Rejects early a file that could not be written at the end of the run; `option` names it in the
/// message.
pub fn check(option: &str, path: &Path) -> Result<(), Failure> {
    reject_input_overwrite(option, path)?;
    // Opening a pipe would disturb its reader.
    if path.is_file() || path.is_dir() || !path.exists() {
        let (_, file) = create(path, false)?;
        if let Some(file) = file {
            file.discard();
        }
    }
    Ok(())
}

/// Rejects an output that is an input under any name, or the source of standard input; `option`
/// names it in the message.
pub fn reject_input_overwrite(option: &str, path: &Path) -> Result<(), Failure> {
    if !path.is_file() {
        return Ok(());
    }
    let Ok(output) = Handle::from_path(path) else { return Ok(()) };
    let is_same = |input: &Path| {
        if input.as_os_str() == "-" {
            return Handle::stdin().is_ok_and(|input| input == output);
        }
        // Opening a pipe would wait for its writer.
        input.is_file() && Handle::from_path(input).is_ok_and(|input| input == output)
    };
    match sources::files_read().iter().find(|input| is_same(input)) {
        Some(input) => {
            let text = format!("{option} {} is the input {}; it would be lost", path.display(), input.display());
            Err(Diagnostic::error(Code::Usage, text).into())
        }
        None => Ok(()),
    }
}

/// Rejects outputs that share a file, since the second would replace the first.
pub fn reject_duplicate_outputs(outputs: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let absolute = |path: &Path| {
        let path = follow_links(path);
        let folder = path.parent().and_then(|folder| Path::new(".").join(folder).canonicalize().ok());
        folder.zip(path.file_name()).map(|(folder, name)| folder.join(name))
    };
    // Two outputs may share a device.
    let file = |path: &Path| absolute(path).filter(|path| path.is_file() || !path.exists());
    let mut earlier: Vec<(&str, PathBuf)> = Vec::new();
    for &(option, path) in outputs {
        let Some(file) = path.and_then(file) else { continue };
        if let Some((other, _)) = earlier.iter().find(|(_, earlier)| *earlier == file) {
            let text = format!("{other} and {option} name one file, {}", file.display());
            return Err(Diagnostic::error(Code::Usage, text).help("give each a file of its own").into());
        }
        earlier.push((option, file));
    }
    Ok(())
}

/// Follows symbolic links, even to a file that does not exist.
fn follow_links(path: &Path) -> PathBuf {
    const MAX_LINKS: usize = 40;
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(link) = path.read_link() else { break };
        path = path.parent().unwrap_or(Path::new("")).join(link);
    }
    path
}

/// Returns the permissions of a new file before the umask is applied.
#[cfg(unix)]
fn default_permissions() -> Option<Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o666))
}

#[cfg(not(unix))]
fn default_permissions() -> Option<Permissions> {
    None
}

fn buffered(out: impl Write + Send + 'static, is_terminal: bool, color: bool) -> Output {
    let out: Output = if is_terminal { Box::new(Terminal { out, color, line: Vec::new() }) } else { Box::new(out) };
    let out: Output = Box::new(BufWriter::with_capacity(1 << 16, out));
    match PNG_SCALE.get() {
        Some(&scale) => Box::new(PngWriter { out, scale, bytes: Vec::new() }),
        None => out,
    }
}

/// A terminal writer that neutralises control characters, since output quotes untrusted files.
struct Terminal<W> {
    out: W,
    color: bool,
    /// The bytes since the last newline.
    line: Vec<u8>,
}

impl<W: Write> Write for Terminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        if let Some(end) = self.line.iter().rposition(|&byte| byte == b'\n') {
            let rest = self.line.split_off(end + 1);
            let lines = std::mem::replace(&mut self.line, rest);
            let _cleared = terminal::clear_progress();
            self.out.write_all(escape_controls(&String::from_utf8_lossy(&lines), self.color).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.line);
        self.out.write_all(escape_controls(&String::from_utf8_lossy(&rest), self.color).as_bytes())?;
        self.out.flush()
    }
}

/// Replaces each `{n}` in a file name by `number`.
#[cfg(unix)]
pub fn numbered(path: &Path, number: u64) -> PathBuf {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut rest = path.as_os_str().as_bytes();
    let mut name = Vec::new();
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
    fn terminal_output_is_line_buffered() {
        let mut terminal = Terminal { out: Vec::new(), color: true, line: Vec::new() };
        for part in ["\x1b", "[31mr", "\x1b[0m\n", "\x1b]0;x\x07"] {
            terminal.write_all(part.as_bytes()).expect("memory takes all");
        }
        terminal.flush().expect("memory takes all");
        assert_eq!(String::from_utf8_lossy(&terminal.out), "\x1b[31mr\x1b[0m\n␛]0;x␇");
    }
}
