//! Finds the conversation among the lines.
//!
//! Each line names the one before it, and the file holds a tree: rewinds and retries branch off, parallel
//! tool results fork, sub-agents of old versions hang in between. The conversation is the way up from the
//! last message to a root. A compaction starts at a root of its own; what came before it is found the same
//! way among the lines before it.

use std::collections::{HashMap, HashSet};

use agent_model::{Block, Role};

use crate::report::Report;
use crate::threads::{Boundary, Facts, Piece, Pieces, Results, SubAgent, ThreadBuilder, Threads};
use crate::time::Timestamp;

/// One line in the tree.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: Option<String>,
    /// The message it carries.
    pub(super) piece: Option<usize>,
    pub(super) kind: Kind,
    pub(super) side: bool,
    pub(super) team: bool,
    pub(super) meta: bool,
    pub(super) agent_id: Option<String>,
}

#[derive(Debug)]
pub(super) enum Kind {
    User,
    Assistant,
    Boundary(Box<BoundaryNote>),
    Other,
}

#[derive(Debug)]
pub(super) struct BoundaryNote {
    pub(super) trigger: Option<String>,
    pub(super) tokens_before: Option<u64>,
    pub(super) time: Option<Timestamp>,
    pub(super) line: u64,
}

impl Node {
    fn is_message(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Assistant)
    }

    fn is_boundary(&self) -> bool {
        matches!(self.kind, Kind::Boundary(_))
    }
}

/// Puts the threads together.
pub(super) fn assemble(
    nodes: &[Node],
    by_uuid: &HashMap<String, usize>,
    pieces: Pieces,
    facts: Facts,
    report: &mut Report,
) -> Threads {
    let links = links(nodes, by_uuid);
    let chain = if is_flat(nodes, &links) {
        report.file_order = true;
        (0..nodes.len())
            .filter(|index| !nodes[*index].side)
            .collect()
    } else {
        main_chain(nodes, &links)
    };
    let mut builder = Builder {
        answers: answers(nodes, &pieces),
        results: results(nodes, &pieces, &chain),
        pieces,
        thread: ThreadBuilder::default(),
        boundaries: Vec::new(),
    };
    builder.main(nodes, &chain, report);
    let sub_agents = builder.sub_agents(nodes, &links, report);
    let left = builder.pieces.iter().count();
    report.off_thread += left as u64;
    let only_side = builder.thread.entries.is_empty() && !sub_agents.is_empty();
    Threads {
        main: builder.thread.entries,
        sub_agents,
        boundaries: builder.boundaries,
        facts: Facts {
            is_sub_agent: only_side,
            ..facts
        },
    }
}

/// Where a line hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    Root,
    To(usize),
    /// The line it names is not in the file, or is a sub-agent's.
    Lost,
}

fn links(nodes: &[Node], by_uuid: &HashMap<String, usize>) -> Vec<Link> {
    let link = |node: &Node| match &node.parent {
        None => Link::Root,
        Some(parent) => match by_uuid.get(parent) {
            // A sub-agent's line is no part of the conversation that started it.
            Some(index) if node.side || !nodes[*index].side => Link::To(*index),
            _ => Link::Lost,
        },
    };
    nodes.iter().map(link).collect()
}

/// Tells whether no message of the main conversation is linked to another line. Then file order is all
/// there is.
fn is_flat(nodes: &[Node], links: &[Link]) -> bool {
    let mut messages = 0;
    for (node, link) in nodes.iter().zip(links) {
        if node.is_message() && !node.side {
            messages += 1;
            if matches!(link, Link::To(_)) {
                return false;
            }
        }
    }
    messages > 1
}

/// Returns the main conversation, oldest first.
fn main_chain(nodes: &[Node], links: &[Link]) -> Vec<usize> {
    let before = previous(nodes);
    let mut visited = vec![false; nodes.len()];
    let mut leaves = Leaves {
        nodes,
        end: nodes.len(),
        own_left: true,
    };
    let mut segments: Vec<Vec<usize>> = Vec::new();
    while let Some(leaf) = leaves.last(&visited) {
        let segment = walk_up(links, &before, &mut visited, leaf);
        let root = segment.last().copied().unwrap_or(leaf);
        segments.push(segment);
        if !nodes[root].is_boundary() {
            break;
        }
        // Always further up, so that the file is searched once however the links run.
        leaves.end = root.min(leaf);
    }
    segments.into_iter().flatten().rev().collect()
}

/// Searches a file upwards for the last word of each part of the conversation.
struct Leaves<'n> {
    nodes: &'n [Node],
    end: usize,
    /// Whether there may still be a message that is not the agent's own.
    own_left: bool,
}

impl Leaves<'_> {
    /// Returns the last message before the end: not a sub-agent's, a teammate's or the agent's own, if
    /// there is any other.
    fn last(&mut self, visited: &[bool]) -> Option<usize> {
        let find = |meta: bool| {
            (0..self.end).rev().find(|&index| {
                let node = &self.nodes[index];
                let own = node.is_message() && !node.side && !visited[index];
                own && (meta || !(node.team || node.meta))
            })
        };
        let found = self.own_left.then(|| find(false)).flatten();
        self.own_left = found.is_some();
        found.or_else(|| find(true))
    }
}

/// Returns, for each line, the line of the main conversation before it.
fn previous(nodes: &[Node]) -> Vec<Option<usize>> {
    let mut last = None;
    let mut before = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        before.push(last);
        if !node.side {
            last = Some(index);
        }
    }
    before
}

/// Walks from a line up to a root; returns the way, newest first.
///
/// Each line is visited once, so broken links cannot make a circle. A line whose parent is lost, because
/// it could not be read or points into a circle, hangs behind the line that stands before it in the file.
fn walk_up(
    links: &[Link],
    before: &[Option<usize>],
    visited: &mut [bool],
    leaf: usize,
) -> Vec<usize> {
    let mut way = Vec::new();
    let mut next = Some(leaf);
    while let Some(index) = next {
        visited[index] = true;
        way.push(index);
        let fresh = |index: &usize| !visited[*index];
        next = match links[index] {
            Link::Root => None,
            Link::To(parent) if !visited[parent] => Some(parent),
            Link::To(_) | Link::Lost => before[index].filter(fresh),
        };
    }
    way
}

/// Returns the lines of each answer: the provider's identity joins them.
fn answers(nodes: &[Node], pieces: &Pieces) -> HashMap<String, Vec<usize>> {
    let mut answers: HashMap<String, Vec<usize>> = HashMap::new();
    for node in nodes.iter().filter(|node| !node.side) {
        let Some(index) = node.piece else { continue };
        if let Some(id) = pieces.get(index).and_then(|piece| piece.answer_id.as_ref()) {
            answers.entry(id.clone()).or_default().push(index);
        }
    }
    answers
}

/// Returns the lines that answer each call. Where a line of the conversation answers it, lines of left
/// branches do not count.
fn results(nodes: &[Node], pieces: &Pieces, chain: &[usize]) -> Results {
    let on_chain: HashSet<usize> = chain
        .iter()
        .filter_map(|index| nodes[*index].piece)
        .collect();
    let mut results = Results::new();
    let own = nodes
        .iter()
        .filter(|node| !node.side)
        .filter_map(|node| node.piece);
    for index in own {
        let Some(piece) = pieces.get(index) else {
            continue;
        };
        for block in &piece.content {
            let Block::ToolResult(result) = block else {
                continue;
            };
            let found = results.entry(result.tool_use_id.clone()).or_default();
            match found.first().map(|first| on_chain.contains(first)) {
                Some(true) if !on_chain.contains(&index) => {}
                Some(false) if on_chain.contains(&index) => *found = vec![index],
                // Of several left branches the first.
                Some(false) => {}
                _ => found.push(index),
            }
        }
    }
    results
}

struct Builder {
    answers: HashMap<String, Vec<usize>>,
    results: Results,
    pieces: Pieces,
    thread: ThreadBuilder,
    boundaries: Vec<Boundary>,
}

impl Builder {
    fn main(&mut self, nodes: &[Node], chain: &[usize], report: &mut Report) {
        for index in chain {
            let node = &nodes[*index];
            if let Kind::Boundary(note) = &node.kind {
                self.boundaries.push(Boundary {
                    at: self.thread.entries.len(),
                    trigger: note.trigger.clone(),
                    tokens_before: note.tokens_before,
                    time: note.time,
                    line: note.line,
                });
            }
            if node.side {
                continue;
            }
            if let Some(piece) = node.piece {
                self.emit(piece, report);
            }
        }
    }

    /// Adds a message: an answer whole, and right behind it what its calls returned.
    fn emit(&mut self, index: usize, report: &mut Report) {
        let Some(piece) = self.pieces.get(index) else {
            return;
        };
        let group = match &piece.answer_id {
            Some(id) => self.answers.remove(id).unwrap_or_else(|| vec![index]),
            None => vec![index],
        };
        let lines: Vec<Piece> = group
            .iter()
            .filter_map(|index| self.pieces.take(*index))
            .collect();
        self.thread.push(lines, report);
        let Some(entry) = self.thread.entries.last() else {
            return;
        };
        if entry.message.role != Role::Assistant {
            return;
        }
        let mut answering: Vec<usize> = entry
            .message
            .tool_uses()
            .filter_map(|call| self.results.get(&call.id))
            .flatten()
            .copied()
            .collect();
        answering.sort_unstable();
        answering.dedup();
        for index in answering {
            if let Some(piece) = self.pieces.take(index) {
                self.thread.push(vec![piece], report);
            }
        }
    }

    /// Takes out the threads of sub-agents that old versions wrote between the lines.
    fn sub_agents(&mut self, nodes: &[Node], links: &[Link], report: &mut Report) -> Vec<SubAgent> {
        let roots = side_roots(nodes, links);
        let mut order: Vec<SideKey<'_>> = Vec::new();
        let mut threads: HashMap<SideKey<'_>, Vec<usize>> = HashMap::new();
        for (index, node) in nodes.iter().enumerate().filter(|(_, node)| node.side) {
            let Some(piece) = node.piece else { continue };
            let key = match &node.agent_id {
                Some(id) => SideKey::Agent(id),
                None => SideKey::Root(roots[index]),
            };
            let thread = threads.entry(key).or_insert_with(|| {
                order.push(key);
                Vec::new()
            });
            thread.push(piece);
        }
        let mut agents = Vec::with_capacity(order.len());
        for key in order {
            let thread = threads.remove(&key).unwrap_or_default();
            let entries = self.side_thread(&thread, report);
            if !entries.is_empty() {
                agents.push(SubAgent {
                    id: match key {
                        SideKey::Agent(id) => Some(id.to_owned()),
                        SideKey::Root(_) => None,
                    },
                    entries,
                });
            }
        }
        agents
    }

    fn side_thread(&mut self, lines: &[usize], report: &mut Report) -> Vec<crate::entry::Entry> {
        let mut answers: HashMap<String, Vec<usize>> = HashMap::new();
        for index in lines {
            if let Some(id) = self
                .pieces
                .get(*index)
                .and_then(|piece| piece.answer_id.clone())
            {
                answers.entry(id).or_default().push(*index);
            }
        }
        let mut thread = ThreadBuilder::default();
        for index in lines {
            let Some(piece) = self.pieces.get(*index) else {
                continue;
            };
            let group = match &piece.answer_id {
                Some(id) => answers.remove(id).unwrap_or_default(),
                None => vec![*index],
            };
            let taken = group
                .iter()
                .filter_map(|index| self.pieces.take(*index))
                .collect();
            thread.push(taken, report);
        }
        thread.entries
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum SideKey<'a> {
    Agent(&'a str),
    Root(usize),
}

/// Returns, for each line of a sub-agent, the first line of its thread. Every line is passed once; a circle
/// ends where it began.
fn side_roots(nodes: &[Node], links: &[Link]) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    const OPEN: usize = usize::MAX - 1;
    let mut roots = vec![UNKNOWN; nodes.len()];
    let mut way = Vec::new();
    for start in (0..nodes.len()).filter(|index| nodes[*index].side) {
        let mut at = start;
        let root = loop {
            match roots[at] {
                OPEN => break at,
                UNKNOWN => {}
                known => break known,
            }
            roots[at] = OPEN;
            way.push(at);
            match links[at] {
                Link::To(parent) if nodes[parent].side => at = parent,
                _ => break at,
            }
        };
        for index in way.drain(..) {
            roots[index] = root;
        }
    }
    roots
}
