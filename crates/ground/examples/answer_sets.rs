//! Prints the answer sets of a small program, by the definition: of all interpretations, those that
//! pass the check.

use ground::{GroundProgram, GroundRule, check_answer};

const NAMES: [&str; 4] = ["tea", "coffee", "milk", "cake"];

fn main() {
    let rule = |is_choice, head: &[u32], body: &[(i32, i32)], bound| GroundRule {
        is_choice,
        head: head.to_vec(),
        body: body.to_vec(),
        bound,
    };
    let (tea, coffee, milk, cake) = (1, 2, 3, 4);
    let rules = vec![
        rule(false, &[tea, coffee], &[], None),
        rule(true, &[milk, cake], &[], None),
        // Coffee needs milk, and there is no money for everything.
        rule(false, &[], &[(coffee as i32, 1), (-(milk as i32), 1)], None),
        rule(false, &[], &[(tea as i32, 2), (coffee as i32, 3), (milk as i32, 1), (cake as i32, 3)], Some(7)),
    ];
    let program = GroundProgram { rules, ..GroundProgram::default() };
    let name = |atom: u32| NAMES[atom as usize - 1].to_owned();
    for rule in &program.rules {
        println!("{}", rule.text(&name));
    }
    for interpretation in 0..1_u32 << NAMES.len() {
        let holds = |atom: u32| ((interpretation << 1) >> atom) & 1 == 1;
        let atoms: Vec<String> = (1..=cake).filter(|&atom| holds(atom)).map(name).collect();
        let atoms = if atoms.is_empty() { "nothing".to_owned() } else { atoms.join(", ") };
        match check_answer(&program, holds, &[]) {
            Ok(_) => println!("answer set: {atoms}"),
            Err(flaw) => println!("not {atoms}: {}", flaw.words(&program, &name)),
        }
    }
}
