//! Controls a real browser: reads the page, clicks and presses keys. Implements the DevTools
//! protocol over two pipes: JSON messages that end with a zero byte.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::process::*;

pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    last: u64,
    session: Value,
    /// Errors of scripts and violations of the page's policy.
    pub errors: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    pub fn start(browser: &Path) -> Self {
        let profile = crate::support::folder();
        let mut child = command_of("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"])
            .arg(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"])
            .args(["--remote-debugging-pipe", &format!("--user-data-dir={}", profile.path().display()), "about:blank"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let to = child.stdin.take().expect("the stream is piped");
        let mut lines = BufReader::new(child.stdout.take().expect("the stream is piped")).split(0);
        let (sender, from) = mpsc::channel();
        std::thread::spawn(move || {
            while let Some(Ok(message)) = lines.next() {
                let message = serde_json::from_slice(&message).expect("the browser speaks JSON");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser =
            Browser { child, to, from, last: 0, session: Value::Null, errors: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = attached["sessionId"].clone();
        for domain in ["Page", "Runtime", "Log", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        write!(self.to, "{message}\0").and_then(|()| self.to.flush()).expect("the browser accepts messages");
        loop {
            let mut answer = self.from.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {message}"));
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{message}: {answer}");
                return answer["result"].take();
            }
            let is_error = answer["params"]["entry"]["level"] == "error";
            if is_error || answer["method"] == "Runtime.exceptionThrown" {
                self.errors.push(answer["params"].to_string());
            }
        }
    }

    pub fn set_size(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700 });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    pub fn set_touch(&mut self, has_fingers: bool) {
        self.call("Emulation.setTouchEmulationEnabled", json!({ "enabled": has_fingers }));
    }

    /// Presses at the first point, moves over the others and releases at the last.
    pub fn drag(&mut self, points: &[(f64, f64)], by_finger: bool) {
        let first = points[0];
        let last = points[points.len() - 1];
        if by_finger {
            let touch = |kind: &str, at: &[(f64, f64)]| {
                let at: Vec<Value> = at.iter().map(|(x, y)| json!({ "x": x, "y": y })).collect();
                json!({ "type": kind, "touchPoints": at })
            };
            self.call("Input.dispatchTouchEvent", touch("touchStart", &[first]));
            for &point in &points[1..] {
                self.call("Input.dispatchTouchEvent", touch("touchMove", &[point]));
            }
            self.call("Input.dispatchTouchEvent", touch("touchEnd", &[]));
            return;
        }
        let mouse = |kind: &str, (x, y): (f64, f64), buttons: u32| json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", mouse("mousePressed", first, 1));
        for &point in &points[1..] {
            self.call("Input.dispatchMouseEvent", mouse("mouseMoved", point, 1));
        }
        self.call("Input.dispatchMouseEvent", mouse("mouseReleased", last, 0));
    }

    pub fn emulate_media(&mut self, feature: &str, value: &str) {
        self.call("Emulation.setEmulatedMedia", json!({ "features": [{ "name": feature, "value": value }] }));
    }

    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
    }

    /// Evaluates an expression on the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].take()
    }

    /// Waits until an expression is true.
    pub fn wait_until(&mut self, expression: &str) {
        let since = Instant::now();
        while self.evaluate(&format!("Boolean({expression})")) != true {
            if since.elapsed() > PATIENCE {
                let words = self.evaluate("document.body.innerText");
                panic!("never: {expression}\n{}\n{:?}", words.as_str().unwrap_or_default(), self.errors);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks the centre of the first element of a selector, once it is present, has stopped moving
    /// and is not covered.
    pub fn click(&mut self, selector: &str) {
        let steady = format!(
            "(async () => {{ const found = document.querySelector({}); if (!found?.getClientRects().length) return null; \
             found.scrollIntoView({{ block: 'nearest' }}); \
             const middle = () => {{ const box = found.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }}; \
             const before = middle(); await new Promise((seen) => setTimeout(seen, 50)); const after = middle(); \
             const hit = document.elementFromPoint(...after); \
             return String(before) === String(after) && found.contains(hit) ? after : null; }})()",
            json!(selector)
        );
        let since = Instant::now();
        let middle = loop {
            let middle = self.evaluate(&steady);
            if !middle.is_null() {
                break middle;
            }
            assert!(since.elapsed() < PATIENCE, "never to be clicked: {selector}");
        };
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": middle[0], "y": middle[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key, such as `a`, or a key with Ctrl, such as `Ctrl+s`.
    pub fn key(&mut self, name: &str) {
        let (held, key) = name.strip_prefix("Ctrl+").map_or((0, name), |key| (2, key));
        let text = match key {
            "Enter" => "\r",
            _ if key.chars().count() == 1 && held == 0 => key,
            _ => "",
        };
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Backspace" => 8,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Home" => 36,
            "End" => 35,
            "Escape" => 27,
            // The codes of other characters belong to other keys.
            _ => match key.to_ascii_uppercase().as_bytes() {
                &[letter] if letter.is_ascii_alphanumeric() => u32::from(letter),
                _ => 0,
            },
        };
        let down =
            json!({ "type": "keyDown", "key": key, "text": text, "modifiers": held, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", down);
        let up = json!({ "type": "keyUp", "key": key, "modifiers": held, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", up);
    }

    /// Types a text at the caret, key by key.
    pub fn write(&mut self, text: &str) {
        for letter in text.chars() {
            self.key(&letter.to_string());
        }
    }

    /// Returns a screenshot in PNG.
    pub fn screenshot(&mut self) -> Vec<u8> {
        let picture = self.call("Page.captureScreenshot", json!({ "format": "png" }))["data"].take();
        let bytes = self.evaluate(&format!("Array.from(atob({picture}), (sign) => sign.charCodeAt(0))"));
        serde_json::from_value(bytes).expect("bytes")
    }

    /// Returns the role and name of each node of the accessibility tree.
    pub fn accessible_nodes(&mut self) -> Vec<(String, String)> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
        let nodes = tree["nodes"].as_array().expect("nodes").iter();
        nodes.filter(|node| node["ignored"] != true).map(|node| (text(&node["role"]), text(&node["name"]))).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
