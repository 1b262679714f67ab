//! Tests drawings that a second program (`--draw`) derives from answers, and the predicates of
//! clingraph in them.

use serde_json::{Value, json};

use crate::support::{RunOutput, answers, file, folder, run_line, run_with_input};

/// Runs a program with a second program that draws its answers.
fn run_with_drawing(program: &str, drawing: &str, options: &str) -> RunOutput {
    let folder = folder();
    let program = file(folder.path(), "program.lp", program);
    let drawing = file(folder.path(), "drawing.lp", drawing);
    run_line(&format!("{} --draw {} {options}", program.display(), drawing.display()))
}

/// Returns the Graphviz output for a drawing of a program that shows only `p(1..2)`.
fn dot(drawing: &str, options: &str) -> String {
    let ran = run_with_drawing("p(1..2).", drawing, &format!("-f dot {options}"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran.out
}

fn shown_atoms(ran: &RunOutput) -> Vec<Value> {
    answers(&ran.json()).iter().map(|answer| answer["atoms"].clone()).collect()
}

const PICKED: &str = "#const n = 2. { p(1..n) } = 1. q(3). #show p/1.";

#[test]
fn drawing_rules_read_the_answer_and_do_not_change_it() {
    let drawing = "#const n = 5. draw(cell(1,1..n)). draw(found(1,X,x)) :- p(X). draw(found(1,X,y)) :- q(X).\n\
        q(4) :- p(2). p(3) :- p(1).";
    let ran = run_with_drawing(PICKED, drawing, "-n 0 -f json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(shown_atoms(&ran), [json!(["p(1)"]), json!(["p(2)"])]);
    let value = ran.json();
    let grids: Vec<&Value> = answers(&value).iter().map(|answer| &answer["grid"][0]).collect();
    // The drawing does not see the hidden atom q(3), and atoms derived by the drawing are in no
    // answer.
    assert_eq!(grids, [&json!(["x", null, "x", null, null]), &json!([null, "x", null, "y", null])]);
}

#[test]
fn constants_of_the_command_line_also_apply_to_the_drawing() {
    let ran = run_with_drawing(PICKED, "#const n = 5. draw(cell(1,1..n)).", "-n 0 -f json -c n=3");
    let value = ran.json();
    assert_eq!(answers(&value).len(), 3);
    assert_eq!(answers(&value)[0]["grid"], json!([[null, null, null]]));
}

#[test]
fn drawings_with_no_or_several_answer_sets_keep_all_answers_and_are_reported() {
    let ran = run_with_drawing(PICKED, "draw(cell(1,X)) :- p(X). :- p(1).", "-n 0 -f json");
    assert_eq!((ran.code, shown_atoms(&ran).len()), (0, 2), "{}", ran.err);
    assert!(ran.err.contains("an answer is not drawn: the drawing has no answer set with its atoms"), "{}", ran.err);
    let ran = run_with_drawing(PICKED, "draw(cell(1,1)). { draw(cell(1,2)) }.", "-n 0 -f json");
    assert_eq!((ran.code, shown_atoms(&ran).len()), (0, 2), "{}", ran.err);
    assert_eq!(
        ran.err.matches("the drawing has several answer sets for one answer; the first is drawn").count(),
        1,
        "{}",
        ran.err
    );
    let ran = run_with_drawing(PICKED, "draw(cell(1,1)) :- shown.", "-f json");
    assert!(ran.code == 0 && ran.err.contains("nothing is drawn for an answer"), "{}", ran.err);
    let ran =
        run_with_drawing(PICKED, "draw(cell(1,1)).\n#program base.\n#program step(t).\ndraw(cell(t,1)).", "-f json");
    assert!(ran.code == 0 && ran.err.contains("drawing.lp:3:1") && ran.err.contains("has no steps"), "{}", ran.err);
    assert_eq!(ran.err.matches("has no steps").count(), 1, "{}", ran.err);
    let ran = run_with_drawing(PICKED, "draw(cell(1,1)). :- p(_).", "-f svg");
    assert!(ran.code == 2 && ran.err.contains("the drawing has no answer set"), "{}", ran.err);
}

#[test]
fn streams_and_batches_contain_only_the_answers_of_the_program() {
    let drawing = "draw(cell(1,1..3)). draw(symbol(1,X,star)) :- p(X). :- p(1).";
    let ran = run_with_drawing(PICKED, drawing, "-n 0 -f asp");
    assert!(ran.code == 30 && ran.out.contains("p(1)") && !ran.out.contains("draw("), "{}\n{}", ran.out, ran.err);
    let folder = folder();
    let drawing = file(folder.path(), "drawing.lp", "draw(caption(N)) :- mines(N). :- not mines(_).");
    let batch = "{\"id\": 1, \"instance\": \"mines 1\\n1?\\n\"}\n{\"id\": 2, \"instance\": \"mines 2\\n2?\\n??\\n\"}\n";
    let line = format!("- --batch -p minesweeper --draw {}", drawing.display());
    let ran = run_with_input(&line, batch);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2, "{}", ran.err);
    assert!(lines.iter().all(|line| line["verdict"] == "solved"), "{}", ran.out);
}

#[test]
fn shown_terms_are_drawn_and_hidden_atoms_are_not() {
    let folder = folder();
    let program = "p(1..2). node(7). edge(1,2). #show. #show node(X) : p(X). #show edge((X,Y)) : edge(X,Y).";
    let program = file(folder.path(), "program.lp", program);
    let ran = run_line(&format!("{} -f dot", program.display()));
    assert_eq!(ran.out, "graph \"default\" {\n  \"1\";\n  \"2\";\n  \"1\" -- \"2\";\n}\n", "{}", ran.err);
    // Edges in the textbook notation `edge(X,Y)` are ignored if there are others.
    let text = dot("node(X) :- p(X). edge(1,2). edge((2,1)).", "");
    assert_eq!(text.matches("--").count(), 1, "{text}");
}

#[test]
fn options_set_prefix_type_and_default_graph_of_clingraph() {
    let drawing = "v_node(X) :- p(X). v_edge((1,2)). node(9). v_attr(node,1,color,red). v_graph(mine).";
    let text = dot(drawing, "--prefix v_ --type digraph --default-graph mine");
    assert_eq!(text, "digraph \"mine\" {\n  \"1\" [\"color\"=\"red\"];\n  \"2\";\n  \"1\" -> \"2\";\n}\n");
    let text = dot("node(1). attr(graph,default,type,graph).", "--type digraph");
    assert!(text.starts_with("graph \"default\""), "{text}");
    let ran = run_with_drawing("p(1).", "node(1).", "--type tree -f dot");
    assert!(ran.code == 2 && ran.err.contains("graph, digraph"), "{}", ran.err);
}

/// Calls of functions with their values in clingraph 1.2.
const CALLS: [(&str, &str); 23] = [
    ("@pos(1,2)", "1.0,2.0!"),
    ("@pos(3,-2,\"0.5\")", "1.5,-1.0!"),
    ("@concat(a,\" b \",f(1),2)", "a b f(1)2"),
    ("@concat()", ""),
    ("@format(\"{} of {}\",1,b)", "1 of b"),
    ("@format(\"{1}-{0} {{x}}\",1,\"b\")", "b-1 {x}"),
    ("@format(\"{0}+{1}\",(1,2))", "1+2"),
    ("@replace(\"a-b-c\",\"-\",\"+\")", "a+b+c"),
    ("@stringify(living_room)", "living room"),
    ("@stringify(living_room,true)", "Living room"),
    ("@cluster(bath)", "cluster_bath"),
    ("@html_escape(\"a<b>&c:d\")", "a&lt;b&gt;&amp;c&#58;d"),
    ("@decodeB64(\"cXVlZW5z\")", "queens"),
    ("@color(primary)", "#0052CC"),
    ("@color(yellow,50)", "#FFAB0050"),
    ("@color(green,5)", "#36B37E05"),
    ("@color(nocolour)", "#000000"),
    ("@svg(click,f(1),visibility,visible)", "click___f(1)___visibility___visible "),
    ("@svg_init(\"color\",red)", "init___color___red "),
    ("@svg_color()", "#111111"),
    ("@clinguin_fontname()", "Helvetica Neue"),
    ("@clinguin_fontname", "Helvetica Neue"),
    ("@stringify(\"\")", ""),
];

#[test]
fn functions_of_clingraph_are_evaluated_in_drawings() {
    for (call, value) in CALLS {
        let text = dot(&format!("node(a). attr(node,a,xlabel,{call})."), "");
        assert!(text.contains(&format!("\"xlabel\"=\"{value}\"")), "{call}: {text}");
    }
    for (call, expected) in [
        ("@colour(red)", "@concat, @format"),
        ("@pos(a,2)", "numbers, not a"),
        ("@format(\"{}{}\",1)", "an argument for {}"),
        ("@format(\"{\",1)", "each { with its }"),
        ("@cluster(1,2)", "expected @cluster(Graph)"),
    ] {
        let ran = run_with_drawing("p(1).", &format!("node(a).\nattr(node,a,xlabel,{call})."), "-f dot");
        assert!(ran.code == 2 && ran.err.contains("has no value") && ran.err.contains(expected), "{call}: {}", ran.err);
        assert!(ran.err.contains("drawing.lp:2:20"), "{}", ran.err);
    }
}

#[test]
fn templates_follow_jinja() {
    let labels = "node(m). attr(node,m,(label,name),\"Mo\"). attr(node,m,(label,of,b),2). attr(node,m,(label,of,a),1).";
    for (template, value) in [
        ("{{name}} {{ of['a'] }}{{of.b}}", "Mo 12"),
        ("{% if name %}yes{% else %}no{% endif %} {% if other %}yes{% else %}no{% endif %}", "yes no"),
        ("{%if other is defined%}1{%elif name is defined and not other%}2{%else%}3{%endif%}", "2"),
        ("{% if name == 'Mo' %}a{% endif %}{% if name != 'Mo' %}b{% endif %}", "a"),
        ("{% for k, v in of.items() %}{{k}}={{v}} {% endfor %}.", "a=1 b=2 ."),
        ("{% for k in of %}{{k}}{% endfor %}{% for v in nothing %}x{% endfor %}", "ab"),
        ("{{name | upper}} {{ unknown }}{", "MO {"),
        ("{% if name == 'Mo and Li' or name == 'a or b' %}x{% else %}{{ unknown.key }}y{% endif %}", "y"),
        ("{% for k, v in data | dictsort %}{{k}}:{{v}} {% endfor %}.", "name:Mo of:12 ."),
        ("{% for v in of.values() %}{{v}}{% endfor %}{% for v in of %}{{loop.index}}{% endfor %}", "1212"),
    ] {
        let text = dot(&format!("{labels} attr(node,m,label,\"{template}\")."), "");
        assert!(text.contains(&format!("\"label\"=\"{value}\"")), "{template}: {text}");
    }
    for template in ["{% macro x %}", "{% if name %}", "{% for k in of %}", "{{ f(name) }}", "{% endif %}"] {
        let ran = run_with_drawing("p(1).", &format!("{labels} attr(node,m,label,\"{template}\")."), "-f dot");
        assert!(ran.code == 2 && ran.err.contains("the attribute label of the node m"), "{template}: {}", ran.err);
    }
    let loops = "{% for a in of %}".repeat(30) + &"{% endfor %}".repeat(30);
    let ran = run_with_drawing("p(1).", &format!("{labels} attr(node,m,label,\"{loops}\")."), "-f dot");
    assert!(ran.code == 2 && ran.err.contains("more than 100000 pieces"), "{}", ran.err);
}

fn svg(drawing: &str) -> String {
    let ran = run_with_drawing("p(1..2).", drawing, "-f svg");
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran.out
}

#[test]
fn labels_have_lines_and_sizes_and_colours_of_schemes() {
    let picture = svg(
        "node(a). attr(node,a,label,\"<<b>one</b> x<sub>12</sub><br/><table><tr><td>two</td></tr></table>>\").\n\
        attr(node,a,fontsize,50). attr(node,a,style,filled). attr(node,a,colorscheme,blues9). attr(node,a,fillcolor,9).\n\
        node(b). attr(node,b,style,filled). attr(node,b,fillcolor,gray35). node(c). attr(node,c,style,filled).\n\
        attr(node,c,fillcolor,\"#00000080\"). node(d). attr(node,d,label,\"up\\\\ndown\").",
    );
    for part in [">one x₁₂<", ">two<", "font-size=\"33.3\"", "fill=\"#08306b\"", "fill=\"#595959\"", ">up<", ">down<"]
    {
        assert!(picture.contains(part), "{part} is not in {picture}");
    }
    assert!(picture.contains("fill=\"#7f7f7f\"") || picture.contains("fill=\"#808080\""), "{picture}");
    let point =
        svg("node(a). attr(node,a,shape,point). attr(node,a,color,white). attr(node,a,fillcolor,\"#00008b\").\n\
        attr(node,a,fillcolor,\"#ffffff\").");
    assert!(point.contains("fill=\"#00008b\" stroke=\"#ffffff\""), "{point}");
}

#[test]
fn graphs_with_positioned_nodes_are_drawn_side_by_side_in_order() {
    let drawing = "graph(T) :- T = 9..11. node((X,T),T) :- T = 9..11, X = 0..1. attr(node,(X,T),pos,@pos(X,0)) :- node((X,T),T).\n\
        attr(node,(X,T),label,T) :- node((X,T),T). attr(graph,T,label,@concat(\"time \",T)) :- graph(T).";
    let picture = svg(drawing);
    let place = |text: &str| picture.find(text).unwrap_or_else(|| panic!("{text} is not in {picture}"));
    assert!(place(">time 9<") < place(">time 10<") && place(">time 10<") < place(">time 11<"), "{picture}");
    let places: std::collections::BTreeSet<&str> = picture
        .lines()
        .filter(|line| [">9<", ">10<", ">11<"].iter().any(|label| line.contains(label)))
        .filter_map(|line| line.split("translate(").nth(1)?.split(')').next())
        .collect();
    assert_eq!(places.len(), 6, "{picture}");
    let ground = svg("node(a). attr(graph,default,bgcolor,gray20).");
    assert!(ground.contains("fill=\"#333333\""), "{ground}");
}

#[test]
fn only_pictures_with_interactive_classes_have_a_script() {
    assert!(!svg("node(a).").contains("<script>"));
    let picture = svg("node(a). node(b). edge((a,b)). attr(node,N,style,filled) :- node(N).\n\
        attr(node,N,fillcolor,@svg_color()) :- node(N). attr(node,b,class,@svg_init(visibility,hidden)).\n\
        attr(node,b,class,@svg(click,a,visibility,visible)). attr(edge,(a,b),class,@svg(click,a,opacity,\"0.5\")).");
    for part in [
        "data-id=\"b\" data-reacts=\"click___a___visibility___visible  init___visibility___hidden \" style=\"visibility:hidden;\"",
        "data-id=\"(a,b)\" data-reacts=\"click___a___opacity___0.5 \" style=\"\"",
        "fill=\"currentColor\"",
    ] {
        assert!(picture.contains(part), "{part} is not in {picture}");
    }
    assert_eq!(picture.matches("<script>").count(), 1);
}

#[test]
fn built_in_drawing_rules_draw_answers() {
    for (line, parts) in [
        ("instances/minesweeper.txt -e torus --draw minesweeper/drawing.lp", ["<svg", "#d9d9d4"]),
        ("instances/taquin_near.txt --draw taquin/drawing.lp", ["<animate", ">move 1<"]),
        ("instances/deponia.lp --draw rail/drawing.lp", ["<svg", "#1d4de2"]),
    ] {
        let ran = run_line(&format!("{line} -f svg"));
        assert_eq!(ran.code, 0, "{line}: {}", ran.err);
        assert!(parts.iter().all(|part| ran.out.contains(part)), "{line}: {}", ran.out);
    }
}
