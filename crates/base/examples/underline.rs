//! Underlines each predicate of a logic program that begins with a capital letter, as a variable
//! does.

use annotate_snippets::{Group, Level, Renderer};
use base::diagnostic::{Code, Diagnostic, Place};
use base::document::Document;
use base::syntax::tokens;
use base::underlined::excerpts;

fn capital_predicates(document: &Document) -> Vec<Diagnostic> {
    let following = tokens(&document.text).skip(1);
    let pairs = tokens(&document.text).zip(following);
    let wrong = pairs.filter(|(name, next)| next.text == "(" && name.text.starts_with(char::is_uppercase));
    let diagnostic = |name: &str, range| {
        let mut place = Place::of_range(&document.name, &document.text, range);
        place.label = format!("expected a name such as `{}`", name.to_lowercase());
        Diagnostic::error(Code::CapitalPredicate, format!("`{name}` is a variable")).at(Some(place))
    };
    wrong.map(|(name, _)| diagnostic(name.text, name.range())).collect()
}

fn main() {
    let text = "node(1..3).\nedge(N, M) :- node(N), Node(M), N < M.   % Not(a, word)\n";
    let document = Document::in_memory("graph.lp", text);
    for diagnostic in capital_predicates(&document) {
        let excerpts = excerpts(&diagnostic.labels, |_| Some(document.text.as_ref().into()));
        let title = Level::ERROR.primary_title(&diagnostic.message);
        let elements = excerpts.iter().map(|excerpt| excerpt.element(|_| true));
        println!("{}", Renderer::plain().render(&[Group::with_title(title).elements(elements)]));
        println!("{}", diagnostic.json());
    }
}
