//! What holds for every command: help, exit codes, closed pipes, colours, completions.

use crate::harness::{Home, expect_closed_pipe_is_success};

#[test]
fn the_overview_shows_all_commands_on_one_screen() {
    let home = Home::new();
    for arguments in [&["-h"][..], &["--json", "-h"]] {
        let run = home.run(arguments).expect(0);
        assert!(run.out.lines().count() <= 40, "{}", run.out);
        for command in ["save", "recall", "scan", "mcp"] {
            assert!(
                run.out.contains(command),
                "{command} is missing:\n{}",
                run.out
            );
        }
    }
    let long = home.run(&["--help"]).expect(0).out;
    assert!(long.contains("Options of every command:"), "{long}");
    // With a command both are about that command.
    let short = home.run(&["save", "-h"]).expect(0).out;
    assert!(short.contains("--description") && short.contains("Options of every command:"));
}

#[test]
fn every_command_and_flag_has_two_help_texts() {
    let home = Home::new();
    let short = home.run(&["scan", "-h"]).expect(0).out;
    let long = home.run(&["scan", "--help"]).expect(0).out;
    assert!(long.len() > short.len());
    assert!(home.run(&["--help"]).expect(0).out.contains("Exit codes"));
}

#[test]
fn wrong_use_is_exit_code_2_and_says_how_it_is_done() {
    let home = Home::new();
    let run = home.run(&["scan", "--no-such-flag"]).expect(2);
    assert!(
        run.err.contains("--no-such-flag") && run.err.contains("Usage"),
        "{}",
        run.err
    );
    home.run(&["no-such-command"]).expect(2);
}

#[test]
fn the_name_alone_shows_where_to_begin() {
    let home = Home::new();
    let run = home.run(&[]).expect(2);
    assert_eq!(run.out, "");
    assert_eq!(run.err, home.run(&["-h"]).expect(0).out);
    assert!(run.err.contains("memstrata setup AGENT"), "{}", run.err);
    // A command that lacks its own is explained by itself.
    let run = home.run(&["team"]).expect(2);
    assert!(run.err.contains("memstrata team"), "{}", run.err);
}

#[test]
fn completions_are_made_for_each_shell() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = home.run(&["completions", shell]).expect(0);
        assert!(
            run.out.contains("memstrata") && run.out.contains("scan"),
            "{shell}"
        );
    }
}

#[test]
fn the_manual_page_lists_exit_codes_and_variables() {
    let page = Home::new().run(&["man"]).expect(0).out;
    for word in ["EXIT STATUS", "ENVIRONMENT", "NO_COLOR", "scan"] {
        assert!(page.contains(word), "{word} is missing");
    }
}

#[test]
fn the_manual_page_explains_every_command_and_points_to_no_page_that_is_not_there() {
    let home = Home::new();
    let page = home.run(&["man"]).expect(0).out.replace("\\-", "-");
    let overview = home.run(&["--help"]).expect(0).out;
    let commands = overview
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next());
    let mut seen = 0;
    for command in commands {
        let section = format!(".SS \"memstrata {command}");
        assert!(
            page.contains(&section) || page.contains(&section.replace('"', "")),
            "{command}"
        );
        seen += 1;
    }
    assert!(seen > 30, "{overview}");
    for option in [
        "--dry-run",
        "--confirm-deletes",
        "--read-only",
        "--with-token",
        "One of claude-code",
    ] {
        assert!(page.contains(option), "{option}");
    }
    assert!(!page.contains("(1)\n"), "{page}");
}

#[test]
fn a_closed_pipe_is_success() {
    let home = Home::new();
    expect_closed_pipe_is_success(&mut home.command(&["completions", "bash"]));
}
