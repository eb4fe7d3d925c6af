//! English.

use super::Language;
use crate::offline::cue::Cue;

pub(super) const ENGLISH: Language = Language {
    tag: "en",
    is_latin: true,
    fragments: FRAGMENTS,
    cues: CUES,
    weekdays: Some((
        "on ",
        [
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
        ],
    )),
    frames: [
        "About the user: ",
        "The user asks: ",
        "In this project: ",
        "Where to look: ",
    ],
};

const FRAGMENTS: &[(&str, &str)] = &[
    ("im", r"i(?:'m|m| am)"),
    (
        "role",
        r"(?:freelancer|engineer|developer|dev|programmer|designer|scientist|analyst|manager|lead|architect|student|researcher|teacher|professor|writer|founder|cto|ceo|admin|administrator|sre|dba|qa|tester|consultant|contractor|intern|maintainer|accountant|lawyer|doctor|physicist|statistician|mathematician|biologist|economist|marketer|operator|hobbyist|beginner|freelancer|novice|journalist|musician|director|coordinator|owner|specialist|trainer|apprentice|librarian|nurse|historian|linguist|translator|pm|po)",
    ),
    (
        "field",
        r"(?:back-?end|front-?end|ops|data|infra|security|design|qa|ml|mobile|ios|android|devops|web|db|database)",
    ),
    ("ive", r"i(?:'ve|ve| have)"),
    (
        "remember",
        r"(?:remember|remeber|rember|remmeber|rememeber|remembr)",
    ),
    ("dont", r"(?:don'?t|do not|pls no|plz don'?t)"),
    ("please", r"(?:please |pls |plz |kindly |just )?"),
    ("s", r"(?: |$)"),
    // What an agent does, as opposed to what a program does.
    (
        "do",
        r"(?:add|adjust|answer|apply|ask|assume|attach|avoid|bother|bump|call|change|check|cite|clean|close|comment|commit|communicate|confirm|copy|create|credit|cut|debug|delete|deploy|describe|diff|disable|document|draft|edit|enable|end|ensure|explain|extract|fix|flag|force|force-push|format|generate|give|go|group|hard-?code|hardcode|import|include|inline|install|introduce|invent|keep|label|leave|link|lint|list|local|make|mark|mention|merge|mock|modify|move|name|offer|open|optimi[sz]e|patch|pin|pipe|point|post|prefer|prefix|print|log|echo|paste|dump|reveal|expose|quote|repeat|apologi[sz]e|guess|invent|rely|preserve|prompt|propose|publish|push|put|read|rebase|refactor|refer|release|remove|rename|reorder|reply|report|request|respect|respond|rely on|delete|restart|reuse|revert|review|rewrite|round|rotate|run|say|schedule|send|separate|ship|show|sign|silence|skip|sort|spell|split|squash|start|stash|stick|stop|store|suggest|summari[sz]e|switch|take|talk|target|tell|test|touch|translate|treat|try|turn|type|update|upgrade|uppercase|lowercase|capitali[sz]e|upload|use|validate|verify|version|wait|wrap|write|be|do)",
    ),
    (
        "doing",
        r"(?:adding|apologi[sz]ing|asking|assuming|calling|changing|commenting|committing|creating|defaulting|deleting|editing|ending|explaining|finishing|fixing|formatting|generating|giving|guessing|hardcoding|importing|including|inlining|installing|introducing|inventing|leaving|making|mocking|modifying|moving|opening|over-?engineering|padding|praising|printing|prefixing|proposing|pushing|putting|refactoring|reformatting|removing|renaming|reordering|repeating|replying|responding|rewriting|running|saying|sending|showing|skipping|sprinkling|starting|suggesting|summari[sz]ing|telling|touching|trying|turning|updating|using|wrapping|writing)",
    ),
];

const CUES: &[(Cue, &[&str])] = &[
    (
        Cue::Lead,
        &[
            r"^(?:please|pls|plz|kindly|also|and|but|so|ok|okay|oh|hey|hi|hello|well|fyi|ps|p\.s\.?|btw|by the way|one more thing|just|then|now|thanks|thank you|thx|hmm|hm|ugh|argh|sorry|for the record|lastly|finally|for context|for your information|just so you know|just fyi|as i said|like i said|as mentioned|seriously|honestly|all right|alright|lgtm|\x1a)(?:[,:;.!—] ?| - ?| |$)",
            r"^(?:actually|wait|correction|on second thought|sorry|no|nope|nah|yes|yeah|yep|no no|again|great|good|nice|cool|perfect|awesome|exactly|correct|true|looks good|(?:[a-z]+ ){0,3}thanks|right|note|nb|important|reminder|heads[- ]up|one thing|another thing|last thing|first|second|secondly|third|context|quick note|side note|small note|note to self|look|listen|it works|works|claude|codex|gemini|assistant|agent|todo|preference|background|correction|style|workflow|process|convention|[0-9]+)(?:[,:;.!—] ?| - ?|$)",
        ],
    ),
    (
        Cue::Question,
        &[
            r"^(?:what|why|how|when|where|who|which|whose|do|does|did|is|are|was|were|am|can|could|would|will|should|shall|may|has|have|had|isn't|aren't|don't (?:we|you|i|they)|doesn't|didn't|can't|couldn't|wouldn't|won't|shouldn't)\b[^.]*\?",
            r"^(?:what|why|how|who|which|whose)(?:'s|\b)",
            r"^(?:should|shall|does|did|is|are|was|were|am|has|have you|do you|do we|do i) ",
        ],
    ),
    (
        Cue::Polite,
        &[r"^(?:can|could|would|will) you (?:please |pls |kindly |just |also |always |never )*"],
    ),
    (
        Cue::Hypothetical,
        &[
            r"^(?:if|when) (?:we|it|this|that|they|the|a|an|i|one|someone|everyone|users?|people|nobody) [^,]*\b(?:always|never|from now on|every time)\b",
            r"\bif (?:we|it|they|i|one|someone|everyone) (?:always|never|had|were|was)\b",
            r"\b(?:would|wouldn't|might|could|may) (?:always|never|be|have|make|mean|help|work|break|cause|lead)\b",
            r"\b(?:what if|suppose|supposing|imagine|pretend|let's say|let us say|hypothetically|in theory|theoretically|for example|e\.g\.|say we|assuming (?:we|that)|as if)\b",
            r"\b(?:maybe|perhaps|i wonder|wondering|i guess|not sure (?:if|whether|that|about)|i'm thinking|thinking (?:of|about)|considering|we could|one could|you could|we might|should we|whether (?:we|to|it)|i think we should|i was thinking|it'd be|it would be|wouldn't it)\b",
            r"\b(?:act as|role-?play|you are an?|you're an?|in the story|the character|user story|as an? [a-z]+, i want)\b",
        ],
    ),
    (
        Cue::Reported,
        &[
            r"\b(?:he|she|they|someone|somebody|everyone|everybody|people|reviewers?|the (?:docs?|documentation|readme|wiki|book|article|blog|post|guide|style ?guide|spec|rfc|manual|comment|comments|error|message|log|logs|linter|compiler|ticket|issue|pr|review|reviewer|prompt|tutorial|changelog|email|tweet|paper|author|answer|tooltip|page|banner|test|output|warning)|(?:his|her|their|its) [a-z]+) (?:says?|said|claims?|claimed|suggests?|suggested|recommends?|recommended|wrote|writes|tells?|told|states?|stated|reads|mentions?|mentioned|insists?|insisted|argues?|thinks?|wants?|complains?|asked)\b",
            r"\byou (?:mentioned|said|told me|suggested|wrote|claimed|recommended)\b",
            r"\b(?:says|said) (?:the|a|my|our|some)\b",
            r"\b(?:according to|i read that|i saw (?:that|a)|i heard|quote|quoting|unquote|stack ?overflow|rule says|policy says|as the saying goes|motto|slogan)\b",
            r"\x1a (?:is|was) (?:what|how)\b",
            r"\b(?:claude|agents|gemini|copilot-instructions|contributing)\.md\b|\.cursorrules\b",
            r"^(?:from|in) (?:the|a|an|his|her|their|our) [a-z ]{2,30}: ",
            r"\b(?:customer|user|client|feedback|review) (?:feedback|comment|quote|complaint|review)s?: ",
        ],
    ),
    (
        Cue::Task,
        &[
            r"^(?:{please})(?:(?:can|could|would) you |i need you to |i want you to |let's |help me |now |then )?(?:{please})(?:add|build|change|clean up|convert|create|debug|delete|draft|extract|find|fix|generate|implement|investigate|make|migrate|move|optimi[sz]e|port|refactor|remove|rename|replace|review|rewrite|run|set|set up|send|link|insert|render|parse|compose|put|show|hide|test|split|update|upgrade|wire|write) (?:a|an|the|this|that|these|those|my|our|all|some|new|me|it|up|unit|tests?|\x1a)\b",
            r"\b(?:here's|here is|this is) (?:the|my|a) (?:code|file|function|script|snippet|config)\b",
        ],
    ),
    (
        Cue::Remember,
        &[
            r"^(?:always |also )?{please}{remember}(?: that\b|:|,| —| - | (?:this|the following)(?: rule| fact| one| for [a-z ]{3,30})?(?::|,| —| - )| ()(?:i|i'm|im|i've|i'd|we|we're|our|my|never|always|not to|to always|to never)\b)",
            r"^{please}(?:save|store|put|add|record|write|keep|commit|log)(?: (?:this|that|it|the following))?(?: down)? (?:to|in|into) (?:your |the |my |project |long-term )?(?:memory|memories)(?: that\b| as\b)?[:,—-]?",
            r"^{please}(?:save|add|create|make|write) (?:this |a )?(?:new )?memory(?: that\b| about\b|:|,| —)",
            r"^{please}make a (?:mental |permanent )?note(?: for [a-z ]{3,30})?(?: that\b|:|,| of this:)",
            r"^{please}memori[sz]e(?: that\b| this:|:)",
            r"^{please}(?:note|keep in mind|bear in mind|be aware|take note)(?: this| that| the following)?,? for (?:the future|future(?: reference| sessions?| work| tasks)?|next time|later|later sessions?|all future [a-z]+)(?: that\b|:|,| —)?",
            r"^for (?:the|all|any|your) (?:next|future|later|upcoming) (?:sessions?|tasks?|conversations?|time)[:,—]",
            r"^for (?:the future|future reference|future sessions?|next time|later sessions?)[:,—]",
            r"^{please}(?:{dont}|never) forget(?: that\b|:| ()(?:i|we|our|my)\b)",
            r"^(?:i want|i'd like|i need) you to (?:always )?remember(?: that\b|:|,)",
            r"^(?:you should|you must|you need to) (?:always )?(?:remember|know)(?: that\b|:|,)",
            r"^(?:keep|bear) (?:this |it )?in mind(?: for [a-z ]{3,30})(?: that\b|:|,)",
        ],
    ),
    (
        Cue::RuleTitle,
        &[
            r"^(?:(?:a|one|another|new|general|house|team|project|repo|ground|standing|my|our|golden|important|small) )*rules?(?: for [^:]{2,30}| here| of thumb| number [a-z0-9]+)?(?::| —) ",
        ],
    ),
    (
        Cue::Norm,
        &[
            r"\b(?:never|always|must(?:n't| not)?|may not|not allowed|cannot be|can't be|no [a-z]+|should(?:n't| not)?|has to|have to)\b",
        ],
    ),
    (
        Cue::Wish,
        &[r"\bi(?:'d like| want| need| expect| prefer| would like| only want| {dont} want)\b"],
    ),
    (
        Cue::Blame,
        &[
            r"^(?:(?:no|wrong|ugh|argh|hey)[,.!]* )?(?:you (?:again|once again|keep|just|always|did it again|forgot|broke|rewrote|changed|deleted|committed)|why (?:did|do|are|have|would) you|that's not (?:what|how)|this is the (?:second|third|fourth|fifth|[0-9]+th) time|you should(?:'ve| have)|not like that|this is not what|wrong[.!])",
        ],
    ),
    (
        Cue::TextWork,
        &[
            r"^{please}(?:(?:can|could|would) you )?{please}(?:translate|proofread|rephrase|reword|paraphrase|spell-?check|correct the (?:grammar|spelling)|polish (?:this|the))\b",
            r"^{please}(?:(?:can|could|would) you |let's |help me )?{please}(?:write|draft|compose|prepare|send|create|add|post|generate) (?:an?|the|some|another|me an?) (?:[a-z.-]+ ){0,3}(?:e-?mail|mail|message|announcement|section|paragraph|guide|guidelines|policy|blog post|tweet|reply|letter|newsletter|banner|notice|memo|release notes?|contributing|slide|speech|story|poem|lint rule|rule in|rule to|rule for|faq)\b",
        ],
    ),
    (
        Cue::Visit,
        &[
            r"^{please}(?:(?:can|could) you )?{please}(?:look at|have a look at|take a look at|see|check out|check|open|read|visit|go to|fetch|clone|download|summari[sz]e|browse|try|curl|get|compare|use) (?:this|that|the [a-z ]{3,20}|it|\x1a)?:? ?https?:[^ ]+(?: and\b| then\b|[.!,]|$| to )",
        ],
    ),
    (
        Cue::RememberPrevious,
        &[
            r"^{please}(?:remember|save|note|memori[sz]e|store|record|keep) (?:this|that|it)(?: one)?(?: (?:in|to|into) (?:your |the )?memory| for (?:the future|future [a-z]+|next time|later(?: sessions?)?|good)| in mind(?: for [a-z ]+)?| down)?,?(?: please| pls)?[.!]*$",
            r"^{please}(?:always )?(?:stick to|follow|respect) (?:that|this|it|this rule|that rule)(?: from now on| always| every time| please)?[.!]*$",
            r"^{please}(?:keep|leave) (?:it|doing it) (?:like|that|this) ?(?:that|this|way)?[.!]*$",
            r"^{please}(?:keep|bear) (?:this|that|it) in mind(?: for [a-z ]+| from now on)?[.!]*$",
        ],
    ),
    (
        Cue::DoNotRemember,
        &[
            r"\b(?:{dont}|no need to|never|not necessary to|you needn't|shouldn't|won't need to) (?:bother |ever |need to )?(?:remember|save|store|record|memori[sz]e|write down|note down|keep)(?:ing)? (?:this|that|it|any of|anything|these|those|my|the above|what i)\b",
            r"\b(?:don't|do not|no need to|not) (?:add|put|save|store|write)(?:ing)? (?:this|that|it|any of this|anything)? ?(?:to|in|into) (?:your |the )?memory\b",
            r"\boff the record\b",
            r"\bnothing (?:here )?(?:worth|needs?) (?:remembering|saving|to be saved)\b",
            r"\b(?:forget|ignore) (?:this|that) after\b",
        ],
    ),
    (
        Cue::Withdraw,
        &[
            r"^(?:actually,? |no,? |oh,? |wait,? |sorry,? |hmm,? |ok,? |please )*(?:scratch that|strike that|forget (?:that|it|what i (?:just )?said|the (?:last|previous) (?:rule|thing|one))|never ?mind|nvm|ignore (?:that|what i (?:just )?said|my (?:last|previous) (?:message|rule|comment))|disregard (?:that|my|what)|i take (?:that|it) back|i was wrong|cancel that|that was wrong|undo that|on second thou?ght|i changed my mind|i've changed my mind)\b",
        ],
    ),
    (
        Cue::Amend,
        &[
            r"^(?:actually|no wait|wait|correction|sorry|on second thought|scratch that|instead)\b",
            r"\b(?:instead|after all|not [a-z]+ any ?more|i meant|i changed my mind|changed my mind)\b",
        ],
    ),
    (
        Cue::Lasting,
        &[
            r", (?:always|every time|every single time)[.!]*$",
            r"\bin (?:the )?future(?:,|[.!—:]| —| please| always| never| use| don'?t| do not| ask| run| put| write| keep| add| check| you|$)",
            r"\bfrom now on\b",
            r"\b(?:from now on(?:wards)?|from here on(?: out| in)?|from this point (?:on|forward)|from today(?: on)?|going forward|moving forward|henceforth|for (?:the|all) future(?: [a-z]+)?|for future (?:reference|sessions?|prs?|commits?|tasks?|work|changes|conversations?)|in future (?:sessions?|prs?|commits?|tasks?|work|conversations?)|next time|ever again|any ?more|at all times|without exception|for all my projects|in all my projects|across all (?:my |our )?projects|as a standing rule|as a permanent rule|permanently)\b",
        ],
    ),
    (
        Cue::Habitual,
        &[
            r"\b(?:every time|each time|any ?time|whenever|as a (?:general )?rule|by default|in general|generally|every (?:commit|pr|pull request|change|release|migration|session|file you|deploy|merge|answer|reply)|each (?:commit|pr|pull request|change|release|migration|session)|before (?:each|every|any)|after (?:each|every|any)|in this (?:repo|repository|project|codebase|workspace|monorepo|org|team)|in our (?:repo|repository|project|codebase|team|org)s?|around here|on this (?:team|project))\b",
        ],
    ),
    (
        Cue::Rule,
        &[
            r"(?:^|, |; |: |— |- |\) |\band |\bbut |\bso |\bthen |\bplease |\bpls |\bplz |\bjust )(?:always|never ever|never|under no circumstances|at no point|{dont} ever) (?:{please})(?:manually |directly |blindly |silently |automatically |ever |again |also |first |explicitly )?{do}\b",
            r"^(?:when|whenever|if|before|after|for|in|on|as) [^?]{3,70} (?:always|never) (?:{please}){do}\b",
            r"^we have (?:a|an|this|one|the) (?:strict |simple |standing |firm |hard )?(?:convention|rule|policy|habit|tradition|agreement|standard)\b",
            r"\b(?:must|should|may|can) (?:always|never|not ever) (?:contain|have|include|start|end|carry|mention|go|{do})\b",
            r"^only {do}\b.*\b(?:when|if|after|once|with|on|unless) (?:i|you|my|we|all|the tests?|tests)\b",
            r"^(?:when(?:ever)?|if) (?:in doubt|unsure|you(?:'re| are) (?:not sure|unsure|in doubt|uncertain|stuck)|something is (?:unclear|ambiguous)|anything is unclear|things are unclear|you {dont} know)\b",
            r"\b(?:{dont}|never) .* without (?:asking|my (?:ok|okay|approval|permission|consent|go-ahead)|checking with|telling me|confirming)",
            r"\b(?:{dont}|never) .* unless (?:i|we|you(?:'re| are) (?:asked|told))\b",
            r"\byou (?:should|must|need to|have to|can|may|shall|are to|ought to)(?: please)? (?:always|never|not ever)\b",
            r"\byou (?:always|never) (?:need to|have to|should|must|ask|run|use|write|commit|push|check|add)\b",
            r"\b(?:make sure|be sure|ensure)(?: that)?(?: you| to)? (?:always|never) {do}\b",
            r"\b(?:i|we) (?:want|need|expect|would like|'d like|would prefer) you to (?:always|never)\b",
            r"\bi(?:'d| would) (?:always|never) (?:want|like) (?:you|to see)\b",
            r"^(?:our|my|the|team|house) (?:[a-z-]+ )?(?:rule|convention|policy|standard|preference|guideline) (?:is|here is|for [a-z ]{2,30} is)\b",
            r"^(?:absolutely |strictly )?no [a-z' -]{3,40} (?:ever|in this (?:repo|project|codebase)|in our [a-z]+|please|any ?more|allowed|without (?:asking|my|approval|a))\b",
            r"\b(?:must|should|may|can) never be (?:committed|pushed|edited|touched|merged|deployed|logged|checked in|changed|deleted|mocked|used)\b",
            r"\b(?:must|should) always be (?:written|signed|squashed|reviewed|rebased|tested|asked|formatted|kept|in|documented)\b",
        ],
    ),
    (
        Cue::Convention,
        &[
            r"(?:^|, |; |: |— |- |\band |\bbut |\bso |\bbecause |\bsince )(?:here |at [a-z]+ |in this (?:repo|project|team),? |on this team,? |in our (?:team|org|repo)s?,? )?we (?:always|never|only(?: ever)?|{dont} ever) {do}\b",
            r"(?:^|, |; |: |— |- |\bbut |\bso )(?:here |in this (?:repo|project|codebase|team),? |on this team,? |around here,? |in our (?:team|org|repo|codebase)s?,? )we (?:{dont} )?{do}\b",
            r"\bwe (?:{dont} )?{do}\b.*\b(?:around here|in this (?:repo|project|codebase|team)|on this (?:team|project)|in our (?:team|org|repo|codebase)s?)\b",
            r"\bwe {dont} (?:use|do|write|mock|commit|push|deploy|merge|add|like|allow|want|edit|ship|touch|put)\b.*(?:,|;|—|-|\.|\bbut\b) ?(?:we (?:use|do|write|always|only|put|prefer)|use|only)\b",
            r"^(?:every|each|all) (?:pr|pull request|commit|commit message|change|release|feature|migration|bug ?fix|branch|new (?:module|function|class|file|feature|test))(?:e?s)? (?:needs?|must|has to|have to|should|gets?|requires?|goes?|starts?)\b",
            r"^we (?:{dont} )?(?:use|do|write|mock|commit|push|deploy|merge|add|allow|accept|want|edit|ship|touch|put|name|keep|test|speak|review|squash|rebase|log|format) [^.]{2,70} (?:here|around here)[.!]?$",
            r"^we (?:write|name|word|title|prefix|format|squash|rebase|sign) (?:all |our |every )?(?:commits?|commit (?:messages?|subjects?|titles?)|branch(?:es)?(?: names?)?|prs?|pull requests?|tags|changelog entries) (?:in|with|as|like|after|before|by|so)\b",
            r"^we {dont} (?:use|do|write|mock|commit|push|deploy|merge|allow|accept|ship) [^,.;—]{2,50}(?:,|;| —| because| since)",
            r"^{please}use (?:[a-z0-9@/._\x1a-]+ ?){1,2}(?:,? not|,? never| ?instead of| ?rather than) (?:[a-z0-9@/._\x1a-]+ ){1,2}(?:in this (?:repo|project|codebase)|here|everywhere|for everything)",
            r"^we use [a-z0-9@/._ \x1a-]{2,40}(?:, not|,? never|,? not| instead of| rather than)\b",
            r"^(?:everything|everyone|all (?:commits|prs|changes|releases|code|docs|branches|commit messages)) (?:here |in this repo )?(?:goes|go|must|has to|have to|needs? to|are|is) (?:always )?(?:go|be |through|written|squashed|signed|reviewed|rebased|in [a-z]+$|prefixed|named)",
        ],
    ),
    (
        Cue::Preference,
        &[
            r"\bi (?:really |strongly |generally |usually |much |personally |always |would |do )*prefer\b",
            r"\bi(?:'d| would) (?:really |much |always |generally )?(?:rather|prefer)(?: that| if| it if)? you\b",
            r"\bi (?:really |absolutely |strongly )?(?:hate|dislike|can't stand|cannot stand|{dont} (?:like|want|need)) (?:it when|when|that|how|seeing|having|getting|to see|you|emojis?|comments|summaries|long|any)\b",
            r"\bi (?:really |do )?(?:like|love|appreciate|enjoy) (?:it when|when you|how you|that you|to see|short|concise|terse|small)\b",
            r"\bmy (?:personal |strong |general )?preference is\b",
            r"\bit(?:'s| is) (?:very |really |super |extremely )?important (?:to|for) (?:me|us)\b",
            r"\bi care (?:a lot |deeply |more )?(?:about|that)\b",
            r"\bwhat i (?:like|love|want|need|care about|hate) (?:most|best|is|about)\b",
            r"\bi(?:'d| would) (?:really )?appreciate it if you\b",
            r"\bi (?:always|never|only|usually) (?:use|write|want|commit|squash|rebase|deploy|work|run|read|format|name)\b",
            r"\bi like (?:my|the) [a-z ]{3,30} (?:short|small|terse|plain|sorted|to be|in|as|without|with)\b",
            r"\bi want (?:all|every|my|short|concise|terse|the (?:diff|tests|plan|commit|answers?)|you to (?:ask|show|explain|use|write|run|keep|stop|check|be|tell|wait|answer|reply))\b",
        ],
    ),
    (
        Cue::Complaint,
        &[
            r"^(?:{please}|can you |could you |would you |you need to |you have to |you should |i need you to |i want you to |i told you to )*(?:stop|quit|no more|enough with(?: the)?|cut (?:it )?out(?: with)?(?: the)?|lay off) (?:always |constantly |just |the )?{doing}\b",
            r"^(?:no more|enough with the) (?:emojis?|comments|summaries|summary|apologies|docstrings|mocks|todo comments|trailing|filler|preambles?|recaps?|boilerplate|bullet)",
            r"\byou (?:keep|always|constantly|kept|keep on) {doing}\b",
            r"\bi(?:'ve)? (?:already )?(?:told|asked) you (?:already |before |many times |twice |again |several times |\x1a )*(?:not to|to always|to never|to stop|to)\b",
            r"\bhow (?:many|often) (?:times )?(?:do|must) i\b.*\b(?:not to|to)\b",
            r"^{please}{dont} (?:ever |do (?:that|this) |[a-z' -]{2,60} )?again\b",
            r"^{please}{dont} .*\b(?:again|any ?more|ever)[.!]*$",
            r"^that's not how we\b",
        ],
    ),
    (
        Cue::Refusal,
        &[r"^(?:{please}|you should |you shouldn't |you )*(?:{dont}|avoid|no|not)\b"],
    ),
    (
        Cue::Imperative,
        &[
            r"(?:, |; |: |— |\bthen |\bso )(?:please |pls |also |then |always |never |first |just |you (?:should|must|need to|have to) )*(?:{dont} )?{do}\b",
            r"^(?:please |pls |plz |just |only |always |never |also |then |first |you (?:should|must|need to|have to|can|will|shall) (?:also |always |never |first )?|i(?:'d like| want| need| would like) you to |make sure (?:you |to |that you )?|be sure to |{dont} (?:ever )?|ask |let's )*{do}\b",
        ],
    ),
    (
        Cue::Praise,
        &[
            r"\b(?:was|is) (?:exactly |absolutely |definitely )?the right (?:call|choice|approach|move|way)\b",
            r"\b(?:keep (?:doing (?:that|this|it)(?: like (?:that|this))?|it that way|{doing}))\b",
            r"\bexactly (?:how|the way|what) (?:i|we) (?:want|like|prefer|need) (?:it|you|these|this|them|my|our|commits|prs|tests)\b",
            r"\bexactly (?:the|what|how) [a-z ]{0,40}(?:i|we) (?:want|like|need|prefer)\b",
            r"\b(?:good call|great call|glad you|nice that you|good that you|i'm glad (?:that )?you|smart to) (?:on )?{doing}?",
            r"\b(?:good call|glad (?:that )?you|good that you|nice that you|great that you)\b",
        ],
    ),
    (
        Cue::OneOff,
        &[
            r"\b(?:in|to|for|on|from|of|with|at|inside|within|into) (?:this|that|these|those) (?:new |one |single |particular |specific |exact |whole )?(?:handler|function|method|class|file|files|module|component|page|endpoint|route|test|tests|suite|pr|pull request|branch|commit|task|ticket|issue|bug|fix|change|case|cases|example|demo|script|query|table|column|field|line|block|loop|struct|enum|type|interface|hook|screen|view|form|button|modal|dialog|migration|job|session|conversation|chat|message|answer|reply|response|time|one|sprint|iteration|refactor|request|prototype|spike|experiment|api|service|call|parser|regex|dockerfile|pipeline|step|section|paragraph|document|doc|readme|review|round|snippet|config|widget|worker|thread|run|patch|release)\b",
            r"\b(?:this|that|the) (?:handler|function|method|class|endpoint|route|component|page|button|modal|parser|regex|query|script|loop|variable|field|column|hook|widget|test|constructor|getter|setter|cache|cookie|header|callback|promise|struct|enum|migration|response|request|popup|form|input|dropdown|tooltip|sidebar|table|row) (?:should|must|needs? to|has to|may|can|will|is|returns?|always|never)\b",
        ],
    ),
    (
        Cue::Once,
        &[
            r"\b(?:for now|right now|just now|this time|just this once|this once|for the moment|at the moment|temporarily|for today|just today|only today|today only|tonight|for the rest of (?:this|the|our)|in (?:this|the current) (?:session|conversation|chat|thread)|when you're done|once you're done|once (?:that|this|it)(?:'s| is)|when (?:it|that|this)(?:'s| is) done|in one go|quickly|the one (?:i|we|you)|on line [0-9]+|at line [0-9]+)\b",
        ],
    ),
    (
        Cue::Until,
        &[
            r"\b(?:until (?:i|we|it|the|tests?|ci|then|that)|till (?:i|we|then)|while (?:i|we|you)(?:'re| are| am)|as long as we're|before i (?:go|leave|merge))\b",
        ],
    ),
    (
        Cue::Choice,
        &[
            r"\b(?:option|approach|variant|version|solution|choice|number|plan) (?:[a-d1-9]|one|two|three|\x1a)\b",
            r"\bthe (?:first|second|third|last|latter|former|other|simpler|shorter|longer|original|previous|current|above|new|old) (?:one|option|approach|version|variant|solution|idea|name|way|plan|design)\b",
            r"\b(?:prefer|like|want) it (?:without|with|in|on|as|to|the|a|on the)\b",
            r"\b(?:prefer|like|want|rather have|rather) (?:this|that|it|these|those|the (?:first|second|third|last|latter|former|other|red|blue|green|dark|light))(?: (?:one|better|more|best|version)|[.,!;]|$)",
        ],
    ),
    (Cue::Here, &[r"(?:[a-ce-z,0-9]|[^n]d) here[.!]?$"]),
    (
        Cue::Described,
        &[
            r"\b(?:it|this|that|he|she|they|which|who|there|everything|something|nothing|nobody|someone|[a-z]+s|the [a-z-]+|[a-z]+ing) (?:still |also |almost |nearly |will |would |has |have |can |could |does |do |is |are |was |were |just )?(?:always|never)\b",
            r"\b(?:i|we|you) (?:have |had |'ve |'d |did |was |were |could |would |will |'ll |can |almost |just )(?:always|never)\b",
            r"\b(?:always|never) (?:[a-z]+[^e ]ed|got|gets|had|has|have|was|were|is|are|been|did|does|saw|made|worked|knew|came|went|took|found|ran|wrote|thought|understood|happened|happens|happen|know|knew|mind|seem|seems|wanted|works|work|fails|fail|returns|passes|pass|again)\b",
            r"\balmost (?:always|never)\b",
            r"\bnot always\b",
            r"\bas always\b",
            r"\bhappily ever\b",
        ],
    ),
    (
        Cue::Behaviour,
        &[
            r"\b(?:always|never) (?:trim|sleep|exceed|animate|scroll|flicker|wait (?:more|longer)|return|throw|raise|emit|render|fall back|default|escape|redirect|retry|cache|fail|succeed|block|panic|crash|be (?:null|none|nil|true|false|empty|zero|undefined|visible|hidden|disabled|enabled|called|shown|positive|negative|present|set)|close|display|trigger|load|fetch|evaluate|resolve|reject|overflow|exceed|expire|hit|sort|convert|serialize|deserialize|parse|overwrite)\b",
        ],
    ),
    (
        Cue::Product,
        &[
            r"\b(?:users?|admins?|visitors?|customers? (?:click|open|log|sign|see|order|pay)s?|shoppers?|players?|pages?|buttons?|modals?|dialogs?|sections?|forms?|toasts?|popups?|sidebars?|navbars?|tabs? bar|menus?|tooltips?|icons?|blank lines|input|inputs|notifications?|orders?|requests?|responses?|endpoints?|payloads?|cookies?|tokens?|attempts?|fields?|rows?|records?|amounts?|columns?|cells?|sensors?|packets?|sockets?|threads?|the (?:server|client|service|app|api|parser|validator|scheduler|worker|job|queue|cache|database|function|method|handler|loop|cursor|window|player|board|grid|screen|map|chart|game|bot|header|footer))\b",
        ],
    ),
    (
        Cue::Workflow,
        &[
            r"\b(?:you|your|yourself|me|us|my|commits?|committing|commit messages?|prs?|pull requests?|push|pushing|main|master|branch(?:es)?|merge|merging|rebase|squash|tests? (?:before|first|for|suite|with)|run (?:the )?(?:tests?|suite|linter|lint|formatter|build|checks?)|tests|linter?|lint|reviews?|reviewers?|changelog|answers?|repl(?:y|ies)|responses? to me|explain|diffs?|plan|comments?|docstrings?|docs|documentation|dependenc(?:y|ies)|librar(?:y|ies)|packages?|releases?|deploys?|deploy|migrations?|code|codebase|repo|repository|project|naming|names|variables?|identifiers?|functions|modules|classes|components|types|imports?|exports?|abbreviations|emojis?|summar(?:y|ies)|ask|tell|public api|config|files?|fixtures|mocks?|mock|language|english|german|chinese|style|format|formatter|refactor(?:ing|ings)?|pnpm|npm|yarn|bun|cargo|git|docker|make|sql|typescript|python|rust|any|stack traces?|todos?|todo|errors? messages?|tickets?|issues?|production|prod|staging|data|secrets?|credentials|lockfile|lock file)\b",
        ],
    ),
    (
        Cue::Person,
        &[
            r"\b{im} (?:currently |now |basically |mostly |actually |primarily |just |originally )*(?:a|an|the|one of the|our|your) (?:[^ ,.;:!?]+ ){0,4}(?:{role}|{field} (?:person|guy|folk|girl))\b",
            r"\bi (?:work|worked) as (?:a|an|the|your|our)\b",
            r"\bi (?:work|worked) (?:in|for|at|on) (?:a|an|the|our) [a-z -]{0,30}(?:team|department|company|startup|start-up|bank|agency|lab|university|hospital|school|studio|group|firm|office)\b",
            r"\bi work (?:in|on) (?:marketing|sales|finance|legal|support|ops|operations|security|research|design|data|infrastructure|infra|devops|hr|qa|product|embedded|games|healthcare|fintech|academia|machine learning|ml|ai)\b",
            r"\bi work (?:remotely|part-?time|mostly (?:in|with|on)|mainly (?:in|with|on)|on a (?:mac|windows|linux|laptop|chromebook|macbook))",
            r"\bas (?:a|an|the) (?:[^ ,.;:!?]+ ){0,3}{role},? i(?:'m|'d|'ve)? (?:am|care|know|need|mostly|mainly|only|don't|would|have|usually|work|look)\b",
            r"\bi haven'?t (?:really )?(?:done|written|used|touched|worked|programmed|coded) [^,.]*\b(?:since [0-9a-z]|in (?:years|ages|a long|over|more|[0-9])|for (?:years|ages|over|[0-9]+|[a-z]+ years))",
            r"\bmy (?:eyesight|hearing|vision|sight|memory|typing) is\b",
            r"\b{im} [^,.]{2,20} by (?:training|trade|profession|education)\b",
            r"\b{ive} (?:been )?(?:writing|doing|using|working|programming|coding|building|managing|running|teaching|developing|leading|administering|maintaining|shipping) .*\b(?:for|since) (?:about |around |over |almost |nearly |more than |roughly |like )?(?:the (?:past|last) )?(?:[0-9]+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|many|several|a few|decades?)\+? ?(?:years?|yrs?|decades?|months?)\b",
            r"\b{ive}(?: got)? (?:about |around |over |almost |nearly |more than |roughly |like )?(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|many|several|a few)\+? (?:years?|yrs?|decades?)(?:'| of| in| with| doing| experience)",
            r"\b{ive} (?:done|written|used|programmed) [a-z0-9+#. /]{2,30} (?:for|since) ",
            r"\b{im} (?:very |totally |completely |fairly |pretty |quite |still |brand |rather |relatively |a bit )*(?:new to|unfamiliar with|not (?:very |that |too |really )?familiar with|familiar with|comfortable with|fluent in|good at|bad at|an expert in|learning|not (?:an? )?(?:expert|good|great|comfortable)|self-taught|proficient in|experienced (?:in|with)|well versed|rusty (?:in|on|with|at))\b",
            r"\b{ive} (?:never|barely|only|hardly) (?:really |ever )?(?:used|written|touched|worked|done|programmed|seen|coded|built|tried)\b",
            r"\b(?:this is|it's|its|that's) my first (?:time (?:with|using|writing|doing|in|touching|on)|[a-z]+ (?:project|app|service|job|codebase)|[a-z]+ ?[a-z]* (?:project|codebase|front ?end|app))\b",
            r"\bmy (?:background|day job|job|role|profession|field|expertise|speciality|specialty|native language|mother tongue|first language|time ?zone|pronouns|title|job title|name|main language|team) (?:is|are|was)\b",
            r"\bi (?:mostly|mainly|usually|primarily|normally|only) (?:do|write|work|code|program|build|design|develop)\b",
            r"\b[a-z+#.]+ (?:is|are) (?:still |completely |totally |very |all |pretty |brand )?new to me\b",
            r"\b(?:english|german|french|spanish|chinese|japanese) is(?:n't| not) my (?:first|native|mother)",
            r"\bmy (?:english|german|french|spanish|chinese|japanese) is (?:not |pretty |very |quite |rather )*(?:good|bad|poor|weak|limited|basic)",
            r"\bi come from (?:a |an |the )?[a-z0-9+#/. -]{2,40}\b",
            r"\b{im} (?:based|located|living) in\b",
            r"\bi live in\b",
            r"\b{im} (?:color|colour)[- ]?blind\b",
            r"\b{im} (?:deaf|blind|dyslexic|left-handed|vegetarian|vegan|visually impaired|hard of hearing)\b",
            r"\bi use (?:a screen ?reader|voice control|dictation|a dvorak|an? (?:ergonomic|braille))\b",
            r"\b(?:please )?call me [a-z]+[.!,]?\b",
            r"\bi (?:only |also |natively |mostly )?speak (?:only )?[a-z]+",
            r"\bi (?:maintain|own|lead|run|manage|am responsible for|'m responsible for|look after|head|coordinate) (?:the |our |a )[a-z -]{2,40}(?:team|team at|service|platform|infrastructure|squad|group|department|module|library|docs|pipeline|stack|cluster|product|project|database|frontend|backend|app|website|side)\b",
            r"\b{im} (?:responsible for|in charge of|on the [a-z ]+ team)\b",
            r"\bi (?:{dont}|can't|cannot) (?:really |actually )?(?:know|read|write|understand|speak) (?:any |much |a lot of |enough )?(?:rust|go|golang|python|java|javascript|typescript|c\+\+|c#|ruby|php|kotlin|swift|scala|haskell|sql|bash|react|vue|angular|css|html|docker|kubernetes|k8s|terraform|aws|git|linux|english|german|french|spanish|chinese|japanese|code|front ?end|back ?end|statistics|math|cryptography)\b",
            r"\bi know (?:rust|go|golang|python|java|javascript|typescript|c\+\+|c#|ruby|php|kotlin|swift|scala|haskell|sql|bash|react|vue|angular|css|html|docker|kubernetes|k8s|terraform|aws|linux)\b.*\b(?:well|inside out|deeply|but)\b",
            r"\bi (?:studied|majored in|have a (?:phd|master's|masters|degree)|did a phd|teach|taught)\b",
        ],
    ),
    (
        Cue::NotPerson,
        &[
            r"\b{im} (?:a bit|a little|a user|an? admin user|the user|getting|seeing|trying|working|going|having|not sure|running|looking|wondering|on (?:call|vacation|holiday|leave|mobile|my phone)|the one|a fan|in a|at a|on a|an idiot)\b",
            r"\bi work(?:ed)? (?:on|in|with|at|for) (?:this|that|it|the (?:bug|fix|feature|branch|pr|ticket|issue|test|task|same)|a (?:fix|feature|bug|pr|ticket|task|branch|patch))\b",
            r"\b(?:i've|i have) (?:never|only|barely) (?:seen|tried|used) (?:this|that|it|such|the|a|an|one)\b",
            r"\b{im} not (?:good|great) with (?:this|that|it)\b",
            r"\busing (?:the|this|that|it|my)\b|\bthe wrong\b",
            r"\b(?:user story|as a user|test user|fake|example user|placeholder|dummy)\b",
            r"\bmy name is (?:not|missing|wrong|cut|truncated)\b",
        ],
    ),
    (
        Cue::Place,
        &[
            r"https?://[^ ]+",
            r"(?:^|[ (])#[a-z][a-z0-9_-]{2,40}\b",
            r"\b(?:linear|jira|asana|trello|notion|confluence|grafana|datadog|kibana|sentry|pagerduty|opsgenie|looker|metabase|tableau|superset|bugzilla|youtrack|monday\.com|clickup|airtable|miro|figma|slack|discord|teams channel|zendesk|intercom|splunk|new relic|honeycomb|google drive|google docs?|sharepoint|statuspage|launchdarkly|shortcut|basecamp|gerrit|phabricator|mattermost|zulip|rollbar|bugsnag|crashlytics|amplitude|mixpanel|posthog)\b",
            r"\b(?:dashboard|issue tracker|bug tracker|tracker|runbooks?|wiki|kanban board|status page|mailing list|shared drive|on-?call rota|design files?)\b",
        ],
    ),
    (
        Cue::Purpose,
        &[
            r"\b(?:is|are|get|gets|live|lives|sits?|stays?) (?:all |always |also |now |only )?(?:tracked|filed|logged|kept|documented|recorded|stored|collected|posted|announced|discussed|reported|managed|written up|maintained|hosted|found|listed|coordinated|handled)\b.*\b(?:in|on|at|under|via|through)\b",
            r"\b(?:we|i|they|people|everyone|the team|[a-z]+ team|oncall|on-call|ops|qa|support|design|legal|marketing) (?:all |always |also |now |only |usually )?(?:track|file|log|keep|document|record|store|collect|post|announce|discuss|report|manage|use|watch|monitor|look at|check|put|coordinate|ask|maintain|publish)s?\b",
            r"\b(?:go|goes|land|lands|belong|belongs|live|lives|end up|show up|reside) (?:in|to|on|into|under|at)\b",
            r"\b(?:is|are) (?:in|on|at|under) (?:our |the |a )?(?:https?:|linear|jira|notion|confluence|grafana|datadog|slack|sentry|figma|looker|metabase|miro|trello|asana|google|sharepoint|#)",
            r"\b(?:that's|this is|that is|it's) where\b",
            r"\b(?:look|check|ask|post|search|read)(?: first| it up| for [a-z ]+)? (?:in|on|into) (?:our |the |a )?(?:#|[a-z]+)",
            r"\b(?:roadmap|docs?|documentation|wiki|specs?|runbooks?|dashboards?|boards?|designs?|guides?|handbook|rota|calendar|tracker|backlog|metrics|logs|alerts|playbook|glossary|project for [a-z ]+)\b[^.]{0,30}(?:here|at|under|:) ?:? ?\(?https?:",
            r"\bis (?:the |our |a |where |what )(?:place|dashboard|board|channel|tracker|source of truth|wiki|page|runbook|project|doc|document|one|oncall|on-call|status|[a-z]+ dashboard|[a-z]+ channel|[a-z]+ board|[a-z]+ tracker|we |ops|people|the team|everyone|support|qa|i )",
            r"\b(?:for|when|if|before|whenever) (?:questions?|anything|problems?|issues?|outages?|incidents?|help|requests?|access|reviews?|latency|errors?|you (?:need|touch|change|want|have|see|edit|work)|something|context|background|details|alerts|approvals?|bugs?|releases?|design|release)\b",
            r"\b(?:file|report|track|log|post|ask|announce|check|look|see|raise|open)(?: [a-z-]+){0,4} (?:in|on|at|under|via|through|to) (?:our |the |a )?(?:https?:|linear|jira|notion|confluence|grafana|datadog|slack|sentry|figma|#)",
        ],
    ),
    (
        Cue::Decision,
        &[
            r"\b(?:we|the team|management|leadership|product|legal|security|they|the board|the client|the customer|finance|marketing|design|ops|our [a-z]+ team) (?:have |has |'ve |just |finally |all |also )*(?:decided|agreed|settled on|chose|committed to|signed off|voted|ruled|resolved)\b",
            r"\b(?:the |our |final )?decision (?:is|was)(?: made)?(?: to| that|:)",
            r"\b(?:we're|we are|we will be|we'll be|they're|the team is|the company is) (?:not )?(?:going with|migrating|moving (?:off|to|from|away)|dropping|deprecating|sunsetting|phasing out|switching (?:to|from|over)|standardi[sz]ing on|freezing|retiring|replacing|postponing|delaying|shutting down|winding down|rolling out|launching|hiring|merging with)\b",
            r"\b(?:legal|compliance|security|the auditors?|the client|the customer|management|product|finance|the regulator|infosec) (?:requires?|wants?|demands?|insists?|needs?|flagged|told us|asked us|mandates?|won't let us|forbids?)\b",
            r"\bit (?:was|has been|is) decided (?:that|to)\b",
            r"^(?:management|leadership|product|the board|the client|the customer|upper management|the company|finance|the ceo|the cto) (?:has |have |just |finally )*(?:killed|cancelled|canceled|scrapped|paused|approved|dropped|stopped|froze|greenlit|postponed|rejected|cut)\b",
            r"^decisions?(?: (?:from|of|in|at) [a-z' -]{2,40})?: ",
        ],
    ),
    (
        Cue::Event,
        &[
            r"\b(?:code |merge |feature |change |release )?(?:switch(?:ed)? (?:off|over|to)|turned off|we (?:will )?(?:switch|move|migrate|drop|launch|retire|cut)|stops working|end of support|freeze|freezes|launch|launches|release|releases|deadline|cut-?over|go-?live|goes live|going live|go live|migration|rollout|roll-?out|demo|milestone|beta|audit|sunset|sunsets|end of life|eol|deprecat(?:ion|ed)|offsite|hand-?over|kick-?off|hackathon|maintenance window|outage|incident|contract|certificate|licen[cs]e|trial|conference|review board|pilot|general availability|decommission(?:ed|ing)?|shutdown|shut down|switch-?over|due|ships?|shipping|starts?|ends?|expires?|leaves?|joins?|moves? to|retires?|is off|are off|closes?|opens?|runs out)\b",
        ],
    ),
    (
        Cue::DateName,
        &[
            r"\b(?:christmas|easter|thanksgiving|black friday|new year|end of (?:the |this |next )?(?:month|quarter|year|week)|eom|eoq|eoy|mid-?(?:january|february|march|april|may|june|july|august|september|october|november|december)|(?:in|until|by|before|after|since|end of|early|late) (?:january|february|march|april|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter))\b",
        ],
    ),
    (
        Cue::Local,
        &[
            r"(?:^|[a-ce-z] |[^n]d )here(?:[ ,.]|$)",
            r"\b(?:hash ?maps?|variables?|functions?|methods?|class(?:es)?|structs?|arrays?|loops?|regex|helpers?|wrapper|the name)\b",
        ],
    ),
    (
        Cue::Responsibility,
        &[
            r"(?:^|, |; |\band |\bbut |— )[a-z]+(?: [a-z]+)? (?:owns|maintains|is responsible for|is in charge of|took over|is taking over|takes over|will take over|signs off on|approves|is the (?:new |current |acting )?(?:owner|maintainer|contact|point of contact|dri|person to ask|one to ask)(?: for| of)?)\b",
            r"(?:^|, |; |\band |\bbut |— )[a-z]+ (?:leads|manages|runs|handles|does) (?:the|our|all) [a-z -]*(?:team|releases?|reviews?|migration|onboarding|on-?call|support|contracts?|deploys?|deployments|infrastructure|infra|billing|security)\b",
            r"(?:^|, |; )[a-z]+(?: [a-z]+)? is (?:on|going on) (?:vacation|holiday|leave|parental leave|maternity leave|sabbatical|pto)\b.*\b(?:until|till|from|through|back)\b",
            r"\bask [a-z]+ (?:about|for|before) (?:access|approval|anything|questions|changes|[a-z ]+ (?:access|approval|sign-?off))\b",
        ],
    ),
    (
        Cue::NotResponsibility,
        &[
            r"(?:^|, |; |\band |\bbut |— )(?:it|this|that|he|she|they|who|which|what|everyone|nobody|someone|everything|nothing|code|the [a-z]+|a [a-z]+|each [a-z]+|every [a-z]+|i|we|you|one) (?:owns|maintains|is|takes|took|will|approves|leads|manages|runs|handles|does)\b",
        ],
    ),
    (
        Cue::Secret,
        &[
            r"\b(?:password|passwd|passphrase|api[ _-]?key|secret key|access key|private key|access token|auth token|bearer token|pin|credentials?|login|secret|token)\b[a-z ]{0,20}(?:is|are|=|:)[ \x1a]",
            r"\b(?:ssn|social security|credit card|iban|passport number)\b",
        ],
    ),
    (
        Cue::Derivable,
        &[
            r"\b(?:[a-z0-9_.-]+/)+[a-z0-9_-]+\.[a-z]{1,5}\b",
            r"\b(?:is|are) (?:defined|implemented|located|declared|exported|imported|called|stored|configured) (?:in|by|from|at) (?:the )?(?:\x1a|src|lib|app|[a-z0-9_/-]+\.[a-z]{1,4}\b|file|folder|directory|module)",
            r"\b(?:the|this|that|our) (?:function|method|class|module|struct|variable|component|file|folder|directory|endpoint|table|column|enum|interface|schema|repo structure|project structure|codebase) (?:\x1a )?(?:is|are|has|have|contains?|calls?|takes?|returns?|lives?|uses?|does|inherits?|extends?|implements?|imports?|exports?|consists?|holds?|was|sits?)\b",
            r"\b(?:the code|the project|the repo|the app|the codebase|this repo|this project|the backend|the frontend) (?:is (?:written|built|structured|organi[sz]ed|split|made)|uses|has|consists|follows)\b",
        ],
    ),
    (
        Cue::Activity,
        &[
            r"^(?:(?:today|yesterday|this morning|this week|last week|earlier|just now|so far)[, ]+)?(?:i|we)(?:'ve| have)?(?: just| already| also)? (?:merged|fixed|pushed|committed|refactored|renamed|deployed|updated|finished|completed|implemented|added|removed|reviewed|opened|closed|rebased|created|wrote|moved|upgraded|bumped|reverted|tested|cleaned)\b",
            r"\b(?:pr|pull request|merge request|mr|issue) ?#?[0-9]+\b.*\b(?:merged|fixed|closed|opened|landed|is open|reviewed)\b",
            r"\b(?:summary of (?:what|the work)|what (?:we|i) did|list of (?:prs|commits|changes))\b",
        ],
    ),
    (
        Cue::TaskState,
        &[
            r"\b(?:we're|we are|i'm|i am) (?:currently |still |now |just |almost |halfway |in the middle of )*(?:working on|debugging|fixing|refactoring|implementing|testing|done with|stuck|blocked|finishing|at step|on step|halfway|in the middle)\b",
            r"\b(?:next step|next we|todo|to do next|left to do|still need to|remaining (?:work|steps)|work in progress|wip|where we (?:are|left off)|we left off|the (?:current|next) (?:task|step|branch)|(?:tests?|build|ci) (?:is|are) (?:currently |still |now )?(?:failing|red|broken|green|passing|running))\b",
        ],
    ),
    (
        Cue::Conditional,
        &[r"^(?:if|when|whenever|as soon as|should) "],
    ),
    (
        Cue::FixRecipe,
        &[
            r"\b(?:the (?:fix|solution|workaround|trick|root cause|bug|problem|issue|crash|error|failure)) (?:is|was|turned out)\b",
            r"\b(?:fixed|solved|resolved|worked around) (?:it|this|that|the [a-z ]+)? ?by\b",
            r"\b(?:to fix|to solve|to work around) (?:it|this|that|the)\b",
        ],
    ),
    (
        Cue::Reason,
        &[
            r"[,;—( -]*\b(?:because|cause|cuz|bc|so that|since (?:it|we|they|the|i|that|this|our|you|my|nobody|everyone|people|those|these|last time|otherwise)|as (?:it|we|they|i|our) |otherwise|or else|the reason (?:is|being)(?: that)?|reason being|in order to)\b",
            r"(?: ?— | - |; |\()(?:it|they|we|that|this|those|the|i|last|our|otherwise|people|reviewers|users|nobody|everyone|because|mocks?|[a-z]+ (?:breaks?|broke|fails?|failed|hides?|makes?|rots?|gets?|got))\b",
            r", (?:[a-z]+ )?(?:it|they|that|this|we|i|diffs|changes|reviews|prs|comments) (?:breaks?|broke|makes?|made|gets?|got|hides?|hid|slows?|confuses?|clutters?|costs?|wastes?|drives?|is|are|was|were|can't|cannot|never|always|'s|keeps?|rots?|bit|bites|burned|burnt|lost|had|have|has|need|go|goes|ends?|fails?|failed|annoys?|takes?|creates?|leads?|ruins?|like|likes|want|wants|know|prefer|review|read|check|collect)\b",
        ],
    ),
    (
        Cue::ReasonSentence,
        &[
            r"^(?:because|cause|bc|the reason|reason|why|otherwise|that's because|that is because|this is because|last (?:time|month|week|quarter|year|spring|summer|autumn|fall|winter)|we (?:got|were|had|lost|once|can't|cannot)|it (?:broke|breaks|makes|made|clutters|confuses|hides|hid|slows|keeps|gets|got|costs|cost|wastes|annoys|bit|burned|took|drives)|they (?:get|rot|go|clutter|hide|make|break|slow|only|drift|end)|i (?:keep|can't|cannot|hate|find|get|read|lose|lost|use) )",
            r"^(?:back )?(?:in|on) (?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter)\b[^?]*\b(?:broke|failed|passed|crashed|leaked|deleted|lost|cost|took|went|hid|hit|burned|burnt|bit|was|were|had)\b",
        ],
    ),
    (
        Cue::Scope,
        &[
            r"\b(?:when|whenever|every time|each time|before|after|while|if|unless|except (?:when|if|for|in)) [^,;:—.]{3,}",
            r"\b(?:for|in|on) (?:any |every |each |all |new |public |our |the )*(?:tests?|commits?|prs?|pull requests?|commit messages?|migrations?|releases?|repo|repository|project|codebase|this (?:repo|repository|project|codebase)|sql|python|rust|go|typescript|javascript|frontend|backend|unit tests|integration tests|production|prod|staging|docs|documentation|reviews?|main|master|hotfixes|emergencies|go files|answers)\b[^,;:—.]*",
        ],
    ),
];
