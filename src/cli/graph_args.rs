//! Options for clingraph's atoms.

use clap::{Args, ValueEnum};
use drawing::Vocabulary;

// (A doc comment would become the help of the command.)
#[derive(Debug, Clone, Default, Args)]
pub struct GraphArgs {
    /// Prefix of clingraph's predicates: with viz_ a node is viz_node(Id)
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,
    /// Default type of graphs: undirected or directed edges
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<GraphType>,
    /// Graph of nodes and edges that name no graph [default: default]
    #[arg(long, value_name = "NAME")]
    default_graph: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GraphType {
    Graph,
    Digraph,
}

impl GraphArgs {
    pub fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            prefix: self.prefix.clone().unwrap_or_default(),
            is_directed: self.kind == Some(GraphType::Digraph),
            default_graph: self.default_graph.clone(),
        }
    }
}
