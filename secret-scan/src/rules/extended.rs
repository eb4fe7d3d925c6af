//! Rules beside the standard ones: more issuers, and forms that no single issuer owns.
//!
//! They are right for what leaves the machine, such as notes shared with a team, and too eager for
//! text that stays on it: a password in the address of a local database is found as well.

use super::RuleInfo;
use super::generic;
use super::pattern::{PADDING, Pattern, Step, at_least, exactly, literal};
use crate::class::{
    ALNUM, ALNUM_DASH, BASE64, BECH32, DIGIT, HEX, SLACK_COOKIE, UPPER_OR_DIGIT, WORD, WORD_DASH,
};

const ANTHROPIC_BODY: &[Step] = &[exactly(2, &DIGIT), literal("-"), at_least(80, &WORD_DASH)];
const OPENAI_BODY: &[Step] = &[at_least(40, &WORD_DASH)];
const GITLAB_BODY: &[Step] = &[at_least(20, &WORD_DASH)];

const fn openai(prefix: &'static str) -> Pattern {
    Pattern::new("OpenAI service key", prefix, OPENAI_BODY).entropy(350)
}

const fn gitlab(label: &'static str, prefix: &'static str) -> Pattern {
    Pattern::new(label, prefix, GITLAB_BODY).entropy(300)
}

const fn aws_secret(name: &'static str) -> Pattern {
    Pattern::custom(
        "AWS secret access key",
        name,
        generic::aws_secret_after_name,
    )
    .entropy(350)
    .example(generic::aws_secret_example)
}

const fn aws_pair(prefix: &'static str) -> Pattern {
    Pattern::custom(
        "AWS secret access key",
        prefix,
        generic::aws_secret_beside_id,
    )
    .entropy(400)
    .example(generic::aws_pair_example)
}

const fn bearer(word: &'static str) -> Pattern {
    Pattern::custom("Bearer token", word, generic::bearer_value)
        .entropy(350)
        .check(generic::reads_as_token)
        .example(generic::bearer_example)
}

const fn assignment(name: &'static str) -> Pattern {
    Pattern::custom(
        "Random value of a secret name",
        name,
        generic::assigned_value,
    )
    .entropy(350)
    .example(generic::assignment_example)
}

pub(super) static RULES: [RuleInfo; 29] = [
    RuleInfo::new(
        "anthropic-oauth-token",
        "Acts as a Claude account: an OAuth access or refresh token, or a browser session.",
        &[
            Pattern::new("Anthropic OAuth access token", "sk-ant-oat", ANTHROPIC_BODY),
            Pattern::new(
                "Anthropic OAuth refresh token",
                "sk-ant-ort",
                ANTHROPIC_BODY,
            ),
            Pattern::new("Anthropic session key", "sk-ant-sid", ANTHROPIC_BODY),
        ],
    ),
    RuleInfo::new(
        "openai-service-key",
        "Calls or administers the OpenAI API: the key forms without the usual marker.",
        &[
            openai("sk-None-"),
            openai("sk-service-"),
            openai("sk-svcacct-"),
            openai("sk-admin-"),
            openai("sk-proj-"),
        ],
    )
    .specificity(90),
    RuleInfo::new(
        "openrouter-api-key",
        "Calls models through OpenRouter at the cost of its owner.",
        &[
            Pattern::new("OpenRouter API key", "sk-or-v1-", &[exactly(64, &HEX)])
                .right_boundary()
                .entropy(250),
        ],
    ),
    RuleInfo::new(
        "groq-api-key",
        "Calls the Groq API at the cost of its owner.",
        &[Pattern::new("Groq API key", "gsk_", &[exactly(52, &ALNUM)]).entropy(300)],
    ),
    RuleInfo::new(
        "xai-api-key",
        "Calls the xAI API at the cost of its owner.",
        &[Pattern::new("xAI API key", "xai-", &[at_least(70, &WORD)]).entropy(300)],
    ),
    RuleInfo::new(
        "perplexity-api-key",
        "Calls the Perplexity API at the cost of its owner.",
        &[Pattern::new("Perplexity API key", "pplx-", &[exactly(48, &ALNUM)]).entropy(300)],
    ),
    RuleInfo::new(
        "replicate-api-token",
        "Runs models on Replicate at the cost of its owner.",
        &[
            Pattern::new("Replicate API token", "r8_", &[exactly(37, &ALNUM)])
                .left_boundary()
                .right_boundary()
                .entropy(300),
        ],
    ),
    RuleInfo::new(
        "gitlab-service-token",
        "Acts in GitLab as a runner, job, trigger, feed, agent, application or mail box.",
        &[
            gitlab("GitLab runner token", "glrt-"),
            gitlab("GitLab CI job token", "glcbt-"),
            gitlab("GitLab pipeline trigger token", "glptt-"),
            gitlab("GitLab feed token", "glft-"),
            gitlab("GitLab OAuth application secret", "gloas-"),
            gitlab("GitLab SCIM token", "glsoat-"),
            gitlab("GitLab agent token", "glagent-"),
            gitlab("GitLab incoming mail token", "glimt-"),
            gitlab("GitLab feature flags client token", "glffct-"),
        ],
    ),
    RuleInfo::new(
        "google-oauth-client-secret",
        "Signs in to Google as the OAuth application it belongs to.",
        &[Pattern::new(
            "Google OAuth client secret",
            "GOCSPX-",
            &[exactly(28, &WORD_DASH)],
        )
        .entropy(300)],
    ),
    RuleInfo::new(
        "google-oauth-access-token",
        "Acts as a Google account for an hour with the scopes it was given.",
        &[Pattern::new(
            "Google OAuth access token",
            "ya29.",
            &[at_least(40, &WORD_DASH)],
        )
        .entropy(350)],
    ),
    RuleInfo::new(
        "aws-secret-key",
        "Signs requests as an AWS user or role, together with the key's id.",
        &[
            aws_secret("aws_secret_access_key"),
            aws_secret("AWS_SECRET_ACCESS_KEY"),
            aws_secret("SecretAccessKey"),
            aws_secret("secretAccessKey"),
            aws_pair("AKIA"),
            aws_pair("ASIA"),
        ],
    ),
    RuleInfo::new(
        "azure-storage-key",
        "Reads and writes everything in an Azure storage account.",
        &[Pattern::new(
            "Azure storage account key",
            "AccountKey=",
            &[exactly(86, &BASE64), literal("==")],
        )
        .entropy(350)],
    ),
    RuleInfo::new(
        "azure-shared-access-key",
        "Sends to and listens on an Azure Service Bus, Event Hub or IoT Hub.",
        &[Pattern::new(
            "Azure Service Bus key",
            "SharedAccessKey=",
            &[exactly(43, &BASE64), literal("=")],
        )
        .entropy(350)],
    ),
    RuleInfo::new(
        "age-secret-key",
        "Decrypts files encrypted with age to its public half.",
        &[Pattern::new(
            "age secret key",
            "AGE-SECRET-KEY-1",
            &[exactly(58, &BECH32)],
        )
        .right_boundary()
        .entropy(300)],
    ),
    RuleInfo::new(
        "vault-token",
        "Reads secrets from HashiCorp Vault.",
        &[
            Pattern::new("Vault service token", "hvs.", &[at_least(24, &WORD_DASH)])
                .entropy(350)
                .check(generic::reads_as_token),
            Pattern::new("Vault batch token", "hvb.", &[at_least(100, &WORD_DASH)]).entropy(350),
        ],
    ),
    RuleInfo::new(
        "slack-webhook-url",
        "Posts into a Slack channel.",
        &[Pattern::new(
            "Slack webhook address",
            "hooks.slack.com/",
            &[
                Step::OneOf(&[
                    &[literal("services")],
                    &[literal("workflows")],
                    &[literal("triggers")],
                ]),
                literal("/"),
                at_least(8, &UPPER_OR_DIGIT),
                literal("/"),
                at_least(8, &UPPER_OR_DIGIT),
                literal("/"),
                at_least(20, &ALNUM),
            ],
        )],
    ),
    RuleInfo::new(
        "slack-session-token",
        "Acts as a signed-in Slack user from a browser session.",
        &[
            Pattern::new(
                "Slack browser token",
                "xoxc-",
                &[at_least(8, &DIGIT), literal("-"), at_least(16, &ALNUM_DASH)],
            ),
            Pattern::new(
                "Slack browser cookie",
                "xoxd-",
                &[at_least(40, &SLACK_COOKIE)],
            )
            .entropy(350),
        ],
    ),
    RuleInfo::new(
        "webhook-signing-secret",
        "Forges webhook calls that claim to come from Stripe or another sender.",
        &[Pattern::new(
            "Webhook signing secret",
            "whsec_",
            &[at_least(32, &BASE64), PADDING],
        )
        .entropy(350)],
    ),
    RuleInfo::new(
        "linear-api-key",
        "Acts as a Linear user.",
        &[Pattern::new("Linear API key", "lin_api_", &[exactly(40, &ALNUM)]).entropy(300)],
    ),
    RuleInfo::new(
        "notion-api-token",
        "Reads and writes Notion pages shared with the integration.",
        &[Pattern::new("Notion API token", "ntn_", &[at_least(43, &ALNUM)]).entropy(300)],
    ),
    RuleInfo::new(
        "figma-token",
        "Reads and, if so scoped, comments on Figma files.",
        &[Pattern::new(
            "Figma personal access token",
            "figd_",
            &[at_least(38, &WORD_DASH)],
        )
        .entropy(350)],
    ),
    RuleInfo::new(
        "docker-pat",
        "Pulls and, if so scoped, pushes images on Docker Hub.",
        &[Pattern::new(
            "Docker personal access token",
            "dckr_pat_",
            &[at_least(27, &WORD_DASH)],
        )
        .entropy(300)],
    ),
    RuleInfo::new(
        "supabase-access-token",
        "Administers a Supabase account's projects.",
        &[
            Pattern::new("Supabase access token", "sbp_", &[exactly(40, &HEX)])
                .right_boundary()
                .entropy(250),
        ],
    ),
    RuleInfo::new(
        "onepassword-service-account-token",
        "Reads 1Password vaults as a service account.",
        &[Pattern::new(
            "1Password service account token",
            "ops_eyJ",
            &[at_least(200, &BASE64), PADDING],
        )],
    ),
    RuleInfo::new(
        "azure-devops-pat",
        "Acts on Azure DevOps with the scopes of the personal access token.",
        &[Pattern::around(
            "Azure DevOps personal access token",
            &[(76, &ALNUM)],
            "AZDO",
            &[exactly(4, &ALNUM)],
        )
        .right_boundary()
        .entropy(350)],
    ),
    RuleInfo::new(
        "json-web-token",
        "Proves a signed-in session or a service identity to whoever accepts it.",
        &[Pattern::new(
            "JSON web token",
            "eyJ",
            &[
                at_least(12, &WORD_DASH),
                literal(".eyJ"),
                at_least(12, &WORD_DASH),
                literal("."),
                at_least(20, &WORD_DASH),
            ],
        )
        .check(generic::is_web_token)
        .example(generic::web_token_example)],
    )
    .specificity(50),
    RuleInfo::new(
        "bearer-token",
        "Authenticates a request to whatever service the header was written for.",
        &[bearer("Bearer "), bearer("bearer ")],
    )
    .specificity(40),
    RuleInfo::new(
        "url-password",
        "Signs in to the database or service that the address names.",
        &[
            Pattern::custom("Password in an address", "://", generic::url_password)
                .entropy(200)
                .example(generic::url_password_example),
        ],
    )
    .specificity(30),
    RuleInfo::new(
        "secret-assignment",
        "Gives something random to a name that speaks of a secret; worth a look.",
        &[
            assignment("secret"),
            assignment("Secret"),
            assignment("SECRET"),
            assignment("token"),
            assignment("Token"),
            assignment("TOKEN"),
            assignment("passw"),
            assignment("Passw"),
            assignment("PASSW"),
            assignment("api_key"),
            assignment("apikey"),
            assignment("apiKey"),
            assignment("ApiKey"),
            assignment("API_KEY"),
            assignment("APIKEY"),
            assignment("api-key"),
        ],
    )
    .specificity(10)
    .advisory(),
];
