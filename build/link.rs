//! Sets what depends on the target when the command is linked.

use embed_manifest::manifest::{ActiveCodePage, DpiAwareness, Setting, SupportedOS};
use embed_manifest::{embed_manifest, empty_manifest};

/// The stack of threads that clingo starts, and of the main thread on Windows. Without this, Windows
/// has two megabytes and musl 128 kB, too little for terms nested 100,000 deep. Windows reserves
/// addresses only, and its functions need more stack; musl grants no more than 8 MB.
const WINDOWS_STACK_BYTES: u32 = 256 << 20;
const MUSL_STACK_BYTES: u32 = 8 << 20;

/// The stack in the memory of WebAssembly; browsers limit the stack of calls themselves.
const WASM_STACK_BYTES: u32 = 8 << 20;

fn main() {
    println!("cargo:rerun-if-changed=build/link.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let (system, environment) = (variable("CARGO_CFG_TARGET_OS"), variable("CARGO_CFG_TARGET_ENV"));
    let architecture = variable("CARGO_CFG_TARGET_ARCH");
    if system == "wasi" {
        println!("cargo:rustc-link-arg-bins=-zstack-size={WASM_STACK_BYTES}");
        // The page calls this function.
        println!("cargo:rustc-link-arg-bins=--export=asp_solve_answer");
        return;
    }
    let option = match (system.as_str(), environment.as_str()) {
        ("windows", "msvc") => format!("/STACK:{WINDOWS_STACK_BYTES}"),
        ("windows", _) => format!("-Wl,--stack,{WINDOWS_STACK_BYTES}"),
        ("linux", "musl") => format!("-Wl,-z,stack-size={MUSL_STACK_BYTES}"),
        // A program at a fixed address starts a third faster: 55,000 pointers need no relocation.
        ("linux", "gnu") if architecture == "x86_64" => "-no-pie".to_owned(),
        _ => return,
    };
    println!("cargo:rustc-link-arg-bins={option}");
    if system == "windows" {
        // clingo opens files by names in the code page of the process; Rust passes UTF-8. A window
        // is measured in its own pixels.
        let manifest = empty_manifest()
            .name("asp-solve")
            .supported_os(SupportedOS::Windows7..=SupportedOS::Windows10)
            .active_code_page(ActiveCodePage::Utf8)
            .long_path_aware(Setting::Enabled)
            .dpi_awareness(DpiAwareness::PerMonitorV2);
        embed_manifest(manifest).expect("the manifest can be written");
    }
}
