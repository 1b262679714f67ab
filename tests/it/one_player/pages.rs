//! Pages of plans.

use serde_json::Value;

use crate::support::{page_data, run};

/// The data of the page that the program prints.
fn page_of(args: &[&str]) -> Value {
    page_data(&run(args.iter().chain(&["-f", "html"])).out)
}

fn len(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

#[test]
fn a_page_has_a_row_in_words_for_each_move() {
    for (instance, first, frames_per_row) in [
        ("wolf.txt", "the goat", 1),
        ("lightsout-3.txt", "row 1, column 1", 1),
        ("amphipod.txt", "D goes to hallway 10", 2),
        ("taquin_near.txt", "5 goes up", 1),
    ] {
        let file = format!("instances/{instance}");
        let solved = run([&file, "-f", "json"]).json();
        let number = solved["answers"][0]["length"]
            .as_u64()
            .map_or_else(|| len(&solved["answers"][0]["moves"]), |length| usize::try_from(length).expect("a length"));
        let data = page_of(&[&file]);
        assert_eq!((len(&data["rows"]), &data["framesPerRow"]), (number, &frames_per_row.into()), "{instance}");
        assert_eq!(len(&data["pictures"][0]["captions"]), frames_per_row * number + 1, "{instance}");
        let words = data["rows"][0][1][1].as_str().expect("words");
        assert!(words.contains(first), "{instance}: {words}");
        let longest = data["rows"].as_array().expect("rows").iter().flat_map(|row| row[1].as_array().expect("cells"));
        let longest = longest.map(|cell| cell.as_str().expect("a text").len()).max();
        assert!(longest < Some(80), "{instance}: {longest:?}");
    }
    assert_eq!(page_of(&["instances/amphipod.txt"])["columns"][2], "energy so far");
}

#[test]
fn a_page_has_the_moves_of_each_plan() {
    let data = page_of(&["instances/wolf.txt", "-n", "0"]);
    assert_eq!((len(&data["pictures"]), len(&data["rows"])), (2, 14));
    let pictures: Vec<&Value> = data["rows"].as_array().expect("rows").iter().map(|row| &row[0]).collect();
    assert_eq!((pictures[6], pictures[7]), (&0.into(), &1.into()));
}
