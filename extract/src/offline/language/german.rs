//! German.

use super::Language;
use crate::offline::cue::Cue;

pub(super) const GERMAN: Language = Language {
    tag: "de",
    is_latin: true,
    fragments: &[],
    cues: CUES,
    weekdays: None,
    frames: ["Zur Person: ", "Die Regel: ", "Im Projekt: ", "Zu finden: "],
};

const CUES: &[(Cue, &[&str])] = &[
    (
        Cue::Lead,
        &[
            r"^(?:bitte|und|aber|also|nein|ja|danke|hallo|übrigens|noch was|wichtig|hinweis)(?:[,:;.!—] ?| |$)",
        ],
    ),
    (
        Cue::Question,
        &[
            r"^(?:warum|wieso|wie|was|wann|wo|wer|welche[rsn]?|sollten wir|sollen wir|kannst du|könntest du|ist|sind|gibt es)\b[^.]*\?",
        ],
    ),
    (
        Cue::Polite,
        &[r"^(?:kannst|könntest|würdest) du (?:dir )?(?:bitte )?"],
    ),
    (
        Cue::Hypothetical,
        &[
            r"\b(?:wenn wir immer|was wäre|angenommen|vielleicht|eventuell|könnte man|man könnte|ich überlege|stell dir vor|hypothetisch|zum beispiel)\b",
        ],
    ),
    (
        Cue::Reported,
        &[
            r"\b(?:er|sie|die doku(?:mentation)?|das readme|der linter|im ticket|jemand) (?:sagt|sagte|meint|meinte|schreibt|schrieb|steht)\b",
        ],
    ),
    (
        Cue::Remember,
        &[
            r"^(?:bitte )?(?:merk(?:e)? (?:dir|es dir)(?: bitte)?|behalte(?: bitte)? im (?:kopf|gedächtnis)|denk(?:e)? (?:in zukunft |künftig |immer )?daran|vergiss nicht|speichere? (?:dir )?(?:das )?im gedächtnis|notiere? dir)(?:[:,]? dass\b|[:,]| —)?",
        ],
    ),
    (
        Cue::RememberPrevious,
        &[
            r"^(?:bitte )?(?:merk(?:e)? dir das|behalte das im kopf|notiere? dir das)(?: bitte)?[.!]*$",
        ],
    ),
    (
        Cue::DoNotRemember,
        &[
            r"\b(?:merk dir (?:das|dies) nicht|nicht merken|nicht speichern|musst du dir nicht merken|vergiss das wieder)\b",
        ],
    ),
    (
        Cue::Withdraw,
        &[r"^(?:vergiss das|vergiss es|doch nicht|ich nehme das zurück|streich das)\b"],
    ),
    (Cue::Amend, &[r"\b(?:stattdessen|doch lieber|korrektur)\b"]),
    (
        Cue::Lasting,
        &[
            r"\b(?:ab jetzt|ab sofort|von nun an|von jetzt an|k(?:ü|ue)nftig|in zukunft|zuk(?:ü|ue)nftig|beim n(?:ä|ae)chsten mal|nie wieder)\b",
        ],
    ),
    (
        Cue::Rule,
        &[
            r"^(?:ab jetzt|ab sofort|von nun an|von jetzt an|künftig|in zukunft|zukünftig|beim nächsten mal) ",
            r"^(?:bitte )?(?:immer|niemals|nie|grundsätzlich) [^?]*(?:en|ern|eln)[.!]?$",
            r"^(?:frag|nutze?|verwende?|schreib(?:e)?|benutze?|mach(?:e)?|lass|teste?|pushe?|committe?|prüfe?|zeig(?:e)?|antworte) (?:mich |mir |bitte |die |den |das )*(?:immer|nie|niemals|stets|grundsätzlich)\b",
            r"\bwir [a-zäöü]+ (?:hier |bei uns |grundsätzlich )*(?:nie|niemals|immer|ausschließlich|nur)\b",
            r"\bhör(?:e)? (?:bitte )?(?:auf|damit auf)\b",
        ],
    ),
    (
        Cue::Preference,
        &[
            r"\bich (?:bevorzuge|mag es nicht|hasse es|hätte lieber|mag (?:es|kurze|knappe)|möchte, dass du)\b",
            r"\bmir ist (?:es )?lieber\b",
        ],
    ),
    (
        Cue::Complaint,
        &[
            r"^(?:bitte )?(?:keine?|nicht) [^?]*\bmehr\b",
            r"^(?:bitte )?keine? [a-zäöüß -]{3,60}(?:im code|in (?:commits|tests|prs|antworten|kommentaren))\b",
        ],
    ),
    (
        Cue::OneOff,
        &[
            r"\b(?:in|für|bei|an) (?:dieser|diesem|diese|diesen|der) (?:funktion|datei|methode|klasse|test|branch|commit|aufgabe|ticket|seite|pr)\b",
        ],
    ),
    (
        Cue::Once,
        &[
            r"\b(?:erstmal|erst mal|vorerst|dieses mal|diesmal|für heute|nur heute|gerade|im moment|bis auf weiteres)\b",
        ],
    ),
    (
        Cue::Person,
        &[
            r"\bich bin (?:hier )?(?:ein |eine |der |die )?(?:[a-zäöüß-]+ )?[a-zäöüß-]*(?:entwickler(?:in)?|ingenieur(?:in)?|manager(?:in)?|designer(?:in)?|analyst(?:in)?|architekt(?:in)?|student(?:in)?|tester(?:in)?|lehrer(?:in)?|berater(?:in)?|wissenschaftler(?:in)?|buchhalter(?:in)?|administrator(?:in)?|admin|programmierer(?:in)?|forscher(?:in)?|anfänger(?:in)?)\b",
            r"\bich (?:arbeite als|programmiere seit|habe [0-9a-zäöü]+ jahre|komme aus der|kenne mich mit [^,.]+ nicht aus|habe noch nie mit)\b",
            r"\bich bin neu (?:in|bei|mit)\b",
        ],
    ),
    (
        Cue::Decision,
        &[
            r"\bwir haben (?:uns )?(?:[a-zäöü ]+ )?(?:entschieden|beschlossen|vereinbart|geeinigt)\b",
            r"\bwir haben beschlossen\b",
        ],
    ),
    (
        Cue::Secret,
        &[r"\b(?:passwort|kennwort|schlüssel|token|pin)\b[a-z ]{0,12}(?:ist|lautet|:|=)"],
    ),
    (
        Cue::Reason,
        &[
            r" ?— (?:das|die|der|es|wir|sonst|sie)\b",
            r"[,;—( -]*\b(?:weil|denn|da (?:wir|es|sie|ich|das)|sonst|damit)\b",
        ],
    ),
    (
        Cue::Described,
        &[r"\b(?:er|es|das|die [a-z]+|der [a-z]+) [a-zäöüß]+ (?:immer|nie|niemals)\b"],
    ),
];
