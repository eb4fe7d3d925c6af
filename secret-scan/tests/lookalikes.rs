//! What resembles a credential and is none: hashes, ids, public halves, placeholders, masks,
//! patterns. More of them come with the rules, as their counter-examples.

use secret_scan::{Level, Ruleset, Scanner};

use crate::support::{self, Letters};

const HEX: &str = "0123456789abcdef";
const BASE62: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Texts whose random parts are drawn anew for each round.
fn drawn(letters: &mut Letters) -> Vec<(&'static str, String)> {
    let hex = |letters: &mut Letters, count| letters.text(count, HEX);
    let base64 = |letters: &mut Letters, count| letters.text(count, BASE64);
    let base62 = |letters: &mut Letters, count| letters.text(count, BASE62);
    let uuid = [8, 4, 4, 4, 12].map(|count| hex(letters, count)).join("-");
    vec![
        ("commit", format!("fixed in {}", hex(letters, 40))),
        ("short commit", format!("fixed in {}", hex(letters, 10))),
        ("SHA-256 commit", hex(letters, 64)),
        (
            "commit link",
            format!("https://github.com/a/b/commit/{}", hex(letters, 40)),
        ),
        ("UUID", uuid.clone()),
        ("UUID in capitals", uuid.to_uppercase()),
        ("UUID assignment", format!("client_id={uuid}")),
        ("MD5", format!("md5: {}", hex(letters, 32))),
        ("SHA-512", hex(letters, 128)),
        (
            "npm integrity",
            format!("\"integrity\": \"sha512-{}==\"", base64(letters, 86)),
        ),
        (
            "subresource integrity",
            format!("sha384-{}", base64(letters, 64)),
        ),
        (
            "Cargo checksum",
            format!("checksum = \"{}\"", hex(letters, 64)),
        ),
        (
            "Go sum",
            format!("golang.org/x/text v0.14.0 h1:{}=", base64(letters, 43)),
        ),
        (
            "Docker digest",
            format!("nginx@sha256:{}", hex(letters, 64)),
        ),
        (
            "Nix path",
            format!(
                "/nix/store/{}-hello",
                letters.text(32, "0123456789abcdfghijklmnpqrsvwxyz")
            ),
        ),
        (
            "wrapped hashes",
            format!(
                "{}\n{}\n{}",
                hex(letters, 40),
                hex(letters, 40),
                hex(letters, 40)
            ),
        ),
        (
            "base64 image",
            format!("data:image/png;base64,iVBORw0KGgo{}=", base64(letters, 700)),
        ),
        ("wrapped base64", {
            let blob = base64(letters, 760);
            String::from_utf8(support::wrapped(blob.as_bytes(), 76, "\n")).expect("ASCII")
        }),
        ("certificate", {
            let dashes = "-----";
            format!(
                "{dashes}BEGIN CERTIFICATE{dashes}\nMII{}\n{dashes}END CERTIFICATE{dashes}",
                base64(letters, 61)
            )
        }),
        ("public key", {
            let dashes = "-----";
            format!(
                "{dashes}BEGIN PUBLIC KEY{dashes}\nMII{}\n{dashes}END PUBLIC KEY{dashes}",
                base64(letters, 61)
            )
        }),
        (
            "SSH public key",
            format!("ssh-rsa AAAAB3NzaC1yc2E{} me@host", base64(letters, 353)),
        ),
        (
            "Ed25519 public key",
            format!(
                "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} me",
                base64(letters, 43)
            ),
        ),
        (
            "known host",
            format!(
                "|1|{}=|{}= ssh-ed25519",
                base64(letters, 27),
                base64(letters, 27)
            ),
        ),
        (
            "age recipient",
            format!(
                "age1{}",
                letters.text(58, "023456789acdefghjklmnpqrstuvwxyz")
            ),
        ),
        ("key fingerprint", format!("SHA256:{}", base64(letters, 43))),
        (
            "Stripe publishable key",
            format!("pk_live_{}", base62(letters, 24)),
        ),
        (
            "Stripe ids",
            format!("cus_{} pi_{}", base62(letters, 14), base62(letters, 24)),
        ),
        (
            "Slack ids",
            format!(
                "T{} C{}",
                letters.text(8, CAPITALS),
                letters.text(8, CAPITALS)
            ),
        ),
        (
            "AWS ARN",
            format!(
                "arn:aws:iam::{}:role/deploy",
                letters.text(12, "0123456789")
            ),
        ),
        (
            "AWS role id",
            format!(
                "AROA{}",
                letters.text(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
            ),
        ),
        (
            "word around an AWS id",
            format!(
                "xAKIA{}",
                letters.text(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
            ),
        ),
        (
            "too long for an AWS id",
            format!(
                "AKIA{}",
                letters.text(20, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
            ),
        ),
        (
            "AWS id with a zero",
            format!(
                "AKIA0{}",
                letters.text(15, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
            ),
        ),
        (
            "Google client id",
            format!(
                "{}-{}.apps.googleusercontent.com",
                letters.text(12, "0123456789"),
                letters.text(32, "abcdefghijklmnopqrstuvwxyz0123456789")
            ),
        ),
        ("reCAPTCHA site key", format!("6Le{}", base62(letters, 37))),
        (
            "Sentry DSN",
            format!("https://{}@o1.ingest.sentry.io/2", hex(letters, 32)),
        ),
        (
            "Mapbox public token",
            format!("pk.eyJ1{}.{}", base62(letters, 60), base62(letters, 22)),
        ),
        ("Twilio account", format!("AC{}", hex(letters, 32))),
        (
            "Twilio in capitals",
            format!("SK{}", hex(letters, 32).to_uppercase()),
        ),
        ("word around SK", format!("DISK{}", hex(letters, 32))),
        ("message id", format!("SM{}", hex(letters, 32))),
        (
            "Power BI link",
            format!(
                "https://app.powerbi.com/view?r={}",
                String::from_utf8(support::base64(
                    format!("{{\"k\":\"{uuid}\",\"t\":\"{uuid}\",\"c\":8}}").as_bytes(),
                    false
                ))
                .expect("ASCII")
            ),
        ),
        ("base64 of prose", {
            let prose = "please remember to water the plants in the office twice a week, thank you";
            String::from_utf8(support::base64(prose.as_bytes(), true)).expect("ASCII")
        }),
        (
            "hexadecimal of prose",
            String::from_utf8(support::hex(b"nothing but a few plain words here")).expect("ASCII"),
        ),
        ("Ethereum address", format!("0x{}", hex(letters, 40))),
        (
            "Bitcoin address",
            format!(
                "bc1q{}",
                letters.text(38, "023456789acdefghjklmnpqrstuvwxyz")
            ),
        ),
        ("IPFS", format!("Qm{}", base62(letters, 44))),
        (
            "YouTube",
            format!("https://www.youtube.com/watch?v={}", base62(letters, 11)),
        ),
        (
            "Google document",
            format!(
                "https://docs.google.com/document/d/1{}/edit",
                base62(letters, 43)
            ),
        ),
        (
            "Figma file",
            format!("https://www.figma.com/file/{}/Design", base62(letters, 22)),
        ),
        ("object id", format!("ObjectId(\"{}\")", hex(letters, 24))),
        (
            "trace id",
            format!(
                "traceparent: 00-{}-{}-01",
                hex(letters, 32),
                hex(letters, 16)
            ),
        ),
        (
            "session file",
            format!("~/.claude/projects/-home-dev/{uuid}.jsonl"),
        ),
        ("tool call id", format!("toolu_01{}", base62(letters, 22))),
        ("request id", format!("req_01{}", base62(letters, 22))),
        (
            "random file name",
            format!("/tmp/tmp.{}/x", base62(letters, 10)),
        ),
        ("bundle", format!("/assets/index-{}.js", base62(letters, 8))),
        (
            "minified code",
            format!(
                "var {}=function(a,b){{return a*b+{}}};",
                base62(letters, 3),
                hex(letters, 6)
            ),
        ),
        ("ULID", format!("01H{}", letters.text(23, CAPITALS))),
        ("ETag", format!("W/\"{}\"", hex(letters, 32))),
        ("digit runs", letters.text(60, "0123456789")),
        (
            "short GitHub token",
            ["gh", "p_", &base62(letters, 30)].concat(),
        ),
        (
            "masked GitHub token",
            [
                "gh",
                "p_",
                &base62(letters, 4),
                "********",
                &base62(letters, 4),
            ]
            .concat(),
        ),
        (
            "cut GitHub token",
            ["gh", "p_", &base62(letters, 6), "…"].concat(),
        ),
        (
            "Hugging Face in a word",
            ["xh", "f_", &base62(letters, 34)].concat(),
        ),
        (
            "Hugging Face too long",
            ["h", "f_", &base62(letters, 38)].concat(),
        ),
        (
            "DigitalOcean too long",
            ["dop", "_v1_", &hex(letters, 70)].concat(),
        ),
        (
            "short Anthropic key",
            ["sk-", "ant-", "api03-", &base62(letters, 40)].concat(),
        ),
        (
            "OpenAI marker alone",
            ["T3Blbk", "FJ", &base62(letters, 20)].concat(),
        ),
        (
            "short Slack groups",
            ["xox", "b-123-", &base62(letters, 20)].concat(),
        ),
        (
            "SendGrid without a dot",
            ["SG", ".", &base62(letters, 69)].concat(),
        ),
        (
            "Databricks in a word",
            ["xda", "pi", &hex(letters, 32)].concat(),
        ),
        (
            "Pulumi in a word",
            ["xpu", "l-", &hex(letters, 40)].concat(),
        ),
        (
            "Terraform, short",
            [&base62(letters, 14), ".atlas", "v1.", &base62(letters, 30)].concat(),
        ),
    ]
}

/// Texts that are what they are. `¦` is taken out before use: it keeps this file clean under
/// scanners that are easier to deceive.
const FIXED: &[&str] = &[
    // Placeholders of documentation.
    "A¦KIAIOSFODNN7EXAMPLE",
    "A¦SIAIOSFODNN7EXAMPLE",
    "A¦KIAXXXXXXXXXXXXXXXX",
    "A¦KIA****************",
    "A¦KIA<your key id>",
    "A¦KIA[A-Z0-9]{16}",
    "aws_access_key_id = A¦KIA...",
    "g¦hp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "g¦hp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    "g¦hp_1234567890abcdefghijklmnopqrstuvwxyz",
    "g¦hp_abcdefghijklmnopqrstuvwxyz0123456789",
    "g¦hp_0000000000000000000000000000000000000",
    "g¦hp_YOUR_TOKEN_HERE",
    "g¦hp_exampleexampleexampleexampleexample1",
    "g¦hp_[A-Za-z0-9]{36}",
    "^g¦hp_[0-9a-zA-Z]{36}$",
    "prefixes: g¦hp_, gho_, ghu_, ghs_, ghr_, g¦ithub_pat_",
    "`g¦hp_`/`gho_`/`ghs_` followed by 36 characters",
    "g¦ithub_pat_<22>_<59>",
    "g¦ithub_pat_11AAAAAAA0aaaaaaaaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "g¦lpat-xxxxxxxxxxxxxxxxxxxx",
    "g¦lpat-<your-access-token>",
    "g¦lpat-your-personal-access-token",
    "g¦lpat-[\\w-]{20}",
    "g¦ldt-XXXXXXXXXXXXXXXXXXXX",
    "x¦oxb-your-bot-token",
    "x¦oxb-XXXXXXXXXXXX-XXXXXXXXXXXX-XXXXXXXXXXXXXXXXXXXXXXXX",
    "x¦oxb-************-************-************************",
    "x¦oxp-<token>",
    "x¦oxb-1234-5678",
    "x¦app-1-A0000-0000-xxxxxxxx",
    "x¦oxe.x¦oxp-1-example",
    "sk-...",
    "s¦k-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "s¦k-proj-...T3BlbkFJ...",
    "sk-your-openai-key-here",
    "s¦k-ant-api03-...",
    "s¦k-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxAA",
    "ANTHROPIC_API_KEY=s¦k-ant-api03-your-key-here",
    "s¦k-ant-api03-[redacted:anthropic-api-key]",
    "s¦k-ant-admin01-…",
    "scikit: from sk-learn import everything-that-is-there-for-you",
    "task-management-and-other-very-long-hyphenated-identifiers-in-prose",
    "h¦f_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "hf_hub_download(repo_id, filename)",
    "hf_transfer and h¦f_xet speed it up",
    "HF_TOKEN=hf_...",
    "npm_config_registry=https://registry.npmjs.org/",
    "npm_package_version npm_lifecycle_event npm_config_user_agent",
    "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
    "n¦pm_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    "p¦ypi-AgEIcHlwaS5vcmc…",
    "p¦ypi-AgEIcHlwaS5vcmcCJ...",
    "dapi_version and dapiserver",
    "d¦api00000000000000000000000000000000",
    "d¦api0123456789abcdef0123456789abcdef",
    "dop_v1_<64 hex>",
    "d¦op_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "d¦oo_v1_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "p¦ul-0000000000000000000000000000000000000000",
    "pul-request and pul-ley",
    "P¦MAK-xxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "P¦MAK-<key>",
    "S¦G.xxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "S¦G.Controllers.Account.Management.UserAuthenticationServiceProvider",
    "MS¦G.some_long_module_name_here.and_another_very_long_function_name_that_goes_on",
    "S¦Kxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "SKU numbers, SKIP and SKILL.md",
    "A¦IzaXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    "A¦Iza[0-9A-Za-z_-]{35}",
    "A¦IzaSy...",
    "abc8¦Q~...",
    "x8¦Q~xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "s¦k_test_xxxxxxxxxxxxxxxxxxxxxxxx",
    "s¦k_live_...",
    "s¦k_live_your_secret_key",
    "s¦k_test_<key>",
    "r¦k_live_************************",
    "ris¦k_test_results_for_the_whole_year",
    "tas¦k_live_updates_are_on",
    "s¦hpat_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "s¦hpat_00000000000000000000000000000000",
    "s¦hpss_<secret>",
    "g¦lsa_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_xxxxxxxx",
    "g¦lc_eyJ...",
    "e¦yJrIjoi...",
    "s¦ntrys_eyJ…",
    "s¦ntryu_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "xxxxxxxxxxxxxx.¦atlasv1.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "<token>.¦atlasv1.<secret>",
    // Redacted, and our own labels.
    "[redacted:github-pat]",
    "token: [REDACTED]",
    "token: g¦hp_[REDACTED]",
    "token: ***",
    "token: g¦hp_****************************abcd",
    "Authorization: Bearer ***",
    "password=<hidden>",
    "A¦KIA████████████████",
    // Variables.
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "export GITHUB_TOKEN=$(gh auth token)",
    "g¦hp_${TOKEN}",
    "g¦hp_{{ token }}",
    "g¦hp_%s",
    "s¦k-ant-api03-$KEY",
    "h¦ttps://x-access-token:${TOKEN}@github.com/a/b.git",
    "p¦ostgres://user:$PASSWORD@localhost/db",
    "p¦ostgres://user:password@localhost/db",
    "p¦ostgres://postgres:postgres@localhost:5432/app",
    "m¦ysql://root:<password>@db/app",
    "redis://localhost:6379/0",
    "http://user@example.org:8080/",
    "mailto:someone@example.org",
    "git@github.com:a/b.git",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "Authorization: Bearer YOUR_ACCESS_TOKEN_GOES_HERE",
    "The bearer of-this-very-long-hyphenated-title must sign",
    // Words that start like a token, over line ends and marks.
    "- hf_\n- transformers\n- datasets\n- accelerate\n- tokenizers\n- diffusers\n",
    "use the prefix g¦lpat-\nfollowed-by-the-rest-of-what-gitlab-gave-you-once",
    "the prefix g¦hp_\nand36morecharactersthatfollowitdirectly behind",
    "gl**pat-some**-kebab-case-identifier-of-many-words",
    "sk-\nproj-management-for-the-whole-team-in-one-place",
    "one_long_identifier_of_many_words_in_a_row\n    .and_then(another_long_identifier_here)",
    // Identifiers of code.
    "CONFIG_SKB_EXTENSIONS SKCIPHER_REQUEST_ON_STACK SK_BUFF",
    "TOKENIZERS_PARALLELISM=false",
    "const MAX_SECRET_BYTES_PER_REQUEST_2024: usize = 4096;",
    "secret_name_1_of_2_in_the_vault_for_production = load()",
    "std::collections::hash_map::RandomState::default_hasher_for_tests_2",
    "org.springframework.security.oauth2.client.registration.ClientRegistration",
    "com.example.project.module.submodule.SomeVeryLongClassNameForTesting123",
    "%20%E4%BD%A0%E5%A5%BD%20%E4%B8%96%E7%95%8C%21%20%3F",
    "C:\\Users\\new\\table\\xray\\unicode\\101\\names\\of\\folders",
    "&lt;div class=&quot;a&quot;&gt;&amp;nbsp;&#8211;&#x2014;&lt;/div&gt;",
    "=?UTF-8?Q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=",
    "\\u4f60\\u597d\\uff0c\\u4e16\\u754c\\uff01\\u4f60\\u597d\\uff0c\\u4e16\\u754c",
    "ＡＢＣ１２３ｆｕｌｌｗｉｄｔｈｔｅｘｔ",
    "日本語のテキスト、全角英数ＡＢＣ、記号！？",
    "👩‍👩‍👧‍👦👨‍👩‍👧‍👦🏳️‍🌈 families and a flag",
    "می‌خواهم این را بنویسم",
    "sup\u{AD}er\u{AD}cali\u{AD}fragil\u{AD}istic\u{AD}expiali\u{AD}docious",
    "A3TX is the prefix of old keys",
    "ABIA and ACCA are prefixes, too",
    "Q~ is what Azure secrets have in them",
];

fn check(scanner: &Scanner, name: &str, text: &str) {
    // As it is, and inside a sentence, a list and a code block.
    for text in [
        text.to_owned(),
        format!("Note: {text}, and more.\n"),
        format!("- a\n- {text}\n- b\n"),
        format!("```\n{text}\n```\n"),
    ] {
        let secrets: Vec<_> = scanner
            .scan(text.as_bytes())
            .into_iter()
            .filter(|finding| finding.level() == Level::Secret)
            .collect();
        assert!(secrets.is_empty(), "{name}: {text}: {secrets:?}");
    }
}

#[test]
fn there_are_at_least_150_look_alikes() {
    let drawn = drawn(&mut Letters::new(1)).len();
    assert!(FIXED.len() + drawn >= 150, "{} + {drawn}", FIXED.len());
}

#[test]
fn placeholders_masks_and_patterns_are_not_found() {
    let extended = Scanner::new(&Ruleset::extended());
    for text in FIXED {
        let text = &text.replace('¦', "");
        check(Scanner::standard(), "standard", text);
        check(&extended, "extended", text);
    }
}

#[test]
fn hashes_ids_and_public_halves_are_not_found() {
    let extended = Scanner::new(&Ruleset::extended());
    for round in 0..40 {
        for (name, text) in drawn(&mut Letters::new(round)) {
            check(Scanner::standard(), name, &text);
            check(&extended, name, &text);
        }
    }
}
