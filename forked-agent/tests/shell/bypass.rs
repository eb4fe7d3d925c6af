//! Known ways around command vetters, one test per class.
//!
//! Each of them has worked against a vetter that looks at raw words, at the first word only, at a list
//! of forbidden things, or that hands the text to a shell afterwards.

use forked_agent::shell::{RefusalKind, vet};

use super::render;
use super::vet::scope;

/// Asserts that every command is refused with this class.
fn refused(kind: RefusalKind, commands: &[&str]) {
    for command in commands {
        match vet(command, &scope()) {
            Ok(script) => panic!("{command:?} is allowed as {}", render(&script)),
            Err(refusal) => assert_eq!(refusal.kind(), kind, "{command:?}: {refusal}"),
        }
    }
}

#[test]
fn a_command_substitution_hides_in_every_kind_of_quote_that_expands() {
    refused(
        RefusalKind::Syntax,
        &[
            "ls $(rm a)",
            "ls `rm a`",
            "ls \"$(rm a)\"",
            "ls \"`rm a`\"",
            "grep \"a$(rm a)\" b",
            "ls \"a\"$(rm a)",
        ],
    );
}

#[test]
fn a_process_substitution_or_here_document_runs_or_writes() {
    refused(
        RefusalKind::Syntax,
        &[
            "cat <(rm a)",
            "ls >(rm a)",
            "cat <<E",
            "cat <<-E",
            "cat <<<x",
        ],
    );
}

#[test]
fn a_variable_expands_to_an_option_or_a_path() {
    refused(
        RefusalKind::Syntax,
        &[
            "ls $x",
            "ls ${x}",
            "ls \"${x:-y}\"",
            "cat ${HOME}/.ssh/id",
            "cat$IFS/x",
            "ls $'\\x2d'",
            "ls \"$'a'\"",
        ],
    );
}

#[test]
fn a_second_command_hides_behind_any_operator() {
    refused(
        RefusalKind::Program,
        &[
            "ls;rm a",
            "ls&&rm a",
            "ls||rm a",
            "ls|sh",
            "ls 2>&1|sh",
            "ls 2>/dev/null;rm a",
            "ls ; ls | ls && rm a",
        ],
    );
    refused(RefusalKind::Syntax, &["ls & rm a", "ls |& sh", "ls &rm a"]);
}

#[test]
fn a_line_break_or_other_control_character_ends_a_command_unseen() {
    refused(
        RefusalKind::Character,
        &[
            "ls\nrm a",
            "ls\r\nrm a",
            "ls \\\nrm",
            "ls '\n'",
            "ls\u{b}a",
            "ls\u{c}a",
            "ls\u{0}a",
            "ls \u{1b}]0;x\u{7}",
        ],
    );
}

#[test]
fn a_blank_that_is_no_blank_to_the_shell_joins_or_splits_words() {
    refused(
        RefusalKind::Character,
        &[
            "cat\u{a0}/etc/passwd",
            "cat\u{3000}a",
            "cat a\u{2002}b",
            "cat\u{1680}a",
            "cat\u{205f}a",
            "cat\u{2800}a",
        ],
    );
}

#[test]
fn an_invisible_or_turning_character_shows_another_command() {
    refused(
        RefusalKind::Character,
        &[
            "cat a\u{200b}",
            "cat \u{202e}txt.a",
            "cat \u{2067}a",
            "cat a\u{ad}b",
            "cat \u{e0061}",
            "cat \u{feff}a",
        ],
    );
}

#[test]
fn a_redirection_writes() {
    refused(
        RefusalKind::Syntax,
        &[
            "ls >a", "ls>a", "ls >>a", "ls >|a", "ls 2>a", "ls &>a", "ls >&a", "ls <>a", "ls 1>&2",
            "ls 3>a", "ls {x}>a",
        ],
    );
}

#[test]
fn an_allowed_redirection_is_a_prefix_of_another() {
    refused(
        RefusalKind::Syntax,
        &[
            "ls 2>/dev/null2",
            "ls 2>/dev/null/a",
            "ls 2>/dev/nul",
            "ls 2>&12",
            "ls 2>&1a",
            "ls 2>&1>a",
            "ls 2>&1'a'",
        ],
    );
}

#[test]
fn a_quoted_number_before_a_redirection_is_a_word() {
    refused(
        RefusalKind::Syntax,
        &[
            "ls '2'>/dev/null",
            "ls \\2>&1",
            "ls \"2\">&1",
            "ls a2>&1",
            "ls ''2>&1",
        ],
    );
}

#[test]
fn a_program_is_named_by_path_alias_escape_or_quote() {
    refused(
        RefusalKind::Program,
        &[
            "/bin/ls", "./ls", "\\ls", "l\\s", "'ls'", "\"ls\"", "ls''", "LS", "ls\\ ",
        ],
    );
}

#[test]
fn a_wrapper_or_assignment_stands_before_an_allowed_name() {
    refused(
        RefusalKind::Program,
        &[
            "env ls",
            "A=1 ls",
            "command ls",
            "exec ls",
            "xargs ls",
            "sudo ls",
            "nice -n 1 ls",
            "time ls",
            "then ls",
            "LD_PRELOAD=./a.so ls",
            "BASH_ENV=a ls",
            "do ls",
        ],
    );
}

#[test]
fn a_group_function_or_negation_changes_what_runs() {
    refused(
        RefusalKind::Syntax,
        &[
            "(ls)",
            "{ ls; }",
            "ls() ls",
            "! ls",
            "ls | (cat)",
            "ls; { rm a; }",
        ],
    );
}

#[test]
fn find_runs_deletes_and_writes() {
    refused(
        RefusalKind::Option,
        &[
            "find . -exec rm a \\;",
            "find . -execdir rm a \\;",
            "find . -ok rm a \\;",
            "find . -okdir rm a \\;",
            "find . -delete",
            "find . -fprint a",
            "find . -fprint0 a",
            "find . -fprintf a x",
            "find . -fls a",
            "find . -name a -o -delete",
            "find . \\( -delete \\)",
            "find . -not -delete",
        ],
    );
}

#[test]
fn a_find_value_that_looks_like_a_predicate_does_not_shift_the_count() {
    // `-name` takes `-print`; then `-delete` is a predicate, whatever a list of words would think.
    refused(
        RefusalKind::Option,
        &["find . -name -print -delete", "find . -newer -name -delete"],
    );
    let script = vet("find . -name -delete -print", &scope()).unwrap();
    assert_eq!(render(&script), "find <.> <-name> <-delete> <-print>");
}

#[test]
fn a_long_option_is_abbreviated() {
    refused(
        RefusalKind::Option,
        &[
            "tail --f a",
            "tail --follo a",
            "wc --files0 a",
            "grep --dereference a b",
            "grep --fil=x a",
            "ls --recurs",
            "stat --deref a",
            "cat --number-n a",
        ],
    );
}

#[test]
fn a_forbidden_letter_hides_in_a_cluster_or_behind_operands() {
    refused(
        RefusalKind::Option,
        &[
            "tail -fn5 a",
            "tail -qf a",
            "tail a -f",
            "tail a b -qF",
            "grep -nR a b",
            "grep a b -rnR",
            "ls -laL",
        ],
    );
}

#[test]
fn a_path_is_attached_to_an_option() {
    refused(
        RefusalKind::Outside,
        &[
            "grep -f/etc/passwd a",
            "grep -nf/etc/passwd a",
            "grep --file=/etc/passwd a",
            "grep -rnf ../x a",
            "grep --exclude-from=/etc/passwd a b",
            "find . -newer /etc/passwd",
            "find . -samefile ../x",
        ],
    );
}

#[test]
fn names_of_files_come_from_a_file() {
    refused(
        RefusalKind::Option,
        &[
            "wc --files0-from=a",
            "wc --files0-from a",
            "find -files0-from a",
            "ls --files0-from=a",
        ],
    );
}

#[test]
fn a_double_dash_makes_an_option_out_of_an_operand_or_back() {
    let script = vet("tail -- -f", &scope()).unwrap();
    assert_eq!(render(&script), "tail <--> <-f>");
    refused(
        RefusalKind::Outside,
        &[
            "grep -- a /etc/passwd",
            "cat -- ../a",
            "grep -e a -- /etc/passwd",
        ],
    );
    // The dash dash is the value here, so the next word is an option again.
    refused(RefusalKind::Option, &["grep -e -- -R ."]);
}

#[test]
fn the_pattern_of_grep_is_no_path_unless_an_option_gave_the_pattern() {
    assert!(vet("grep /etc/passwd a", &scope()).is_ok());
    refused(
        RefusalKind::Outside,
        &[
            "grep -e a /etc/passwd",
            "grep /etc/passwd -e a",
            "grep /etc/passwd a --regexp=b",
            "grep /etc/passwd -fa",
        ],
    );
}

#[test]
fn a_program_walks_through_links_out_of_the_roots() {
    refused(
        RefusalKind::Option,
        &[
            "grep -R a .",
            "find -L .",
            "find -H a",
            "find . -follow",
            "ls -LR",
            "grep --dereference-recursive a .",
        ],
    );
}

#[test]
fn a_path_leaves_the_roots_by_its_text() {
    refused(
        RefusalKind::Outside,
        &[
            "cat ..",
            "cat ../a",
            "cat a/../../b",
            "cat /srv/project/../project-evil/a",
            "cat /srv/project-evil/a",
            "cat /srv/PROJECT/a",
            "cat ./../a",
            "cat //etc//passwd",
            "ls /home/ada",
            "cat '../a'",
            "cat .\\./a",
        ],
    );
}

#[test]
fn a_device_or_process_file_acts_when_it_is_read() {
    refused(
        RefusalKind::Special,
        &[
            "cat /dev/tty",
            "cat /dev/stdin",
            "cat /dev/fd/0",
            "head /dev/zero",
            "cat /proc/self/environ",
            "ls /proc",
            "cat /Dev/tty",
            "cat /srv/project/../../dev/tty",
            "grep a /proc/1/maps",
            "find /sys",
            "cat /dev//tty",
        ],
    );
}

#[test]
fn a_program_waits_for_a_terminal() {
    refused(
        RefusalKind::Input,
        &[
            "cat",
            "cat -",
            "head",
            "grep a",
            "grep a -",
            "wc - a",
            "tail -n 1 -",
            "stat -",
            "ls; cat",
            "grep -f - a",
        ],
    );
    refused(
        RefusalKind::Option,
        &["tail -f a", "tail --pid=1 -f a", "tail --retry a"],
    );
}

#[test]
fn a_number_is_followed_by_something_else() {
    refused(
        RefusalKind::Value,
        &[
            "tail -n5f a",
            "tail -n 5f a",
            "head -n 1e9 a",
            "head -n '' a",
            "tail -n - a",
            "head -n 0x5 a",
            "head -c 1Z a",
        ],
    );
}

#[test]
fn an_old_form_of_an_option_means_something_else() {
    refused(
        RefusalKind::Option,
        &["tail -5f a", "tail -5fq a", "head -5c a", "tail -f5 a"],
    );
    refused(RefusalKind::Value, &["tail +5 a", "tail +5f a"]);
}

#[test]
fn a_brace_or_extended_pattern_makes_words() {
    refused(
        RefusalKind::Syntax,
        &[
            "ls {a,/etc}",
            "ls a{1..2}",
            "cat {/etc/passwd,a}",
            "ls @(a)",
            "ls +(a)",
            "ls *(a)",
            "ls !(a)",
        ],
    );
}

#[test]
fn a_pattern_changes_the_number_of_operands_of_find_and_tail() {
    refused(
        RefusalKind::Pattern,
        &[
            "find * -name a",
            "find . -name *",
            "tail *",
            "tail -n 5 [ab]",
            "find ?",
        ],
    );
}

#[test]
fn a_tilde_is_a_home_folder() {
    refused(
        RefusalKind::Syntax,
        &[
            "cat ~/.ssh/id",
            "ls ~",
            "ls ~root/x",
            "ls a=~/x",
            "ls --x=~",
        ],
    );
}

#[test]
fn a_comment_or_history_mark_hides_the_rest() {
    refused(
        RefusalKind::Syntax,
        &["ls # a", "ls a #", "ls a#b", "ls !!", "ls !$", "ls a!b"],
    );
}

#[test]
fn readers_of_shell_text_disagree_about_an_escaped_dollar_before_a_quote() {
    refused(
        RefusalKind::Syntax,
        &["ls \\$'a'", "ls \\$\"a\"", "ls a\\$'\\'"],
    );
    assert!(vet("ls '$a' \\$a \"\\$a\"", &scope()).is_ok());
}

#[test]
fn a_command_is_too_long_to_be_read_by_a_person() {
    let long = format!("ls {}", "a".repeat(5_000));
    refused(RefusalKind::TooMuch, &[&long, &vec!["ls"; 40].join(";")]);
}
