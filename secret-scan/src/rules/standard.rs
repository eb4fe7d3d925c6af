//! The 30 standard rules, in the order of their issuers' kinds: clouds, models, forges, chat and
//! mail, registries, infrastructure, payment, keys.
//!
//! Lengths and alphabets are those of the issuers' documentation where they publish one, and of
//! tokens seen in public reports where they do not.

use super::RuleInfo;
use super::locate;
use super::pattern::{PADDING, Pattern, Step, at_least, between, exactly, literal};
use super::private_key;
use crate::class::{
    ALNUM, ALNUM_DASH, AZURE_SECRET, AZURE_SECRET_START, BASE32, BASE36, BASE64, DIGIT, HEX,
    LOWER_HEX, TERRAFORM_BODY, UPPER_OR_DIGIT, WORD_DASH,
};

const AWS_BODY: &[Step] = &[exactly(16, &BASE32)];
const HEX_64: &[Step] = &[exactly(64, &HEX)];
const HEX_32: &[Step] = &[exactly(32, &HEX)];
const BASE62_36: &[Step] = &[exactly(36, &ALNUM)];
const STRIPE_BODY: &[Step] = &[between(20, 247, &ALNUM)];
const SLACK_GROUPS: &[Step] = &[at_least(8, &DIGIT), literal("-"), at_least(16, &ALNUM_DASH)];

const fn aws(literal: &'static str) -> Pattern {
    Pattern::new("AWS access key id", literal, AWS_BODY)
        .left_boundary()
        .right_boundary()
        .entropy(300)
        .check(locate::is_no_aws_example)
}

const fn stripe(label: &'static str, prefix: &'static str) -> Pattern {
    Pattern::new(label, prefix, STRIPE_BODY).entropy(300)
}

const fn shopify(label: &'static str, prefix: &'static str) -> Pattern {
    Pattern::new(label, prefix, HEX_32).entropy(250)
}

const fn github(label: &'static str, prefix: &'static str) -> Pattern {
    Pattern::new(label, prefix, BASE62_36)
        .entropy(300)
        .crc_suffix()
}

const fn private_key(word: &'static str) -> Pattern {
    Pattern::custom("Private key", word, private_key::locate)
        .example(private_key::example)
        .without_placeholder_test()
        .long_body()
}

pub(super) static RULES: [RuleInfo; 30] = [
    RuleInfo::new(
        "aws-access-token",
        "Names an AWS access key; with its secret half it acts as that AWS user or role.",
        &[
            aws("AKIA"),
            aws("ASIA"),
            aws("ABIA"),
            aws("ACCA"),
            Pattern::new(
                "AWS access key id",
                "A3T",
                &[exactly(1, &UPPER_OR_DIGIT), exactly(16, &BASE32)],
            )
            .left_boundary()
            .right_boundary()
            .entropy(300)
            .check(locate::is_no_aws_example),
        ],
    ),
    RuleInfo::new(
        "gcp-api-key",
        "Calls Google Cloud and Gemini APIs at the cost of the project that owns it.",
        &[
            Pattern::new("Google API key", "AIza", &[exactly(35, &WORD_DASH)])
                .right_boundary()
                .entropy(350),
            Pattern::new(
                "Google API key bound to a service account",
                "AQ.Ab8RN6",
                &[exactly(44, &WORD_DASH)],
            )
            .entropy(350),
        ],
    ),
    RuleInfo::new(
        "azure-ad-client-secret",
        "Signs in to Microsoft Entra ID as the application it belongs to.",
        &[Pattern::around(
            "Azure AD client secret",
            &[(3, &AZURE_SECRET_START), (1, &DIGIT)],
            "Q~",
            &[between(31, 34, &AZURE_SECRET)],
        )
        .entropy(300)],
    ),
    RuleInfo::new(
        "digitalocean-pat",
        "Acts on a DigitalOcean account with the scopes of the personal access token.",
        &[
            Pattern::new("DigitalOcean personal access token", "dop_v1_", HEX_64)
                .right_boundary()
                .entropy(250),
        ],
    ),
    RuleInfo::new(
        "digitalocean-access-token",
        "Acts on a DigitalOcean account on behalf of an OAuth application.",
        &[
            Pattern::new("DigitalOcean OAuth access token", "doo_v1_", HEX_64)
                .right_boundary()
                .entropy(250),
            Pattern::new("DigitalOcean OAuth refresh token", "dor_v1_", HEX_64)
                .right_boundary()
                .entropy(250),
        ],
    ),
    RuleInfo::new(
        "anthropic-api-key",
        "Calls the Anthropic API at the cost of the organisation that owns it.",
        &[Pattern::new(
            "Anthropic API key",
            "sk-ant-api",
            &[exactly(2, &DIGIT), literal("-"), at_least(80, &WORD_DASH)],
        )],
    ),
    RuleInfo::new(
        "anthropic-admin-api-key",
        "Administers an Anthropic organisation: members, workspaces and API keys.",
        &[Pattern::new(
            "Anthropic admin API key",
            "sk-ant-admin",
            &[exactly(2, &DIGIT), literal("-"), at_least(80, &WORD_DASH)],
        )],
    ),
    RuleInfo::new(
        "openai-api-key",
        "Calls the OpenAI API at the cost of the project or account that owns it.",
        &[
            Pattern::custom("OpenAI API key", locate::OPENAI_MARKER, locate::openai_key)
                .example(locate::openai_example),
        ],
    ),
    RuleInfo::new(
        "huggingface-access-token",
        "Reads, and if so scoped writes, models and data sets of a Hugging Face account.",
        &[
            Pattern::new("Hugging Face access token", "hf_", &[exactly(34, &ALNUM)])
                .left_boundary()
                .right_boundary()
                .entropy(300),
        ],
    ),
    RuleInfo::new(
        "github-pat",
        "Acts as a GitHub user with the scopes of the classic personal access token.",
        &[github("GitHub personal access token", "ghp_")],
    ),
    RuleInfo::new(
        "github-fine-grained-pat",
        "Acts as a GitHub user on the repositories the token was made for.",
        &[Pattern::new(
            "GitHub fine-grained personal access token",
            "github_pat_",
            &[exactly(22, &ALNUM), literal("_"), exactly(59, &ALNUM)],
        )
        .entropy(300)],
    ),
    RuleInfo::new(
        "github-app-token",
        "Acts as a GitHub app, on its own or on behalf of a user.",
        &[
            github("GitHub app user token", "ghu_"),
            github("GitHub app installation token", "ghs_"),
            // The form since April 2026: the id of the installation, then a JSON web token.
            Pattern::new(
                "GitHub app installation token",
                "ghs_",
                &[
                    between(1, 20, &DIGIT),
                    literal("_eyJ"),
                    at_least(12, &WORD_DASH),
                    literal("."),
                    at_least(16, &WORD_DASH),
                    literal("."),
                    at_least(16, &WORD_DASH),
                ],
            )
            .entropy(300),
        ],
    ),
    RuleInfo::new(
        "github-oauth",
        "Acts as a GitHub user on behalf of an OAuth application.",
        &[github("GitHub OAuth access token", "gho_")],
    ),
    RuleInfo::new(
        "github-refresh-token",
        "Renews the user token of a GitHub app.",
        &[
            Pattern::new("GitHub refresh token", "ghr_", &[at_least(36, &ALNUM)])
                .entropy(300)
                .crc_suffix(),
        ],
    ),
    RuleInfo::new(
        "gitlab-pat",
        "Acts as a GitLab user with the scopes of the personal access token.",
        &[Pattern::new(
            "GitLab personal access token",
            "glpat-",
            &[
                at_least(20, &WORD_DASH),
                // Routable tokens carry a length and a checksum, newer ones a version before them.
                Step::Maybe(&[Step::OneOf(&[
                    &[
                        literal("."),
                        exactly(2, &BASE36),
                        literal("."),
                        exactly(9, &BASE36),
                    ],
                    &[literal("."), exactly(9, &BASE36)],
                ])]),
            ],
        )
        .entropy(300)],
    ),
    RuleInfo::new(
        "gitlab-deploy-token",
        "Reads repositories and registries of a GitLab project or group.",
        &[Pattern::new("GitLab deploy token", "gldt-", &[at_least(20, &WORD_DASH)]).entropy(300)],
    ),
    RuleInfo::new(
        "slack-token",
        "Reads and writes in a Slack workspace as a bot, a user or an app.",
        &[
            Pattern::new("Slack bot token", "xoxb-", SLACK_GROUPS),
            Pattern::new("Slack user token", "xoxp-", SLACK_GROUPS),
            Pattern::new(
                "Slack app token",
                "xapp-",
                &[
                    exactly(1, &DIGIT),
                    literal("-A"),
                    between(1, 64, &UPPER_OR_DIGIT),
                    literal("-"),
                    at_least(1, &DIGIT),
                    literal("-"),
                    at_least(32, &HEX),
                ],
            ),
            Pattern::new(
                "Slack configuration token",
                "xoxe",
                &[
                    Step::Maybe(&[Step::OneOf(&[&[literal(".xoxb")], &[literal(".xoxp")]])]),
                    literal("-"),
                    at_least(40, &ALNUM_DASH),
                ],
            ),
        ],
    ),
    RuleInfo::new(
        "twilio-api-key",
        "Names a Twilio API key; with its secret it sends messages and calls at the owner's cost.",
        &[
            Pattern::new("Twilio API key", "SK", &[exactly(32, &LOWER_HEX)])
                .left_boundary()
                .right_boundary()
                .entropy(250),
        ],
    ),
    RuleInfo::new(
        "sendgrid-api-token",
        "Sends mail through a SendGrid account.",
        &[Pattern::new(
            "SendGrid API token",
            "SG.",
            &[
                between(20, 24, &WORD_DASH),
                literal("."),
                between(39, 50, &WORD_DASH),
            ],
        )
        .entropy(300)],
    ),
    RuleInfo::new(
        "npm-access-token",
        "Reads and, if so scoped, publishes npm packages.",
        &[github("npm access token", "npm_").right_boundary()],
    ),
    RuleInfo::new(
        "pypi-upload-token",
        "Publishes Python packages to PyPI.",
        &[Pattern::new(
            "PyPI upload token",
            "pypi-AgE",
            &[at_least(60, &WORD_DASH)],
        )],
    ),
    RuleInfo::new(
        "databricks-api-token",
        "Acts as a Databricks user or service principal.",
        &[Pattern::new(
            "Databricks API token",
            "dapi",
            &[
                exactly(32, &HEX),
                Step::Maybe(&[literal("-"), exactly(1, &DIGIT)]),
            ],
        )
        .left_boundary()
        .right_boundary()
        .entropy(250)],
    ),
    RuleInfo::new(
        "hashicorp-tf-api-token",
        "Acts on HCP Terraform or Terraform Enterprise: runs, state files, variables.",
        &[Pattern::around(
            "HCP Terraform API token",
            &[(14, &ALNUM)],
            ".atlasv1.",
            &[at_least(60, &TERRAFORM_BODY)],
        )],
    ),
    RuleInfo::new(
        "pulumi-api-token",
        "Acts on Pulumi Cloud: stacks, state and their secrets.",
        &[
            Pattern::new("Pulumi access token", "pul-", &[exactly(40, &HEX)])
                .left_boundary()
                .right_boundary()
                .entropy(250),
        ],
    ),
    RuleInfo::new(
        "postman-api-token",
        "Reads and writes a Postman account's collections and environments.",
        &[Pattern::new(
            "Postman API key",
            "PMAK-",
            &[exactly(24, &HEX), literal("-"), exactly(34, &HEX)],
        )
        .right_boundary()
        .entropy(250)],
    ),
    RuleInfo::new(
        "grafana-token",
        "Reads and, if so scoped, administers Grafana or Grafana Cloud.",
        &[
            Pattern::new(
                "Grafana API key (legacy)",
                "eyJrIjoi",
                // A key of 32 characters and a name of one make 74.
                &[at_least(62, &BASE64), PADDING],
            )
            .check(locate::is_grafana_json)
            .example(locate::grafana_example),
            Pattern::new(
                "Grafana Cloud access policy token",
                "glc_eyJ",
                &[at_least(32, &BASE64), PADDING],
            ),
            Pattern::new(
                "Grafana service account token",
                "glsa_",
                &[exactly(32, &ALNUM), literal("_"), exactly(8, &HEX)],
            )
            .entropy(300),
        ],
    ),
    RuleInfo::new(
        "sentry-token",
        "Reads and, if so scoped, administers a Sentry organisation.",
        &[
            Pattern::new("Sentry user token", "sntryu_", HEX_64),
            Pattern::new(
                "Sentry organisation token",
                "sntrys_eyJ",
                &[
                    at_least(20, &BASE64),
                    PADDING,
                    literal("_"),
                    exactly(43, &BASE64),
                ],
            ),
        ],
    ),
    RuleInfo::new(
        "stripe-access-token",
        "Charges, refunds and reads customers of a Stripe account.",
        &[
            stripe("Stripe secret key (test)", "sk_test_"),
            stripe("Stripe secret key", "sk_live_"),
            stripe("Stripe secret key", "sk_prod_"),
            stripe("Stripe restricted key (test)", "rk_test_"),
            stripe("Stripe restricted key", "rk_live_"),
            stripe("Stripe restricted key", "rk_prod_"),
        ],
    ),
    RuleInfo::new(
        "shopify-token",
        "Reads and writes a Shopify shop: orders, customers, products.",
        &[
            shopify("Shopify access token", "shpat_"),
            shopify("Shopify custom app access token", "shpca_"),
            shopify("Shopify private app access token", "shppa_"),
            shopify("Shopify shared secret", "shpss_"),
            shopify("Shopify app automation token", "shptka_"),
        ],
    ),
    RuleInfo::new(
        "private-key",
        "Signs or decrypts as whoever the key belongs to.",
        &[
            private_key(private_key::LABEL_WORDS[0]),
            private_key(private_key::LABEL_WORDS[1]),
        ],
    ),
];
