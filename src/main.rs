fn main(){ println!("{:?}", clingo::version()); }
