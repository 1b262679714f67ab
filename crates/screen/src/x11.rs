//! A window of an X server: its picture, clicks and keys, and interruptions by the user.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base::diagnostic::{Code, Diagnostic, Failure};
use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::xproto::{self, AtomEnum, ConnectionExt as _, ImageFormat, ImageOrder, MapState, WindowClass};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use super::START_TIMEOUT;
use super::image::{Image, Rectangle};
use super::screen::{Screen, wrong};

/// A window, and its program if [`Window::open`] started it. The program is killed when the value
/// is dropped.
pub struct Window {
    connection: RustConnection,
    root: xproto::Window,
    window: xproto::Window,
    program: Option<Child>,
    /// The last position of the pointer, on the screen.
    pointer: Option<[i16; 2]>,
    escape: Option<u8>,
}

const ESCAPE: u32 = 0xff1b;
const F1: u32 = 0xffbe;
const LEFT: u8 = 1;

fn connection_error(error: impl Into<ReplyError>) -> Failure {
    match error.into() {
        ReplyError::ConnectionError(error) => wrong(format!("the X server is gone: {error}")),
        ReplyError::X11Error(error) => {
            wrong(format!("the window is gone, or not wholly on the screen ({:?})", error.error_kind))
        }
    }
}

impl Window {
    /// Finds the window of a class, or starts `command` and waits for its window.
    pub fn open(class: &str, command: &[String]) -> Result<Window, Failure> {
        let (connection, screen) = x11rb::connect(None).map_err(|error| {
            Diagnostic::error(Code::System, format!("--window: no X display: {error}"))
                .help("$DISPLAY names the display, for instance :0")
        })?;
        connection
            .xtest_get_version(2, 2)
            .map_err(connection_error)?
            .reply()
            .map_err(|_| wrong("--window: the X server has no XTEST"))?;
        let setup = connection.setup();
        let root = setup.roots[screen].root;
        let bits = setup.pixmap_formats.iter().find(|format| format.depth == 24).map(|format| format.bits_per_pixel);
        if bits != Some(32) || setup.image_byte_order != ImageOrder::LSB_FIRST {
            return Err(wrong("--window: expected a display with pixels of 32 bits, least first"));
        }
        let mut window = Window { connection, root, window: root, program: None, pointer: None, escape: None };
        window.escape = window.keycode(ESCAPE)?;
        if let Some(shown) = window.find(root, class)? {
            window.window = shown;
            return Ok(window);
        }
        let Some((name, arguments)) = command.split_first() else {
            return Err(wrong(format!("--window: no window of the class {class} is there")));
        };
        // Debian installs games in a directory that is not always in the path.
        let started = [name.clone(), format!("/usr/games/{name}")].into_iter().find_map(|name| {
            let mut command = Command::new(name);
            command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
        });
        let Some(program) = started else {
            let text = format!("--window: no window of the class {class} is there, and {name} cannot be started");
            return Err(wrong(text));
        };
        window.program = Some(program);
        let began = Instant::now();
        while began.elapsed() < START_TIMEOUT {
            if let Some(shown) = window.find(root, class)? {
                window.window = shown;
                return Ok(window);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(wrong(format!("--window: {name} was started but shows no window of the class {class}")))
    }

    /// Finds the topmost visible window of a class. The class of a program of Windows, which Wine runs,
    /// is the name of its file.
    fn find(&self, within: xproto::Window, class: &str) -> Result<Option<xproto::Window>, Failure> {
        let tree = self.connection.query_tree(within).map_err(connection_error)?.reply().map_err(connection_error)?;
        for &child in tree.children.iter().rev() {
            // Windows may disappear during the search.
            let property = self.connection.get_property(false, child, AtomEnum::WM_CLASS, AtomEnum::STRING, 0, 256);
            let Ok(property) = property.map_err(connection_error)?.reply() else { continue };
            let is_name = |name: &[u8]| {
                let name = name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
                name.strip_suffix(b".exe").unwrap_or(name).eq_ignore_ascii_case(class.as_bytes())
            };
            if property.value.split(|&byte| byte == 0).any(is_name) && self.is_shown(child)? {
                return Ok(Some(child));
            }
            if let Ok(Some(descendant)) = self.find(child, class) {
                return Ok(Some(descendant));
            }
        }
        Ok(None)
    }

    /// Returns true if the window is visible, which group leaders are not.
    fn is_shown(&self, window: xproto::Window) -> Result<bool, Failure> {
        let attributes = self.connection.get_window_attributes(window).map_err(connection_error)?.reply();
        let is_shown = |attributes: xproto::GetWindowAttributesReply| {
            attributes.map_state == MapState::VIEWABLE && attributes.class == WindowClass::INPUT_OUTPUT
        };
        Ok(attributes.is_ok_and(is_shown))
    }

    /// Returns the position and size on the screen.
    fn place(&self, window: xproto::Window) -> Result<[i32; 4], Failure> {
        let geometry =
            self.connection.get_geometry(window).map_err(connection_error)?.reply().map_err(connection_error)?;
        let corner = self
            .connection
            .translate_coordinates(window, self.root, 0, 0)
            .map_err(connection_error)?
            .reply()
            .map_err(connection_error)?;
        Ok([corner.dst_x.into(), corner.dst_y.into(), geometry.width.into(), geometry.height.into()])
    }

    fn keycode(&self, key: u32) -> Result<Option<u8>, Failure> {
        let setup = self.connection.setup();
        let (first, count) = (setup.min_keycode, setup.max_keycode - setup.min_keycode + 1);
        let mapping = self
            .connection
            .get_keyboard_mapping(first, count)
            .map_err(connection_error)?
            .reply()
            .map_err(connection_error)?;
        let keys = mapping.keysyms.chunks(mapping.keysyms_per_keycode.max(1).into());
        Ok(keys.zip(first..=setup.max_keycode).find(|(symbols, _)| symbols[0] == key).map(|(_, code)| code))
    }

    /// Sends a press and a release, and waits until the server has processed them.
    fn press(&self, kinds: [u8; 2], detail: u8) -> Result<(), Failure> {
        for kind in kinds {
            self.connection.xtest_fake_input(kind, detail, 0, self.root, 0, 0, 0).map_err(connection_error)?;
        }
        self.connection.get_input_focus().map_err(connection_error)?.reply().map_err(connection_error)?;
        Ok(())
    }

    fn pointer(&self) -> Result<[i16; 2], Failure> {
        let pointer =
            self.connection.query_pointer(self.root).map_err(connection_error)?.reply().map_err(connection_error)?;
        Ok([pointer.root_x, pointer.root_y])
    }
}

impl Screen for Window {
    fn size(&mut self) -> Result<[usize; 2], Failure> {
        let [_, _, width, height] = self.place(self.window)?;
        Ok([width as usize, height as usize])
    }

    fn grab(&mut self, part: Rectangle) -> Result<Image, Failure> {
        let ([left, top], [width, height]) =
            ([part.left, part.top].map(|at| at as i16), [part.width, part.height].map(|len| len as u16));
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, self.window, left, top, width, height, !0);
        let image = image.map_err(connection_error)?.reply().map_err(connection_error)?;
        let pixels = image.data.chunks_exact(4).map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
        Ok(Image { width: part.width, height: part.height, pixels })
    }

    fn point(&mut self, [x, y]: [i32; 2]) -> Result<(), Failure> {
        let [left, top, ..] = self.place(self.window)?;
        let [x, y] = [left + x, top + y].map(|at| at as i16);
        let root = self.root;
        self.connection.xtest_fake_input(xproto::MOTION_NOTIFY_EVENT, 0, 0, root, x, y, 0).map_err(connection_error)?;
        // Query the position, since the pointer stops at the edge of the screen.
        self.pointer = Some(self.pointer()?);
        Ok(())
    }

    fn click(&mut self) -> Result<(), Failure> {
        self.press([xproto::BUTTON_PRESS_EVENT, xproto::BUTTON_RELEASE_EVENT], LEFT)
    }

    fn key(&mut self, name: &str) -> Result<(), Failure> {
        let mut letters = name.chars();
        let symbol = match (letters.next(), name.get(1..).and_then(|number| number.parse::<u32>().ok())) {
            (Some('F'), Some(number @ 1..=12)) => Some(F1 + number - 1),
            (Some(letter @ ' '..='~'), _) if letters.next().is_none() => Some(letter as u32),
            _ => None,
        };
        let code = symbol.map(|symbol| self.keycode(symbol)).transpose()?.flatten();
        let code = code.ok_or_else(|| wrong(format!("the keyboard has no key `{name}`, which the skin uses")))?;
        self.press([xproto::KEY_PRESS_EVENT, xproto::KEY_RELEASE_EVENT], code)
    }

    fn interruption(&mut self) -> Result<Option<&'static str>, Failure> {
        let keys = self.connection.query_keymap().map_err(connection_error)?.reply().map_err(connection_error)?.keys;
        if self.escape.is_some_and(|code| keys[usize::from(code / 8)] & 1 << (code % 8) != 0) {
            return Ok(Some("Escape was pressed"));
        }
        let is_moved = self.pointer.is_some() && Some(self.pointer()?) != self.pointer;
        Ok(is_moved.then_some("the mouse was moved"))
    }

    fn obstruction(&mut self, part: Rectangle) -> Result<Option<String>, Failure> {
        let [left, top, ..] = self.place(self.window)?;
        let board = [left + part.left as i32, top + part.top as i32, part.width as i32, part.height as i32];
        let [_, _, width, height] = self.place(self.root)?;
        if board[0] < 0 || board[1] < 0 || board[0] + board[2] > width || board[1] + board[3] > height {
            return Ok(Some("the window reaches beyond the screen".to_owned()));
        }
        // The windows above this one come after its ancestor among the children of the root.
        let mut ancestor = self.window;
        let windows_above = loop {
            let tree =
                self.connection.query_tree(ancestor).map_err(connection_error)?.reply().map_err(connection_error)?;
            if tree.parent == self.root || tree.parent == x11rb::NONE {
                let tree = self
                    .connection
                    .query_tree(self.root)
                    .map_err(connection_error)?
                    .reply()
                    .map_err(connection_error)?;
                break tree.children.into_iter().skip_while(move |&child| child != ancestor).skip(1);
            }
            ancestor = tree.parent;
        };
        for other in windows_above {
            let Ok(place) = self.place(other) else { continue };
            let overlaps = |axis: usize| {
                place[axis] < board[axis] + board[axis + 2] && board[axis] < place[axis] + place[axis + 2]
            };
            if overlaps(0) && overlaps(1) && self.is_shown(other)? {
                return Ok(Some("another window covers a part of it".to_owned()));
            }
        }
        Ok(None)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if let Some(program) = &mut self.program {
            // The program may already have exited.
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}
