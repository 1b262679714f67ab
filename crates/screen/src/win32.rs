//! A window of Windows: its picture, clicks and keys, and interruptions by the user.

#![allow(unsafe_code, reason = "Windows offers its interface as C functions only")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{mem, ptr};

use base::diagnostic::Failure;
use windows_sys::Win32::Foundation::{HWND, LPARAM, POINT, RECT};
use windows_sys::Win32::Graphics::Gdi::{
    BI_RGB, BITMAPINFO, BITMAPINFOHEADER, BitBlt, CreateCompatibleBitmap, CreateCompatibleDC, DIB_RGB_COLORS, DeleteDC,
    DeleteObject, GetDC, GetDIBits, ReleaseDC, SRCCOPY, SelectObject,
};
use windows_sys::Win32::UI::Input::KeyboardAndMouse::{
    GetAsyncKeyState, INPUT, INPUT_0, INPUT_KEYBOARD, INPUT_MOUSE, KEYBDINPUT, KEYEVENTF_KEYUP, MOUSEEVENTF_LEFTDOWN,
    MOUSEEVENTF_LEFTUP, MOUSEINPUT, SendInput, VK_ESCAPE, VK_F1, VkKeyScanW,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    EnumWindows, GW_HWNDPREV, GetClassNameW, GetCursorPos, GetSystemMetrics, GetWindow, GetWindowRect, IsWindow,
    IsWindowVisible, PostMessageW, SM_CXVIRTUALSCREEN, SM_CYVIRTUALSCREEN, SM_XVIRTUALSCREEN, SM_YVIRTUALSCREEN,
    SetCursorPos, SetForegroundWindow, SetProcessDPIAware, WM_CLOSE,
};
use windows_sys::core::BOOL;

use super::START_TIMEOUT;
use super::image::{Image, Rectangle};
use super::screen::{Screen, wrong};

/// The timeout for a window to disappear after it was asked to.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// A window, and its program if [`Window::open`] started it. The program is asked to end when the
/// value is dropped.
pub struct Window {
    window: HWND,
    program: Option<Child>,
    /// The last position of the pointer, on the screen.
    pointer: Option<[i32; 2]>,
}

impl Window {
    /// Finds the window of a class, or starts `command` and waits for its window.
    pub fn open(class: &str, command: &[String]) -> Result<Window, Failure> {
        // SAFETY: it has no arguments. Without it, coordinates would be scaled on large displays.
        unsafe { SetProcessDPIAware() };
        let found = |program| {
            let window = find(class)?;
            // SAFETY: a window that has just been closed is an error that the function reports.
            unsafe { SetForegroundWindow(window) };
            Some(Window { window, program, pointer: None })
        };
        if let Some(window) = found(None) {
            return Ok(window);
        }
        let Some((name, arguments)) = command.split_first() else {
            return Err(wrong(format!("--window: no window of the class {class} is there")));
        };
        let mut command = Command::new(name);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let program = command.spawn().map_err(|_| {
            wrong(format!("--window: no window of the class {class} is there, and {name} cannot be started"))
        })?;
        let began = Instant::now();
        let mut program = Some(program);
        while began.elapsed() < START_TIMEOUT {
            if find(class).is_some() {
                return found(program.take())
                    .ok_or_else(|| wrong(format!("--window: the window of the class {class} is gone")));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(wrong(format!("--window: {name} was started but shows no window of the class {class}")))
    }

    /// Returns the position and size on the screen.
    fn place(&self) -> Result<[i32; 4], Failure> {
        place(self.window).ok_or_else(|| wrong("the window is gone"))
    }

    /// Sends keys or clicks to the window in front.
    fn send(inputs: &[INPUT]) -> Result<(), Failure> {
        // SAFETY: the pointer and the length describe the slice, and the size is that of its items.
        let sent = unsafe { SendInput(inputs.len() as u32, inputs.as_ptr(), mem::size_of::<INPUT>() as i32) };
        if sent as usize == inputs.len() { Ok(()) } else { Err(wrong("Windows blocks clicks and keys of programs")) }
    }
}

/// Finds the topmost visible window of a class, without case.
fn find(class: &str) -> Option<HWND> {
    let mut search = Search { class, found: ptr::null_mut() };
    // SAFETY: `visit` reads the pointer as what it is, during this call only.
    unsafe { EnumWindows(Some(visit), &raw mut search as LPARAM) };
    (!search.found.is_null()).then_some(search.found)
}

struct Search<'a> {
    class: &'a str,
    found: HWND,
}

/// Is called for each window, from the topmost down, until it returns 0.
///
/// # Safety
///
/// `search` points to a [`Search`] that nothing else uses.
unsafe extern "system" fn visit(window: HWND, search: LPARAM) -> BOOL {
    // SAFETY: as above.
    let search = unsafe { &mut *(search as *mut Search) };
    let mut name = [0_u16; 256];
    // SAFETY: the length is that of the array.
    let length = unsafe { GetClassNameW(window, name.as_mut_ptr(), name.len() as i32) };
    let name = String::from_utf16_lossy(&name[..length.max(0) as usize]);
    let is_wanted = name.eq_ignore_ascii_case(search.class) && is_shown(window);
    if is_wanted {
        search.found = window;
    }
    BOOL::from(!is_wanted)
}

fn is_shown(window: HWND) -> bool {
    // SAFETY: the function accepts windows that are gone.
    unsafe { IsWindowVisible(window) != 0 }
}

fn place(window: HWND) -> Option<[i32; 4]> {
    let mut at = RECT { left: 0, top: 0, right: 0, bottom: 0 };
    // SAFETY: the function accepts windows that are gone, and writes to `at` only.
    let is_there = unsafe { IsWindow(window) != 0 && GetWindowRect(window, &mut at) != 0 };
    is_there.then_some([at.left, at.top, at.right - at.left, at.bottom - at.top])
}

fn pointer() -> [i32; 2] {
    let mut at = POINT { x: 0, y: 0 };
    // SAFETY: the function writes to `at` only.
    unsafe { GetCursorPos(&mut at) };
    [at.x, at.y]
}

fn mouse(flags: u32) -> INPUT {
    let mi = MOUSEINPUT { dx: 0, dy: 0, mouseData: 0, dwFlags: flags, time: 0, dwExtraInfo: 0 };
    INPUT { r#type: INPUT_MOUSE, Anonymous: INPUT_0 { mi } }
}

fn keyboard(key: u16, flags: u32) -> INPUT {
    let ki = KEYBDINPUT { wVk: key, wScan: 0, dwFlags: flags, time: 0, dwExtraInfo: 0 };
    INPUT { r#type: INPUT_KEYBOARD, Anonymous: INPUT_0 { ki } }
}

/// Copies a part of the screen, in rows from the top, as blue, green, red and an unused byte.
fn copy_screen([left, top]: [i32; 2], width: usize, height: usize) -> Option<Vec<u8>> {
    let mut header = BITMAPINFO::default();
    header.bmiHeader = BITMAPINFOHEADER {
        biSize: mem::size_of::<BITMAPINFOHEADER>() as u32,
        biWidth: width as i32,
        // Negative: rows begin at the top.
        biHeight: -(height as i32),
        biPlanes: 1,
        biBitCount: 32,
        biCompression: BI_RGB,
        ..BITMAPINFOHEADER::default()
    };
    let mut bytes = vec![0; 4 * width * height];
    // SAFETY: all handles are released below, and failed calls return null handles, which the other
    // functions refuse. `bytes` has room for the pixels that the header describes.
    let rows = unsafe {
        let screen = GetDC(ptr::null_mut());
        let memory = CreateCompatibleDC(screen);
        let bitmap = CreateCompatibleBitmap(screen, width as i32, height as i32);
        let old = SelectObject(memory, bitmap);
        let is_copied = BitBlt(memory, 0, 0, width as i32, height as i32, screen, left, top, SRCCOPY) != 0;
        SelectObject(memory, old);
        let rows = if is_copied {
            GetDIBits(memory, bitmap, 0, height as u32, bytes.as_mut_ptr().cast(), &mut header, DIB_RGB_COLORS)
        } else {
            0
        };
        DeleteObject(bitmap);
        DeleteDC(memory);
        ReleaseDC(ptr::null_mut(), screen);
        rows
    };
    (rows as usize == height).then_some(bytes)
}

impl Screen for Window {
    fn size(&mut self) -> Result<[usize; 2], Failure> {
        let [_, _, width, height] = self.place()?;
        Ok([width as usize, height as usize])
    }

    fn grab(&mut self, part: Rectangle) -> Result<Image, Failure> {
        let [left, top, ..] = self.place()?;
        let corner = [left + part.left as i32, top + part.top as i32];
        let bytes = copy_screen(corner, part.width, part.height)
            .ok_or_else(|| wrong("Windows did not copy the screen; the window may be on another desktop"))?;
        let pixels = bytes.chunks_exact(4).map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
        Ok(Image { width: part.width, height: part.height, pixels })
    }

    fn point(&mut self, [x, y]: [i32; 2]) -> Result<(), Failure> {
        let [left, top, ..] = self.place()?;
        // SAFETY: the function takes numbers.
        unsafe { SetCursorPos(left + x, top + y) };
        // Query the position, since the pointer stops at the edge of the screen.
        self.pointer = Some(pointer());
        Ok(())
    }

    fn click(&mut self) -> Result<(), Failure> {
        Self::send(&[mouse(MOUSEEVENTF_LEFTDOWN), mouse(MOUSEEVENTF_LEFTUP)])
    }

    fn key(&mut self, name: &str) -> Result<(), Failure> {
        let mut letters = name.chars();
        let key = match (letters.next(), name.get(1..).and_then(|number| number.parse::<u16>().ok())) {
            (Some('F'), Some(number @ 1..=12)) => Some(VK_F1 + number - 1),
            (Some(letter @ ' '..='~'), _) if letters.next().is_none() => {
                // SAFETY: the function takes a number. It returns -1 if there is no key.
                let key = unsafe { VkKeyScanW(letter as u16) };
                (key != -1).then_some(key as u16 & 0xff)
            }
            _ => None,
        };
        let key = key.ok_or_else(|| wrong(format!("the keyboard has no key `{name}`, which the skin uses")))?;
        // SAFETY: a window that has just been closed is an error that the function reports.
        unsafe { SetForegroundWindow(self.window) };
        Self::send(&[keyboard(key, 0), keyboard(key, KEYEVENTF_KEYUP)])
    }

    fn interruption(&mut self) -> Result<Option<&'static str>, Failure> {
        // SAFETY: the function takes a number. The result is negative while the key is down.
        if unsafe { GetAsyncKeyState(VK_ESCAPE.into()) } < 0 {
            return Ok(Some("Escape was pressed"));
        }
        let is_moved = self.pointer.is_some_and(|last| last != pointer());
        Ok(is_moved.then_some("the mouse was moved"))
    }

    fn obstruction(&mut self, part: Rectangle) -> Result<Option<String>, Failure> {
        let [left, top, ..] = self.place()?;
        let board = [left + part.left as i32, top + part.top as i32, part.width as i32, part.height as i32];
        // SAFETY: the function takes numbers.
        let desktop = [SM_XVIRTUALSCREEN, SM_YVIRTUALSCREEN, SM_CXVIRTUALSCREEN, SM_CYVIRTUALSCREEN]
            .map(|number| unsafe { GetSystemMetrics(number) });
        let reaches_beyond = |axis: usize| {
            board[axis] < desktop[axis] || board[axis] + board[axis + 2] > desktop[axis] + desktop[axis + 2]
        };
        if reaches_beyond(0) || reaches_beyond(1) {
            return Ok(Some("the window reaches beyond the screen".to_owned()));
        }
        let mut other = self.window;
        loop {
            // SAFETY: the function accepts windows that are gone, and returns null above the topmost.
            other = unsafe { GetWindow(other, GW_HWNDPREV) };
            if other.is_null() {
                return Ok(None);
            }
            let Some(place) = place(other) else { continue };
            let overlaps = |axis: usize| {
                place[axis] < board[axis] + board[axis + 2] && board[axis] < place[axis] + place[axis + 2]
            };
            if overlaps(0) && overlaps(1) && is_shown(other) {
                return Ok(Some("another window covers a part of it".to_owned()));
            }
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if let Some(program) = &mut self.program {
            // The started program may be a shell. It, or the window, may be gone already.
            // SAFETY: the function accepts windows that are gone.
            unsafe { PostMessageW(self.window, WM_CLOSE, 0, 0) };
            // Otherwise the next run could find this window, which closes meanwhile.
            let began = Instant::now();
            // SAFETY: as before.
            while unsafe { IsWindow(self.window) } != 0 && began.elapsed() < CLOSE_TIMEOUT {
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}
