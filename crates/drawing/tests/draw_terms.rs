//! Tests drawings of atoms: in text, as pictures and as graphs, and their errors.

use std::collections::{BTreeMap, BTreeSet};

use asp::parse_term;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use base::style::Style;
use drawing::Drawing;
use picture::Rgb;
use picture::graph::{Node, Shape, dot};

fn read(atoms: &str) -> Result<(Drawing, Vec<Diagnostic>), Failure> {
    let atom = |text: &str| parse_term(text).unwrap_or_else(|| panic!("{text} is an atom"));
    Drawing::of(&atoms.split_whitespace().map(atom).collect::<Vec<_>>(), "board.lp")
}

fn drawing_of(atoms: &str) -> Drawing {
    read(atoms).unwrap_or_else(|failure| panic!("{atoms}: {failure}")).0
}

/// Adds `draw(`…`)` around each element.
fn drawing_of_elements(things: &str) -> Drawing {
    drawing_of(&things.split_whitespace().map(|thing| format!("draw({thing}) ")).collect::<String>())
}

fn cells(rows: i32, columns: i32) -> String {
    (1..=rows).flat_map(|row| (1..=columns).map(move |column| format!("cell({row},{column}) "))).collect()
}

fn plain_text(drawing: &Drawing) -> String {
    drawing.text(&Style::default())
}

fn lines(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn given_values_are_bracketed_next_to_found_values_and_thick_borders_are_heavy() {
    let drawing = drawing_of_elements(
        "given(1,1,3) found(1,2,4) found(2,1,12) cell(2,2) border(1,1,1,2,thick) border(2,1,2,2,thick)",
    );
    let expected = ["┏━━━┳━━━┓", "┃[3]┃ 4 ┃", "┠───╂───┨", "┃ 12┃   ┃", "┗━━━┻━━━┛"];
    assert_eq!(plain_text(&drawing), lines(&expected));
}

#[test]
fn a_loop_through_cells_is_drawn_with_its_bends() {
    let drawing = drawing_of_elements(
        &(cells(3, 3) + "line(1,1,1,3) line(1,3,2,3) line(2,3,2,1) line(2,1,1,1) symbol(1,2,circle) symbol(3,3,disc)"),
    );
    let expected = [
        "·   ·   ·   ·",
        "  ┌───○───┐",
        "· │ ·   · │ ·",
        "  └───────┘",
        "·   ·   ·   ·",
        "          ●",
        "·   ·   ·   ·",
    ];
    assert_eq!(plain_text(&drawing), lines(&expected));
}

#[test]
fn a_loop_along_edges_is_heavy_among_dots() {
    let drawing = drawing_of_elements(
        &(cells(2, 2)
            + "given(1,2,2) edge(1,1,1,2) edge(1,2,2,2) edge(2,2,2,3) edge(2,3,3,3) edge(3,3,3,1) edge(3,1,1,1)"),
    );
    let expected = ["┏━━━┓   ·", "┃   ┃ 2", "┃   ┗━━━┓", "┃       ┃", "┗━━━━━━━┛"];
    assert_eq!(plain_text(&drawing), lines(&expected));
}

#[test]
fn bridges_are_single_and_double_and_circles_hold_their_numbers() {
    let bare = ["1", "3"].map(|column| {
        format!("border(0,{column},1,{column},none) border(1,{column},2,{column},none) given(1,{column},{column}) symbol(1,{column},circle) ")
    });
    let drawing = drawing_of_elements(
        &(bare.concat() + "double(1,1,1,3) given(2,3,1) line(1,3,2,3) border(1,0,1,1,none) border(1,1,1,2,none)"),
    );
    assert!(plain_text(&drawing).contains("(1)═════(3)"), "{}", plain_text(&drawing));
}

#[test]
fn hexagons_are_bricks_in_text_and_have_six_corners_in_pictures() {
    let comb = "lattice(hexagons) given(1,1,3) cell(1,2) cell(2,1) found(2,2,5) ";
    let walls = drawing_of_elements(&(comb.to_owned() + "border(1,2,2,1,thick)"));
    let expected = ["┏━━━┯━━━┓", "┃[3]│   ┃", "┗━┱─┶━┭─┺━┓", "  ┃   │ 5 ┃", "  ┗━━━┷━━━┛"];
    assert_eq!(plain_text(&walls), lines(&expected));
    let path = drawing_of_elements(&(comb.to_owned() + "cell(3,1) cell(3,2) line(2,1,3,2) line(2,1,2,2)"));
    assert!(plain_text(&path).contains("•───5") && plain_text(&path).contains('╲'), "{}", plain_text(&path));
    let svg = walls.picture("", &CancelToken::new()).svg();
    let ground = svg.lines().find(|mark| mark.contains("fill=\"#ffffff\"")).expect("the ground of all cells");
    assert_eq!(ground.matches('L').count(), 4 * 6, "six sides each: {ground}");
}

#[test]
fn triangles_point_up_or_down() {
    let drawing = drawing_of_elements("lattice(triangles) given(1,1,3) cell(1,2) found(2,1,5) cell(2,2)");
    assert_eq!(plain_text(&drawing), lines(&["    ─────", "╱[3]╲   ╱", "─────", "╲ 5 ╱   ╲", "    ─────"]));
}

#[test]
fn adjacency_depends_on_the_lattice() {
    let failure = |things: &str| {
        let atoms: String = things.split_whitespace().map(|thing| format!("draw({thing}) ")).collect();
        read(&atoms).expect_err("the atoms are invalid").to_string()
    };
    assert!(failure("lattice(hexagons) border(1,1,2,2,thick)").contains("do not touch"));
    assert!(failure("lattice(triangles) line(1,1,3,1)").contains("do not touch"));
    assert!(failure("lattice(hexagons) diagonal(1,1,up)").contains("it requires squares"));
    assert!(failure("lattice(octagons)").contains("expected one of squares, hexagons, triangles"));
    assert!(failure("lattice(hexagons) lattice(triangles)").contains("the same lattice"));
    assert!(failure("line(1,1,2,3)").contains("not in the same row, column or diagonal"));
    for pair in ["(1,1),(2,1)", "(1,2),(2,1)", "(2,1),(3,1)", "(2,1),(3,2)"] {
        drawing_of_elements(&format!("lattice(hexagons) edge{}", pair.replace("),(", ",")));
    }
}

#[test]
fn lines_may_be_diagonal() {
    let drawing = drawing_of_elements(&(cells(3, 3) + "line(1,1,3,3) line(1,2,2,1) found(3,1,7)"));
    let expected =
        ["·   ·   ·   ·", "  ╲   ╱", "·   ╳   ·   ·", "  ╱   ╲", "·   ·   ╲   ·", "  7       ╲", "·   ·   ·   ·"];
    assert_eq!(plain_text(&drawing), lines(&expected));
    let svg = drawing.picture("", &CancelToken::new()).svg();
    assert!(svg.contains("M48 48L80 80") && svg.contains("M80 48L48 80"), "{svg}");
}

#[test]
fn corner_texts_are_on_both_sides_of_a_diagonal() {
    let drawing = drawing_of_elements(
        "diagonal(1,1,down) corner(1,1,sw,23) corner(1,1,ne,12) diagonal(1,2,up) corner(1,2,se,7) corner(2,1,nw,5) cell(2,2)",
    );
    let expected = ["┌─────┬─────┐", "│23\\12│  /7 │", "├─────┼─────┤", "│  5  │     │", "└─────┴─────┘"];
    assert_eq!(plain_text(&drawing), lines(&expected));
    let svg = drawing.picture("", &CancelToken::new()).svg();
    // The diagonals connect the corners of their cells.
    assert!(svg.contains("M32 32L64 64") && svg.contains("M64 64L96 32"), "{svg}");
    let place = |text: &str| {
        let mark = svg.lines().find(|line| line.contains(&format!(">{text}</text>"))).expect("a text");
        let place = mark.split("translate(").nth(1).and_then(|rest| rest.split(')').next()).expect("a place");
        place.split(' ').map(|number| number.parse().expect("a number")).collect::<Vec<f64>>()
    };
    assert!(place("23") < place("12") && place("23")[1] > place("12")[1], "{svg}");
}

#[test]
fn texts_around_the_grid_are_adjacent_to_it() {
    let drawing = drawing_of_elements(
        &(cells(1, 2)
            + "around(left,1,1,10) around(left,1,2,2) around(top,1,1,3) around(top,2,1,4) around(top,2,2,5) around(right,1,1,x) around(bottom,2,1,y)"),
    );
    let expected =
        ["            4", "        3   5", "      ┌───┬───┐", "10  2 │   │   │ x", "      └───┴───┘", "            y"];
    assert_eq!(plain_text(&drawing), lines(&expected));
}

#[test]
fn cells_become_narrower_if_lines_are_too_long() {
    let drawing = drawing_of_elements(&(cells(1, 30) + "found(1,1,7) symbol(1,2,star)"));
    let of_width = |width: usize| drawing.text(&Style { width: Some(width), ..Style::default() });
    assert!(of_width(121).contains("│ 7 │ ★ │"));
    assert!(of_width(80).contains("│7│★│"));
    assert!(of_width(40).starts_with("7★"));
    let walls = drawing_of_elements(&(cells(1, 30) + "border(1,1,1,2,thick)"));
    assert!(walls.text(&Style { width: Some(40), ..Style::default() }).contains('┃'), "a wall is not left out");
}

#[test]
fn frames_are_stacked_with_their_captions() {
    let drawing = drawing_of(
        "draw(cell(1,1)) draw(cell(1,2)) draw(found(1,1,a),1) draw(found(1,2,a),2) draw(caption((\"move\",1)),2)",
    );
    let expected =
        ["┌───┬───┐", "│ a │   │", "└───┴───┘", "Frame 1", "", "┌───┬───┐", "│   │ a │", "└───┴───┘", "move 1"];
    assert_eq!(plain_text(&drawing), lines(&expected));
}

#[test]
fn a_text_that_changes_place_is_animated() {
    let drawing =
        drawing_of("draw(cell(1,1)) draw(cell(1,2)) draw(found(1,1,a),1) draw(found(1,2,a),2) draw(fill(1,1,red),2)");
    let picture = drawing.picture("moves", &CancelToken::new());
    let parts = picture.parts();
    let moving = parts.movers.iter().filter(|(_, places, ..)| places.len() == 2 && places[0] != places[1]);
    assert_eq!(moving.count(), 1);
    // In the second frame, the red fill replaces the white one.
    let presence: BTreeSet<&Vec<bool>> =
        parts.movers.iter().map(|mover| &mover.3).filter(|shown| !shown.is_empty()).collect();
    assert_eq!(presence, BTreeSet::from([&vec![false, true], &vec![true, false]]));
    let svg = picture.svg();
    assert!(svg.contains("animateTransform") && svg.contains("attributeName=\"visibility\""), "{svg}");
    assert_eq!(picture.captions, ["Frame 1", "Frame 2"]);
}

#[test]
fn differences_in_texts_fills_symbols_and_lines_are_marked() {
    let common = cells(3, 3);
    let one = drawing_of_elements(&(common.clone() + "found(1,1,1) fill(2,2,red) line(3,1,3,2) symbol(1,3,star)"));
    let other = drawing_of_elements(&(common + "found(1,1,2) fill(2,2,blue) line(3,2,3,3) symbol(1,3,star)"));
    let differences = one.differences(&other);
    assert_eq!(differences, BTreeSet::from([(1, 1), (2, 2), (3, 1), (3, 2), (3, 3)]));
    assert_eq!(one.differences(&one), BTreeSet::new());
    let marked = one.with_marks(&differences);
    assert!(plain_text(&marked).contains("»1«"), "{}", plain_text(&marked));
    let frames = |drawing: &Drawing| drawing.picture("", &CancelToken::new()).svg().matches("#d03070").count();
    assert_eq!((frames(&one), frames(&marked)), (0, 1));
}

#[test]
fn different_edges_and_borders_mark_their_adjacent_cells() {
    let one = cells(2, 2) + "edge(1,2,2,2)";
    let other = cells(2, 2) + "border(2,1,2,2,thick)";
    assert_eq!(
        drawing_of_elements(&one).differences(&drawing_of_elements(&other)),
        BTreeSet::from([(1, 1), (1, 2), (2, 1), (2, 2)])
    );
}

#[test]
fn the_grid_lists_the_texts_of_cells_by_row() {
    let drawing =
        drawing_of_elements("given(1,1,5) symbol(2,2,star) fill(1,3,black) cell(2,3) given(2,1,1) found(2,1,2)");
    let text = |text: &str| Some(text.to_owned());
    let expected = vec![vec![text("5"), None, text("#")], vec![text("1 2"), text("★"), None]];
    assert_eq!(drawing.grid(), Some(expected));
    assert_eq!(drawing_of("node(1)").grid(), None);
}

#[test]
fn without_colours_all_symbols_and_fills_differ() {
    let names = "circle disc dot star cross plus square diamond triangle bulb tree tent mine flag up down left right half_nw half_ne half_sw half_se";
    let texts: BTreeSet<String> =
        names.split(' ').map(|name| plain_text(&drawing_of_elements(&format!("symbol(1,1,{name})")))).collect();
    assert_eq!(texts.len(), names.split(' ').count());
    let row = |fills: &str| {
        let fills = fills.split(' ').enumerate().map(|(index, fill)| format!("fill(1,{},{fill}) ", index + 1));
        plain_text(&drawing_of_elements(&fills.collect::<String>())).lines().nth(1).expect("a row").to_owned()
    };
    let ten = row("0 1 2 3 4 5 6 7 8 9");
    assert_eq!(ten.split('│').filter(|cell| !cell.is_empty()).collect::<BTreeSet<_>>().len(), 10, "{ten}");
    assert_eq!(row("white black grey"), "│   │███│░░░│");
}

#[test]
fn with_colours_fills_are_coloured_and_found_values_are_blue() {
    let style = Style { color: true, ..Style::default() };
    let text = drawing_of_elements("fill(1,1,\"#ff0000\") found(1,2,7)").text(&style);
    assert!(text.contains("48;2;255;0;0m") && !text.contains('░'), "{text:?}");
    assert!(text.contains("\u{1b}[1m\u{1b}[34m7"), "{text:?}");
}

#[test]
fn control_characters_of_the_input_are_not_drawn() {
    let escape = asp::string("\u{1b}[31m").expect("a string");
    let term = asp::function("given", &[parse_term("1").expect("1"), parse_term("1").expect("1"), escape]);
    let atom = asp::function("draw", &[term.expect("a term")]).expect("an atom");
    let (drawing, _) = Drawing::of(&[atom], "board.lp").expect("the atoms are valid");
    assert!(!plain_text(&drawing).contains('\u{1b}'));
}

#[test]
fn dark_fills_have_light_letters_and_thick_borders_are_one_path() {
    let walls = "border(1,1,1,2,thick) border(2,1,2,2,thick) border(1,1,2,1,thick)";
    let svg = drawing_of_elements(&(cells(2, 2) + walls + " fill(1,1,black) given(1,1,5) given(2,2,5)"))
        .picture("walls", &CancelToken::new())
        .svg();
    let document = roxmltree::Document::parse(&svg).expect("XML");
    let inks: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|text| text.attribute("fill"))
        .collect();
    assert!(inks.contains(&"#ffffff") && inks.contains(&"#111111"), "{inks:?}");
    let thick = document.descendants().filter(|node| node.attribute("stroke-width") == Some("3")).count();
    assert_eq!(thick, 1);
}

/// Malformed drawing atoms and a part of their messages.
const WRONG: [(&str, &str); 26] = [
    ("draw(border(1,1,3,3,thick))", "the cells (1,1) and (3,3) do not touch"),
    ("draw(border(1,1,1,1,thick))", "the cells (1,1) and (1,1) do not touch"),
    ("draw(border(1,1,1,2,fat))", "unknown style fat"),
    ("draw(fill(1,1,nocolour))", "unknown colour nocolour"),
    ("draw(fill(1,1,f(x)))", "a colour is a name"),
    ("draw(queen(1,1))", "unknown drawing element queen"),
    ("draw(7)", "a drawing element has a name"),
    ("draw(\"x\")", "a drawing element has a name"),
    ("draw((1,2))", "a drawing element has a name"),
    ("draw(symbol(1,1,queen))", "unknown symbol queen; expected one of circle, disc"),
    ("draw(cell(1))", "wrong arguments"),
    ("draw(cell)", "wrong arguments"),
    ("draw(symbol(1,1))", "wrong arguments"),
    ("draw(line(1,1,1,2,red,blue))", "wrong arguments"),
    ("draw(line(1,1,2,3))", "the cells (1,1) and (2,3) are not in the same row, column or diagonal"),
    ("draw(edge(1,1,2,2))", "the corners (1,1) and (2,2) are not in the same row or column"),
    ("draw(double(1,1,1,1))", "both cells are (1,1)"),
    ("draw(cell(1,1000000000))", "column 1000000000 is too far; rows and columns go to 10000"),
    ("draw(cell(-2147483648,1))", "row -2147483648 is too far"),
    ("draw(cell(a,1))", "a row is a number, not a"),
    ("draw(around(middle,1,1,x))", "unknown side middle"),
    ("draw(around(left,1,0,x))", "texts from 1 to"),
    ("draw(diagonal(1,1,left))", "a diagonal goes down or up, not left"),
    ("draw(corner(1,1,north,x))", "unknown corner north; expected one of nw, sw, ne, se"),
    ("draw(cell(1,1),0)", "a frame is a number from 1 to 10000, not 0"),
    ("draw(cell(1,1),x)", "a frame is a number from 1 to 10000, not x"),
];

#[test]
fn malformed_drawing_atoms_are_errors_with_the_expected_form() {
    for (atom, why) in WRONG {
        let Failure(errors) = read(atom).expect_err(atom);
        assert_eq!(errors[0].code, Code::InvalidDrawing, "{atom}");
        let text = &errors[0].message;
        assert!(
            text.starts_with("board.lp: draw(") && text.contains(" cannot be drawn: ") && text.contains(why),
            "{text}"
        );
        assert!(errors[0].help.as_ref().is_some_and(|help| help.starts_with("expected ")), "{atom}");
    }
    let long = format!("draw(given(1,1,\"{}\"))", "x".repeat(100_000));
    let Failure(errors) = read(&long).expect_err("the text is too long");
    assert!(errors[0].message.contains("its text has 100000 characters; at most 40"), "{}", errors[0].message);
    assert!(errors[0].message.len() < 500);
}

#[test]
fn a_huge_grid_is_an_error() {
    for (atoms, size) in [
        ("draw(cell(1,1)) draw(cell(10000,10000))", "10000 by 10000 cells in 1 frames"),
        ("draw(cell(1,1)) draw(edge(-10000,1,10000,1)) draw(cell(1,500))", "by 500 cells"),
        ("draw(cell(1,1)) draw(cell(30,30)) draw(cell(1,1),9999)", "30 by 30 cells in 9999 frames"),
    ] {
        let Failure(errors) = read(atoms).expect_err(atoms);
        assert_eq!(errors[0].code, Code::InvalidDrawing, "{atoms}");
        assert!(errors[0].message.contains(size), "{}", errors[0].message);
    }
    let edges: String = (1..=500).map(|row| format!("draw(edge({row},-10000,{row},10000)) ")).collect();
    let Failure(errors) = read(&edges).expect_err("too many edges");
    assert!(
        errors[0].message.ends_with("with its lines and edges the grid is too large to draw"),
        "{}",
        errors[0].message
    );
    assert!(read("draw(around(left,10000,1,x)) draw(around(top,-10000,1,x))").is_ok());
    assert_eq!(plain_text(&drawing_of("draw(around(left,10000,1,x))")), "");
}

#[test]
fn without_drawing_atoms_the_drawing_is_empty() {
    let drawing = drawing_of("queen(1,5) draw(1,2,3) drawn(cell(1,1)) graph(g)");
    assert!(drawing.is_empty() && !drawing.has_grid() && !drawing.has_graph());
    assert_eq!((plain_text(&drawing), drawing.grid()), (String::new(), None));
    assert!(drawing.picture("nothing", &CancelToken::new()).svg().contains("<svg"));
}

const HOUSE: &str = "graph(house) graph(bathroom,house) graph(bedroom,house) node(toilet,bathroom) node(bed,bedroom) \
    node(desk,bedroom) edge((toilet,bed),house) attr(graph,house,label,\"Tom's_House\") attr(graph,bathroom,style,dotted) \
    attr(graph,bathroom,label,\"Bathroom\") attr(graph_nodes,house,style,filled) attr(graph_nodes,house,color,cyan) \
    attr(node,toilet,shape,circle) attr(node,bed,shape,square) attr(edge,(toilet,bed),color,red) attr(node,bed,fontname,\"Arial\")";

#[test]
fn atoms_of_clingraph_are_a_graph_with_subgraphs() {
    let (drawing, warnings) = read(HOUSE).expect("the atoms are valid");
    assert!(drawing.has_graph() && !drawing.has_grid());
    let graph = drawing.graph("title").expect("a graph");
    let shapes: BTreeMap<&str, Shape> = graph.nodes.iter().map(|node| (node.name.as_str(), node.shape)).collect();
    assert_eq!(shapes, BTreeMap::from([("toilet", Shape::Disc), ("bed", Shape::Box), ("desk", Shape::Ellipse)]));
    let cyan = Rgb::by_name("cyan");
    assert!(graph.nodes.iter().all(|node| node.outline.is_some_and(|outline| outline.fill == cyan)));
    assert!(graph.arcs[0].has_no_head && graph.arcs[0].line.map(|line| line.0) == Rgb::by_name("red"));
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].message, "board.lp: these attributes of graphs are not drawn: fontname");
    let picture = drawing.picture("title", &CancelToken::new());
    assert_eq!(picture.captions, ["Tom's_House"]);
    let svg = picture.svg();
    assert!(svg.contains(">Bathroom<") && svg.contains(">toilet<") && svg.contains("stroke-dasharray"), "{svg}");
}

#[test]
fn all_attributes_are_passed_to_graphviz_unchanged() {
    let graph = drawing_of(HOUSE).graph("title").expect("a graph");
    let expected = [
        "graph \"house\" {",
        "  graph [\"label\"=\"Tom's_House\"];",
        "  node [\"color\"=\"cyan\", \"style\"=\"filled\"];",
        "  subgraph \"cluster_bathroom\" {",
        "    graph [\"label\"=\"Bathroom\", \"style\"=\"dotted\"];",
        "    \"toilet\" [\"shape\"=\"circle\"];",
        "  }",
        "  subgraph \"cluster_bedroom\" {",
        "    \"bed\" [\"fontname\"=\"Arial\", \"shape\"=\"square\"];",
        "    \"desk\";",
        "  }",
        "  \"toilet\" -- \"bed\" [\"color\"=\"red\"];",
        "}",
    ];
    assert_eq!(dot::text(&graph), lines(&expected));
    let odd = drawing_of(
        "node(a) attr(node,a,label,\"<<b>x</b>>\") attr(node,a,xlabel,\"say_\\\"hi\\\"\") attr(node,a,comment,\"<<b\") attr(node,a,tooltip,\"end\\\\\")",
    );
    let text = dot::text(&odd.graph("").expect("a graph"));
    assert!(text.contains("\"label\"=<<b>x</b>>") && text.contains("\"say_\\\"hi\\\"\""), "{text}");
    assert!(text.contains("\"comment\"=\"<<b\"") && text.contains("\"end\\\\\""), "{text}");
}

#[test]
fn labels_are_templates_and_edges_may_be_parallel_and_directed() {
    let drawing = drawing_of(
        "node(m) attr(node,m,label,\"<<b>{{name}}_{{name['last']}}</b>>\") attr(node,m,(label,name),\"Mo\") \
         attr(node,m,(label,name,last),\"Li\") node(j) attr(node,j,(label,b),2) attr(node,j,(label,a),1) \
         edge((m,j,1)) edge((m,j,2)) attr(edge,(m,j,2),dir,back) attr(edge,(m,j,1),style,dashed)",
    );
    let graph = drawing.graph("").expect("a graph");
    let names: Vec<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["Mo_Li", "12"]);
    let arcs: BTreeSet<(usize, usize, bool)> =
        graph.arcs.iter().map(|arc| (arc.from, arc.to, arc.has_no_head)).collect();
    assert_eq!(arcs, BTreeSet::from([(0, 1, true), (1, 0, false)]));
    let directed = drawing_of("edge((a,b)) attr(graph,default,type,digraph)").graph("").expect("a graph");
    assert!(!directed.arcs[0].has_no_head && dot::text(&directed).contains("\"a\" -> \"b\""));
    let textbook = drawing_of("node(1) node(2) edge(1,2)").graph("").expect("a graph");
    assert_eq!((textbook.nodes.len(), textbook.arcs.len()), (2, 1));
}

#[test]
fn colourings_of_textbook_graphs_are_drawn_in_colour_and_symmetric_edges_once() {
    let fills = |atoms: &str| -> Vec<String> {
        let graph = drawing_of(atoms).graph("").unwrap_or_else(|| panic!("{atoms}: a graph"));
        let fill = |node: &Node| {
            node.outline.and_then(|outline| outline.fill).map(|Rgb(r, g, b)| format!("#{r:02x}{g:02x}{b:02x}"))
        };
        graph.nodes.iter().filter_map(fill).collect()
    };
    let [red, green] = ["red", "green"].map(|name| {
        let Rgb(r, g, b) = Rgb::by_name(name).expect("a colour");
        format!("#{r:02x}{g:02x}{b:02x}")
    });
    let expected = [red.clone(), green.clone(), "#ffffff".to_owned()];
    let graph = "node(1) node(2) node(3) edge(1,2) edge(2,1) edge(2,3)";
    for colors in
        ["color(1,red) color(2,green)", "assigned(1,r) assigned(2,g) col(r) col(g) col(b)", "in(1,red) in(2,green)"]
    {
        assert_eq!(fills(&format!("{graph} {colors}")), expected, "{colors}");
    }
    // Numbers have distinct colours, which do not depend on the answer.
    let numbered = fills(&format!("{graph} colour(1,1) colour(2,3) colour(3,2)"));
    assert_eq!(BTreeSet::from_iter(&numbered).len(), 3, "{numbered:?}");
    assert_eq!(fills(&format!("{graph} colour(1,3)"))[0], numbered[1]);
    // Other predicates, values that are not unique, and graphs with attributes.
    for other in ["at(1,r) at(2,g)", "color(1,red) color(1,green)", "color(1,red) attr(node,2,label,x)"] {
        assert_eq!(BTreeSet::from_iter(fills(&format!("{graph} {other}"))).len(), 1, "{other}");
    }
    let arcs = |atoms: &str| drawing_of(atoms).graph("").expect("a graph").arcs.len();
    assert_eq!(arcs(graph), 2);
    assert_eq!(arcs(&format!("{graph} attr(graph,default,type,digraph)")), 3);
}

#[test]
fn nodes_obey_pos_and_separate_graphs_share_no_nodes() {
    let placed = drawing_of("node(a) node(b) attr(node,a,pos,\"0,0!\") attr(node,b,pos,\"0,5\")")
        .picture("", &CancelToken::new());
    let labels: BTreeMap<&str, (f64, f64)> = placed
        .sprites
        .iter()
        .filter(|sprite| !sprite.label.is_empty())
        .map(|sprite| (sprite.label.as_str(), sprite.places[0]))
        .collect();
    assert!(labels["b"].1 < labels["a"].1 && labels["a"].0 == labels["b"].0, "upwards as in Graphviz: {labels:?}");
    let two = drawing_of("graph(g) graph(h) node(a,g) node(a,h) edge((a,b),g)").graph("").expect("a graph");
    assert_eq!(two.nodes.len(), 3);
    assert_eq!(dot::text(&two).matches("graph \"").count(), 2);
}

#[test]
fn elements_of_undeclared_graphs_are_left_out_with_a_warning() {
    let messages = |atoms: &str| -> (usize, usize, Vec<String>) {
        let (drawing, warnings) = read(atoms).unwrap_or_else(|failure| panic!("{atoms}: {failure}"));
        let graph = drawing.graph("").unwrap_or_default();
        (graph.nodes.len(), graph.arcs.len(), warnings.into_iter().map(|warning| warning.message).collect())
    };
    let warning =
        |names: &str| vec![format!("board.lp: nodes and edges of these undeclared graphs are not drawn: {names}")];
    assert_eq!(messages("node(a) node(b) edge((a,b),h)"), (2, 0, warning("h")));
    assert_eq!(messages("edge((a,b),h)"), (0, 0, warning("h")));
    assert_eq!(messages("graph(g) node(a,g) node(b,k) edge((a,c),g) edge((a,d),h)"), (2, 1, warning("h, k")));
    // Textbook edges, and predicates with other meanings.
    assert_eq!(messages("edge((1,1),(1,2))"), (2, 1, vec![]));
    assert_eq!(messages("node((1,1)) node(h) edge((1,1),h)"), (2, 1, vec![]));
    assert_eq!(messages("node(1,red) edge(1,2)"), (2, 1, vec![]));
}

#[test]
fn cyclic_subgraphs_and_attributes_of_unknown_kinds_are_errors() {
    let Failure(errors) = read("graph(a,b) graph(b,a) node(x,a)").expect_err("a cycle");
    assert_eq!(errors[0].code, Code::InvalidDrawing);
    assert!(errors[0].message.contains("contains itself"), "{}", errors[0].message);
    let Failure(errors) = read("node(x) attr(vertex,x,color,red)").expect_err("an unknown kind");
    assert!(errors[0].message.contains("attr(vertex,x,color,red) cannot be drawn: unknown kind vertex"));
    let deep: String = (0..1000).map(|depth| format!("graph({},{}) ", depth, depth + 1)).collect();
    assert!(read(&deep).is_err());
    let many: String = (0..4000).map(|node| format!("node({node}) ")).collect();
    assert!(drawing_of(&many).picture("", &CancelToken::new()).svg().contains("are too many to draw"));
}

fn svg(drawing: &Drawing) -> String {
    drawing.picture("", &CancelToken::new()).svg()
}

#[test]
fn found_borders_are_blue_and_given_ones_black() {
    let drawing = drawing_of_elements(&(cells(1, 3) + "border(1,1,1,2,found) border(1,2,1,3,thick)"));
    let svg = svg(&drawing);
    assert!(svg.contains("d=\"M64 32L64 64\" fill=\"none\" stroke=\"#1f5fd0\""), "{svg}");
    let frame = svg.lines().find(|line| line.contains("stroke-width=\"3\"")).expect("thick borders");
    assert!(frame.contains("M96 32L96 64") && !frame.contains("M64 32"), "{frame}");
    assert_eq!(plain_text(&drawing), lines(&["┏━━━┳━━━┳━━━┓", "┃   ┃   ┃   ┃", "┗━━━┻━━━┻━━━┛"]));
    let colored = drawing.text(&Style { color: true, ..Style::default() });
    assert_eq!(colored.matches("\u{1b}[34m").count(), 1, "{colored}");
}

#[test]
fn cells_that_all_frames_share_have_no_frame_of_their_own() {
    let drawing = drawing_of(
        "draw(fill(1,1,red)) draw(border(1,2,1,3,thick)) draw(fill(1,2,blue),1) draw(fill(1,2,green),2) \
         draw(cell(1,3),1) draw(cell(1,3),2)",
    );
    let svg = svg(&drawing);
    let thick: Vec<&str> = svg.lines().filter(|line| line.contains("stroke-width=\"3\"")).collect();
    assert!(thick.iter().all(|line| !line.contains("M64 32L64 64")), "{thick:?}");
    assert!(thick.iter().any(|line| line.contains("M32 32L32 64")), "{thick:?}");
}

#[test]
fn arrows_stand_beside_numbers_at_circles_and_at_the_ends_of_lines() {
    let beside = drawing_of_elements("given(1,1,2) given(1,1,\"←\") given(1,2,3) given(1,2,\"↑\")");
    assert_eq!(plain_text(&beside), lines(&["┌───┬───┐", "│ 2←│ 3↑│", "└───┴───┘"]));
    let shapes = |drawing: &Drawing| svg(drawing).matches("stroke-linejoin").count();
    assert_eq!(shapes(&beside), shapes(&drawing_of_elements("given(1,1,2) given(1,2,3)")) + 2);
    assert!(!svg(&beside).contains('←'), "arrows are shapes");

    let pipe = drawing_of_elements("given(1,1,\"─\") given(1,1,\"→\")");
    assert_eq!(shapes(&pipe), shapes(&drawing_of_elements("given(1,1,\"─\")")) + 1);

    let rim = drawing_of_elements("symbol(1,1,circle) given(1,1,2) given(1,1,\"→\")");
    assert_eq!(plain_text(&rim), lines(&["┌─────┐", "│ (2→)│", "└─────┘"]));
    assert!(svg(&rim).contains("M16.5 0L9.5 6"), "a triangle: {}", svg(&rim));

    let head = drawing_of_elements(&(cells(1, 2) + "line(1,1,1,2) found(1,2,\"→\")"));
    assert!(svg(&head).contains("fill=\"#1f5fd0\""), "{}", svg(&head));
}

#[test]
fn texts_are_above_the_lines_of_the_solution() {
    let drawing = drawing_of_elements(&(cells(1, 3) + "line(1,1,1,3) given(1,2,7) given(1,3,12)"));
    let svg = svg(&drawing);
    let at = |what: &str| svg.find(what).unwrap_or_else(|| panic!("{what} in {svg}"));
    // A white plate hides the line behind each text.
    let plate = at("stroke-width=\"4\"") + svg[at("stroke-width=\"4\"")..].find("fill=\"#ffffff\"").expect("a plate");
    assert!(at("stroke-width=\"4\"") < plate && plate < at(">7</text>"), "{svg}");
    let colored = drawing_of_elements(&(cells(1, 3) + "line(1,1,1,3,\"#aaaaaa\") given(1,2,7)"));
    let without = drawing_of_elements(&(cells(1, 3) + "line(1,1,1,3,\"#aaaaaa\")"));
    let whites = |drawing: &Drawing| self::svg(drawing).matches("fill=\"#ffffff\"").count();
    assert_eq!(whites(&colored), whites(&without), "lines of the board are part of the background");
    let named = drawing_of_elements(&(cells(1, 3) + "line(1,1,1,3,found) given(1,2,7) given(1,3,12)"));
    assert_eq!(self::svg(&named), svg, "the colour of the solution may be named");
}

#[test]
fn a_line_that_leaves_the_board_ends_at_its_border() {
    let drawing = drawing_of_elements(&(cells(2, 2) + "line(0,1,2,1) line(2,1,2,3) around(top,1,1,in)"));
    let expected = ["  in", "· │ ·   ·", "  │", "· │ ·   ·", "  └──────", "·   ·   ·"];
    assert_eq!(plain_text(&drawing), lines(&expected));
    let svg = svg(&drawing);
    assert!(svg.contains("M48 48L48 28"), "{svg}");
    assert!(svg.contains("M80 80L100 80"), "{svg}");
}

#[test]
fn a_line_leaves_the_board_in_its_own_direction() {
    let svg = svg(&drawing_of_elements(&(cells(2, 2) + "line(1,1,0,2) line(2,2,3,3)")));
    assert!(svg.contains("M48 48L68 28") && svg.contains("M80 80L100 100"), "{svg}");
}

#[test]
fn a_double_line_leaves_the_board_as_a_double_line() {
    let svg = svg(&drawing_of_elements(&(cells(1, 1) + "double(1,1,0,1)")));
    let path = svg.lines().find(|line| line.contains("#1f5fd0")).expect("a line");
    assert_eq!((path.matches('M').count(), path.contains("stroke-width=\"2.5\"")), (2, true), "{path}");
}

#[test]
fn a_line_that_goes_on_outside_the_cells_has_no_gap() {
    let svg = svg(&drawing_of_elements("cell(1,1) cell(1,3) line(1,1,2,1) line(2,1,2,3) line(2,3,1,3)"));
    let path = svg.lines().find(|line| line.contains("stroke-width=\"4\"")).expect("a line");
    assert!(path.contains("M48 48L48 80") && path.contains("M112 48L112 80"), "{path}");
}

#[test]
fn texts_at_the_sides_of_a_cell_point_there() {
    let drawing = drawing_of_elements("corner(1,1,n,2) corner(1,1,e,1) corner(1,1,s,2) corner(1,2,w,\"?\") cell(1,3)");
    assert_eq!(plain_text(&drawing).lines().nth(1), Some("│ 2↑1→2↓│   ?←  │       │"));
}

#[test]
fn diagonals_of_the_solution_are_found_texts() {
    let drawing = drawing_of_elements("diagonal(1,1,up,found) diagonal(1,2,down)");
    assert_eq!(plain_text(&drawing), lines(&["┌───┬───┐", "│ / │[\\]│", "└───┴───┘"]));
    assert!(svg(&drawing).contains("stroke=\"#1f5fd0\" stroke-width=\"3\""));
}
