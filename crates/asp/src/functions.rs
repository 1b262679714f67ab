//! The functions that a program may call as `@name(…)`. All are pure: the functions of clingraph,
//! which map terms to a string, and some that usually need a script.
//!
//! | function | value |
//! |---|---|
//! | `@length(A)` | the number of characters of a text |
//! | `@split(Text,Between)` | the parts of a text with their numbers: `(1,"a")`, `(2,"b")` |
//! | `@sqrt(N)` | the square root of a number, rounded down |
//! | `@min(A,…)`, `@max(A,…)` | the least and the greatest argument in clingo's order |
//! | `@pos(X,Y)`, `@pos(X,Y,Scale)` | a value for the attribute `pos`: `"1.0,2.0!"` |
//! | `@concat(A,…)` | the concatenation of its arguments |
//! | `@format(Text,A,…)` | the text with its arguments in place of `{}`, or `{0}`, `{1}`, …; a single tuple supplies the arguments |
//! | `@replace(Text,Old,New)` | the text with each `Old` replaced by `New` |
//! | `@stringify(A)`, `@stringify(A,true)` | the text with blanks for `_`; the second form capitalises the first letter |
//! | `@cluster(Graph)` | the name of a subgraph in Graphviz, for `lhead` and `ltail` |
//! | `@html_escape(A)` | the text, escaped for an HTML label |
//! | `@decodeB64(Text)` | the text decoded from base 64 |
//! | `@color(Name)`, `@color(Name,Opacity)` | a colour: primary, secondary, success, info, warning, danger, light, or the common name of one |
//! | `@svg(Event,Element,Property,Value)` | for the attribute `class`: the event at the element sets the CSS property |
//! | `@svg_init(Property,Value)`, `@svg_color()` | the initial value of the property; the colour that `color` sets |
//! | `@clinguin_fontname()` | the name of a font |

use base::diagnostic::{Code, Diagnostic};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::ffi::{self, FunctionCall, Symbol, signature_of};
use super::symbols::{to_text, to_text_truncated};

/// The functions with their usage.
pub const ALL: [(&str, &str); 18] = [
    ("clinguin_fontname", "@clinguin_fontname()"),
    ("cluster", "@cluster(Graph)"),
    ("color", "@color(Name) or @color(Name,Opacity)"),
    ("concat", "@concat(A,…)"),
    ("decodeB64", "@decodeB64(Text)"),
    ("format", "@format(Text,A,…)"),
    ("html_escape", "@html_escape(A)"),
    ("length", "@length(A)"),
    ("max", "@max(A,…)"),
    ("min", "@min(A,…)"),
    ("pos", "@pos(X,Y) or @pos(X,Y,Scale)"),
    ("replace", "@replace(Text,Old,New)"),
    ("split", "@split(Text,Between)"),
    ("sqrt", "@sqrt(N)"),
    ("stringify", "@stringify(A) or @stringify(A,true)"),
    ("svg", "@svg(Event,Element,Property,Value)"),
    ("svg_color", "@svg_color()"),
    ("svg_init", "@svg_init(Property,Value)"),
];

/// The functions that are not about drawings.
const GENERAL: [&str; 8] = ["concat", "format", "replace", "length", "split", "sqrt", "min", "max"];

/// Returns the usage of a built-in function.
pub fn usage(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, usage)| *usage)
}

/// Returns the names of all functions: `@concat, …; for drawings @cluster, …`
pub fn names() -> String {
    let list = |names: &[&str]| names.iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(", ");
    let of_drawings: Vec<&str> = ALL.iter().map(|(name, _)| *name).filter(|name| !GENERAL.contains(name)).collect();
    format!("{}; for drawings {}", list(&GENERAL), list(&of_drawings))
}

/// The value of `@svg_color()`.
pub const SVG_COLOR: &str = "#111111";

/// Evaluates a function call. The error describes the expected arguments.
pub fn evaluate(call: &FunctionCall<'_>) -> Result<Vec<Symbol>, String> {
    let &FunctionCall { name, arguments, .. } = call;
    let plain = |symbol: Symbol| symbol.string().unwrap_or_else(|_| to_text(symbol));
    let result = match (name, arguments) {
        ("length", &[whole]) => ffi::number(plain(whole).chars().count() as i32),
        ("min", [_, ..]) => arguments.iter().copied().min().expect("one at least"),
        ("max", [_, ..]) => arguments.iter().copied().max().expect("one at least"),
        ("sqrt", &[number]) => {
            let number = number.number().ok().and_then(i32::checked_isqrt);
            ffi::number(number.ok_or("a number that is not negative")?)
        }
        ("split", &[whole, between]) => {
            let (whole, between) = (plain(whole), plain(between));
            if between.is_empty() {
                return Err("a second text that is not empty".to_owned());
            }
            let parts = whole.split(&between).enumerate();
            let numbered = parts.map(|(at, part)| ffi::function("", &[ffi::number(at as i32 + 1), ffi::string(part)?]));
            return Ok(numbered.map(|part| part.expect("clingo's texts have no NUL")).collect());
        }
        _ => value(name, arguments)?,
    };
    Ok(vec![result])
}

/// Returns the error for a call that has no value.
pub fn invalid_call(call: &FunctionCall<'_>, expected: &str) -> Diagnostic {
    let name = call.name;
    let arguments = call.arguments.iter().map(|&argument| to_text_truncated(argument)).collect::<Vec<_>>().join(",");
    let text = format!("@{name}({arguments}) has no value");
    Diagnostic::error(Code::UndefinedOperation, text).at(Some(call.place())).help(format!("expected {expected}"))
}

fn value(name: &str, arguments: &[Symbol]) -> Result<Symbol, String> {
    let texts: Vec<String> = arguments.iter().copied().map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let value = match (name, &texts[..]) {
        ("pos", [x, y, scale @ ..]) if scale.len() < 2 => {
            let number = |text: &str| text.parse::<f64>().map_err(|_| format!("numbers, not {text}"));
            let scale = scale.first().map_or(Ok(1.0), |scale| number(scale))?;
            format!("{:?},{:?}!", number(x)? * scale, number(y)? * scale)
        }
        ("concat", parts) => parts.concat(),
        ("format", [template, parts @ ..]) => {
            let tuple =
                arguments[1..].first().filter(|&&part| signature_of(part).is_some_and(|(name, _)| name.is_empty()));
            match tuple.filter(|_| parts.len() == 1).and_then(|tuple| tuple.arguments().ok()) {
                Some(tuple) => format_template(template, &tuple.into_iter().map(text).collect::<Vec<_>>())?,
                None => format_template(template, parts)?,
            }
        }
        ("replace", [text, old, new]) => text.replace(old, new),
        ("stringify", [text, capital @ ..]) if capital.len() < 2 => {
            let plain = text.replace('_', " ");
            let mut signs = plain.chars();
            match signs.next().filter(|_| !capital.is_empty()) {
                Some(first) => first.to_uppercase().chain(signs).collect(),
                None => plain,
            }
        }
        ("cluster", [graph]) => format!("cluster_{graph}"),
        ("html_escape", [text]) => {
            const SIGNS: [(char, &str); 5] =
                [('&', "&amp;"), ('"', "&quot;"), ('<', "&lt;"), ('>', "&gt;"), (':', "&#58;")];
            SIGNS.iter().fold((*text).to_owned(), |text, &(sign, name)| text.replace(sign, name))
        }
        ("decodeB64", [text]) => decode_base64(text).ok_or("a text in base 64")?,
        ("color", [name, opacity @ ..]) if opacity.len() < 2 => {
            let color = match *name {
                "primary" | "blue" => "#0052CC",
                "secondary" | "purple" => "#6554C0",
                "success" | "green" => "#36B37E",
                "info" | "gray" => "#B3BAC5",
                "warning" | "yellow" => "#FFAB00",
                "danger" | "red" => "#FF5630",
                "light" => "#F4F5F7",
                _ => "#000000",
            };
            // As in clingraph, the opacity is appended as decimal digits.
            let opacity =
                opacity.first().and_then(|opacity| opacity.parse::<u8>().ok()).filter(|&opacity| opacity < 100);
            opacity.map_or(color.to_owned(), |opacity| format!("{color}{opacity:02}"))
        }
        ("svg", [event, element, property, value]) => format!("{event}___{element}___{property}___{value} "),
        ("svg_init", [property, value]) => format!("init___{property}___{value} "),
        ("svg_color", []) => SVG_COLOR.to_owned(),
        ("clinguin_fontname", []) => "Helvetica Neue".to_owned(),
        _ => return Err(usage(name).map_or_else(|| format!("one of {}", names()), str::to_owned)),
    };
    ffi::string(&value).ok_or_else(|| "a text without a NUL byte".to_owned())
}

/// Formats a symbol as clingo does, without enclosing quotes.
fn text(symbol: Symbol) -> String {
    to_text(symbol).trim_matches('"').to_owned()
}

/// Formats like Python's `str.format`: `{}` is the next part, `{1}` the part with this index, and
/// `{{` a brace.
fn format_template(template: &str, parts: &[impl AsRef<str>]) -> Result<String, String> {
    let mut text = String::new();
    let mut next = 0;
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let sign = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(tail) = rest.strip_prefix(sign) {
            text.push_str(sign);
            rest = tail;
            continue;
        }
        let (field, tail) = rest.split_once('}').filter(|_| sign == "{").ok_or("each { with its }")?;
        rest = tail;
        let number =
            if field.is_empty() { next } else { field.parse().map_err(|_| format!("a number in {{{field}}}"))? };
        next += 1;
        text.push_str(parts.get(number).ok_or_else(|| format!("an argument for {{{field}}}"))?.as_ref());
    }
    Ok(text + rest)
}

/// Decodes base 64 and ignores all other characters.
fn decode_base64(text: &str) -> Option<String> {
    let digits: String =
        text.chars().filter(|&sign| sign.is_ascii_alphanumeric() || matches!(sign, '+' | '/')).collect();
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone);
    let bytes = GeneralPurpose::new(&STANDARD, config).decode(digits).ok()?;
    String::from_utf8(bytes).ok()
}
