//! Random session histories with everything that real ones hold: parallel calls, split and doubled replies,
//! thinking, images, boundaries, lone calls and results, interruptions.

use agent_model::{Block, Image, Message, ResultPart, Role, ToolResult, ToolUse};
use serde_json::json;
use session_memory::{Boundary, Entry};

/// A small generator of our own (SplitMix64, public domain), so that one number is a whole history.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_in(&mut self, chance: u64) -> bool {
        self.below(chance) == 0
    }
}

/// Makes a history of up to 40 steps.
pub(crate) fn history(random: &mut Random) -> Vec<Entry> {
    let mut making = Making {
        entries: Vec::new(),
        open: Vec::new(),
        calls: 0,
        messages: 0,
    };
    for _ in 0..random.below(40) {
        making.step(random);
    }
    making.entries
}

struct Making {
    entries: Vec<Entry>,
    open: Vec<String>,
    calls: usize,
    messages: usize,
}

impl Making {
    fn step(&mut self, random: &mut Random) {
        match random.below(20) {
            0..=3 => {
                let text = self.text(random);
                let blocks = if random.one_in(8) {
                    vec![image(), text]
                } else {
                    vec![text]
                };
                self.push(Role::User, blocks, true, random);
            }
            4..=9 => self.reply(random),
            10..=15 => self.answers(random),
            16 => {
                // A result that nobody asked for, beside a text.
                let lone = Block::ToolResult(ToolResult::text(format!("lone{}", self.calls), "x"));
                let text = self.text(random);
                self.push(Role::User, vec![lone, text], false, random);
            }
            17 => self.entries.push(Entry::Boundary(Boundary::default())),
            18 => self
                .entries
                .push(Entry::Summary(Message::user("an older summary"))),
            _ => {
                // The newest entry once more, as hosts do when they write twice.
                if let Some(last) = self.entries.last().cloned() {
                    self.entries.push(last);
                }
            }
        }
    }

    fn reply(&mut self, random: &mut Random) {
        let mut blocks = Vec::new();
        if random.one_in(3) {
            blocks.push(Block::Thinking {
                text: "hm".into(),
                signature: Some("sig".into()),
            });
        }
        if random.one_in(9) {
            blocks.push(Block::RedactedThinking { data: "xx".into() });
        }
        if !random.one_in(3) {
            blocks.push(self.text(random));
        }
        for _ in 0..random.below(4) {
            // Now and then an id comes again.
            if !random.one_in(30) {
                self.calls += 1;
            }
            let id = format!("call{}", self.calls);
            blocks.push(Block::ToolUse(ToolUse::new(
                &id,
                "Bash",
                json!({"command": "ls"}),
            )));
            self.open.push(id);
        }
        if random.one_in(3) && blocks.len() > 1 {
            // A reply in parts that share an id, possibly with results in between.
            let id = format!("reply{}", self.messages);
            for block in blocks {
                self.entries.push(Entry::Message(
                    Message::new(Role::Assistant, vec![block]).with_id(&id),
                ));
                if random.one_in(3) {
                    self.answers(random);
                }
            }
            self.messages += 1;
        } else {
            self.push(Role::Assistant, blocks, false, random);
        }
    }

    fn answers(&mut self, random: &mut Random) {
        let mut blocks = Vec::new();
        for _ in 0..=random.below(3) {
            if self.open.is_empty() {
                break;
            }
            let index = random.below(self.open.len() as u64) as usize;
            let id = self.open.swap_remove(index);
            let mut result = ToolResult::text(&id, ["contents", "", " "][random.below(3) as usize]);
            if random.one_in(6) {
                result.content.push(image_part());
            }
            blocks.push(Block::ToolResult(result));
        }
        if random.one_in(5) {
            blocks.insert(0, self.text(random));
        }
        if random.one_in(7) {
            blocks.push(Block::Text("  ".into()));
        }
        if random.one_in(12) {
            self.open.clear();
        }
        self.push(Role::User, blocks, false, random);
    }

    fn push(&mut self, role: Role, blocks: Vec<Block>, instruction: bool, random: &mut Random) {
        self.messages += 1;
        let mut message = Message::new(role, blocks);
        if !random.one_in(5) {
            message = message.with_id(format!("message{}", self.messages));
        }
        self.entries.push(if instruction {
            Entry::Instruction(message)
        } else {
            Entry::Message(message)
        });
    }

    fn text(&mut self, random: &mut Random) -> Block {
        let words = match random.below(40) {
            0 => 60_000,
            1..=3 => 9_000,
            4..=9 => 1_500,
            _ => 20,
        };
        Block::Text(format!("text {} {}", self.messages, "word ".repeat(words)))
    }
}

fn image() -> Block {
    Block::Image(Image::Base64 {
        media_type: "image/png".into(),
        data: "iVBORw0KGgo=".into(),
    })
}

fn image_part() -> ResultPart {
    ResultPart::Image(Image::Base64 {
        media_type: "image/png".into(),
        data: "iVBORw0KGgo=".into(),
    })
}
