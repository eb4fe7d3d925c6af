//! Shell commands: which of them could change a memory, and which must pass untouched.

use serde_json::json;
use test_support::names_in;

use super::{Agent, denial};

/// An agent whose memory may only be read: there a command that could change it is refused, and one that
/// only reads is not.
struct ReadOnly {
    agent: Agent,
    memory: String,
    /// The name of the project's folder.
    key: String,
}

impl ReadOnly {
    fn new() -> Self {
        let agent = Agent::new("claude-code");
        agent.save("Note", "a note", "text");
        let memory = agent.memory_dir();
        let key = memory.parent().and_then(|folder| folder.file_name());
        let key = key.expect("a key").to_string_lossy().into_owned();
        let settings = agent.home.path().join(".claude/memstrata.toml");
        std::fs::write(settings, "[modes]\npersistent = \"read\"\n").expect("a file");
        ReadOnly {
            memory: memory.display().to_string(),
            agent,
            key,
        }
    }

    /// `@` stands for the memory folder, `%` for the name of the project's folder.
    fn denial(&self, command: &str) -> Option<String> {
        let command = command.replace('@', &self.memory).replace('%', &self.key);
        let tool = json!({"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": command}});
        let answer = self.agent.call("session-1", "PreToolUse", &tool);
        assert!(
            answer.is_null() || denial(&answer).is_some(),
            "{command}: {answer}"
        );
        denial(&answer).map(str::to_owned)
    }
}

const WRITES: &[&str] = &[
    // Redirections.
    "echo x > @/a.md",
    "echo x >@/a.md",
    "echo x >> ~/.claude/projects/%/memory/a.md",
    "echo x >| @/a.md",
    "echo x &> @/a.md",
    "make 2> @/a.md",
    "> @/a.md",
    "{ echo a; echo b; } > @/a.md",
    "cat > @/a.md <<'EOF'\nhello\nEOF",
    "cat <<-EOF >@/a.md\n\tx\n\tEOF",
    // Programs.
    "echo x | tee @/a.md",
    "sed -i s/a/b/ @/project_note.md",
    "sed -Ei.bak s/a/b/ @/project_note.md",
    "sed -n 'w @/a.md' b",
    "perl -pi -e s/a/b/ @/project_note.md",
    "cp a.md @/",
    "cp -t @ a.md",
    "mv @/project_note.md /tmp/x",
    "mv a.md @/a.md",
    "ln -s /etc/hosts @/x.md",
    "ln @/project_note.md other-name.md",
    "install -m 644 x @/a.md",
    "rsync -a --delete e/ @/",
    "dd if=/dev/zero of=@/a.md",
    "truncate -s 0 @/project_note.md",
    "touch @/a.md",
    "mkdir -p @/sub",
    "rm -- @/project_note.md",
    "\"rm\" '@/project_note.md'",
    "/bin/rm @/project_note.md",
    "sudo -u ana rm @/project_note.md",
    "env A=b rm @/project_note.md",
    "timeout 5 rm @/project_note.md",
    "env -C @ rm a.md",
    "sort -o @/a.md b",
    "find @ -name '*.md' -delete",
    "find -L @ -exec rm {} +",
    "find . -fprint @/a.md",
    "curl -o @/a.md http://localhost/",
    "curl -o@/a.md http://localhost/",
    "tar -C @ -xf x.tar",
    "tar xf x.tar --directory=@",
    "unzip x.zip -d@",
    "patch -p0 @/a.md < x",
    "chmod 000 @",
    "chown -R nobody @",
    "git -C @ checkout -- .",
    "git -C @ clean -fdx",
    "git checkout main -- @/a.md",
    "git log --output=@/a.md",
    "tool --out=@/a.md",
    "vim -es @/a.md",
    // Languages.
    "python3 -c \"open('@/a.md','w').write('x')\"",
    "python3 <<'EOF'\nopen('@/a.md', 'w').write('x')\nEOF",
    "python3.12 -c \"import os; os.remove('@/a.md')\"",
    "node -e \"require('fs').writeFileSync('@/a.md','x')\"",
    "python3 -c \"import os; open(os.path.expanduser('~/.claude/projects/%/memory/a.md'),'w')\"",
    "awk 'BEGIN{print \"x\" > \"@/a.md\"}'",
    "gawk -i inplace '{print}' @/project_note.md",
    "ruby x.rb @/a.md",
    // Scripts in quotes.
    "bash -c \"echo x > @/a.md\"",
    "sh -euc 'rm @/project_note.md'",
    "eval \"rm @/a.md\"",
    "bash <<'EOF'\nrm @/a.md\nEOF",
    "echo 'rm @/a.md' | sh",
    "sudo sh -c 'cd @ && rm *'",
    "echo $(rm @/a.md)",
    "echo \"`rm @/a.md`\"",
    "cat <(rm @/a.md)",
    "cat <<EOF\n$(rm @/a.md)\nEOF",
    "if true; then rm @/a.md; fi",
    "su ana -c 'rm @/a.md'",
    "watch -n 1 'touch @/a.md'",
    "exec 3> @/a.md",
    "f() { rm \"$1\"; }; f @/a.md",
    "a=(@/a.md b); rm \"${a[@]}\"",
    "rm ${NOWHERE:-@}/a.md",
    "rm \"${NOWHERE-@/a.md}\"",
    "cd \"$(dirname @/a.md)\" && rm b.md",
    "git commit -m \"$(cat <<'EOF'\nIt doesn't (yet\nEOF\n)\" && rm @/a.md",
    "git commit -m \"$(cat <<-\"E\"\n\tisn't\n\tE\n)\"; rm @/a.md",
    "X=$(echo a # don't :(\n); rm @/a.md",
    "X=$(cat <<< \"it's\"); rm @/a.md",
    "true && ! rm @/a.md",
    // The working folder.
    "cd @ && rm project_note.md",
    "(cd @; rm *)",
    "pushd @; rm x.md; popd",
    "cd ~/.claude/projects/% && echo hi > memory/a.md",
    "cd ~/.claude && cd projects/%/memory && echo x > a.md",
    "cd / ; cd - ; cd @ || exit 1 ; touch a.md",
    "cd @/nowhere; cd .. ; rm a.md",
    "cd @ && ./script",
    // Variables and pipes.
    "D=@; rm $D/a.md",
    "export D=~/.claude; rm \"${D}/projects/%/memory/a.md\"",
    "rm ${HOME}/.claude/projects/%/memory/a.md",
    "for f in @/*.md; do rm \"$f\"; done",
    "ls @/*.md | xargs rm",
    "ls @/*.md | xargs -n 1 -I{} rm {}",
    "ls @/*.md | while read -r f; do rm \"$f\"; done",
    "rm $(ls @/*.md)",
    "D=$(ls -d @); rm $D/a.md",
    "find @ -name '*.md' | xargs -0 sed -i s/a/b/",
    // Spellings.
    "rm ~/.claude/projects/%/me\\mory/a.md",
    "rm ~/.claude/projects/%/mem\"ory\"/a.md",
    "rm $'@/a.md'",
    "rm $'~/x' ~/.claude/projects/%/$'m\\x65mory'/a.md",
    "echo x > @\\\n/a.md",
    "rm @/./x/../a.md",
    "rm ~/.claude/projects/*/memory/a.md",
    "rm ~/.claude/projects/%/m*/a.md",
    "rm ~/.claude/projects/%/{memory,x}/a.md",
    "rm ~/.claude/projects/%/memor[xy]/a.md",
    "cp --target-directory=@ a.md",
    // Folders above.
    "rm -rf ~/.claude",
    "rm -rf ~/.claude/projects/*",
    "mv ~/.claude/projects/% /tmp/",
    "cd ~ && rm -r .claude",
    "rm -rf ~/.cl*",
];

const READS: &[&str] = &[
    "cat @/project_note.md",
    "cat ~/.claude/projects/%/memory/MEMORY.md",
    "cat < @/project_note.md | wc -l",
    "head -5 ~/.claude/projects/%/memory/MEMORY.md",
    "ls -la ~/.claude/projects/%/memory 2>&1 | tail -3",
    "ls -la @-state 2>/dev/null; cargo build",
    "grep -rn x @ | head",
    "rg foo @",
    "grep -c x @/*.md || true",
    "wc -l @/*.md",
    "find @ -name '*.md'",
    "find @ -name '*.md' -exec grep -l x {} +",
    "stat @/project_note.md && file @/project_note.md",
    "diff -r @ /tmp/x",
    "git -C @ log --oneline",
    "git -C @ --no-pager diff",
    "git log -- @",
    "git add @/a.md",
    "git commit -m 'document @/project_note.md and @-state'",
    "git commit -F - <<'EOF'\nsee @/a.md\nEOF",
    "git commit -m \"$(cat <<'EOF'\ndoc: it doesn't touch @/a.md (or > @-state)\n\nrm -rf @\nEOF\n)\" && git status",
    "git checkout . && git clean -fdx && git stash",
    "awk '{print $1}' @/project_note.md",
    "awk '$1 > 3 {print}' @/project_note.md",
    "sed -n 1,5p @/project_note.md",
    "sed -e s/a/b/ @/project_note.md > copy.md",
    "cat @/project_note.md > /tmp/copy",
    "cp @/project_note.md /tmp/x",
    "cp -r @ /tmp/backup",
    "rsync -a @/ /backup/",
    "tar czf backup.tgz @",
    "tar -cf - @ | gzip > backup.tgz",
    "ln -s @ shortcut",
    "cat @/project_note.md && cargo test",
    "cat @/project_note.md | python3 -c 'import sys; print(len(sys.stdin.read()))'",
    "sort @/project_note.md | uniq -c | sort -rn",
    "sha256sum @/*.md | sort",
    "for f in @/*.md; do cat \"$f\"; done",
    "ls @/*.md | xargs cat",
    "ls @/*.md | xargs -n 1 wc -l",
    "test -d @ && echo yes",
    "[ -f @/a.md ] && echo yes",
    "[[ -e @/a.md ]] || echo no",
    "cd @ && ls",
    "cd @; cat *.md",
    "(cd @ && cat *.md) && cargo test",
    "export MEMORY=@",
    "echo 'the memory is in @'",
    "printf '%s\\n' @/*",
    "echo \"rm -rf @-state\" # rm -rf @",
    "cat > README.md <<'EOF'\nSee @-state/journal and @/team/x.sh; rm -rf @\nEOF",
    "gh issue create --body 'something is broken in @/x and elsewhere'",
    "jq . @-state/identity.json",
    "du -sh @ @-state",
    "tail -n 20 ~/.claude/memstrata/hook.log",
    "memstrata show Note",
    "memstrata --memory-dir @ list",
    "ls ~/.claude/projects/*/memory | wc -l; make",
    "cat ~/.claude/projects/-other/memory/MEMORY.md && make",
    "echo x > ~/.claude/projects/-new/memory/a.md",
    // No word of it.
    "cargo test && git status",
    "rm -rf target ./memory memory/",
    "cd ~ && ls",
    "cp a ~/x && mv b ~/.cache/",
    "rm -rf /tmp/foo ~/.cache/x",
    "find . -name '*.tmp' -delete",
    "python3 -c 'print(1)'",
    "bash -c 'echo hello > memory.md'",
    "cd $(git rev-parse --show-toplevel) && rm -rf ${TMP:-/tmp/x}/y && make -C \"${DIR:=build}\"",
    "A=$A$A; echo $((1 + 2)) ${#A} $? $$ \"$@\"",
    "echo 'unclosed",
    "echo $( $( ` \" (",
    "cat <<EOF",
];

#[cfg(unix)]
#[test]
fn a_command_that_could_change_a_memory_is_seen_however_it_is_written() {
    let home = ReadOnly::new();
    for command in WRITES {
        let denial = home.denial(command);
        assert!(denial.is_some(), "passed: {command}");
    }
    assert_eq!(home.agent.log(), "");
    home.nothing_was_made();
}

#[cfg(unix)]
#[test]
fn a_command_that_only_reads_or_mentions_a_memory_passes_untouched() {
    let home = ReadOnly::new();
    for command in READS {
        assert_eq!(home.denial(command), None, "{command}");
    }
    assert_eq!(home.agent.log(), "");
    home.nothing_was_made();
}

impl ReadOnly {
    /// To judge a command makes no folder of the names in it.
    fn nothing_was_made(&self) {
        let projects = self.agent.home.path().join(".claude/projects");
        assert_eq!(names_in(&projects), [self.key.as_str()]);
    }
}

#[cfg(unix)]
#[test]
fn a_command_made_to_exhaust_the_guard_is_answered_and_recorded() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let memory = agent.memory_dir();
    let note = memory.join("project_note.md");
    let target = format!("; rm {}", note.display());
    let double = "A=$A$A;".repeat(200);
    for (number, long) in [
        "sudo ".repeat(50_000),
        "$(".repeat(50_000),
        "bash -c '".repeat(3_000),
        format!("A=aaaaaaaaaaaaaaaa;{double}echo {}", "$A".repeat(10_000)),
        "echo ".to_owned() + &"word/x ".repeat(100_000),
        (0..20_000).fold("tool ".to_owned(), |all, number| {
            format!("{all}p/{number} ")
        }),
        "(".repeat(100_000),
        "cat <<E\n".repeat(10_000),
        "x".repeat(3 << 20),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("toolu_{number}");
        let tool = json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": format!("{long}{target}")}});
        assert!(agent.call("session-1", "PreToolUse", &tool).is_null());
        let before = std::fs::read(&note).expect("a memory");
        std::fs::remove_file(&note).expect("the command removes it");
        agent.call("session-1", "PostToolUse", &tool);
        // Those that hide what they do are found at the end of the turn.
        std::fs::write(&note, before).expect("written");
    }
    // A long text in front of the path is no place to hide behind.
    let tool = |command: String| json!({"tool_name": "Bash", "tool_use_id": "toolu_x", "tool_input": {"command": command}});
    let state = memory.with_file_name("memory-state");
    let command = format!(
        "echo {} ; rm -r {}",
        "word ".repeat(20_000),
        state.display()
    );
    let answer = agent.call("session-1", "PreToolUse", &tool(command));
    assert!(denial(&answer).is_some());
}

#[cfg(unix)]
#[test]
fn a_folder_above_is_not_taken_away_with_its_history() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let bash = |command: &str| {
        let tool = json!({"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": command}});
        agent.call("session-1", "PreToolUse", &tool)
    };
    for command in [
        "rm -rf ~/.claude",
        "mv ~/.claude/projects /tmp/x",
        "rm -rf ~/.claude/projects/*",
    ] {
        let answer = bash(command);
        assert!(
            denial(&answer).is_some_and(|it| it.contains("history")),
            "{command}: {answer}"
        );
    }
    // What works on a folder above may go on; what it did is recorded.
    for command in [
        "git -C ~ status",
        "git -C ~ checkout .",
        "find ~ -name '*.pyc' -delete",
        "rm -rf ~/.claude/other",
    ] {
        assert!(bash(command).is_null(), "{command}");
    }
}

#[test]
fn a_command_runs_where_its_call_says() {
    let agent = Agent::new("gemini");
    agent.save("Note", "a note", "text");
    let state = agent.memory_dir().with_file_name("memory-state");
    let tool = json!({"tool_name": "run_shell_command", "tool_use_id": "x",
        "tool_input": {"command": "rm -r journal", "dir_path": state}});
    assert!(denial(&agent.call("session-1", "BeforeTool", &tool)).is_some());
    agent.finish();
}
