"""Kinds of secrets that are known by how they start: a table, one row a kind.

A row: vendor and kind, the start, the shape of the rest, and where it is written down: the vendor's documentation, or a
rule list that others maintain (``LISTS``). A shape is a sequence of sets of characters, each with its usual length, and
of what stands between them: ``h8-h32`` is 8 hexadecimal digits, a dash and 32 more. Sets: ``a`` letters and digits,
``u`` these and ``_`` ``-``, ``b`` base64, ``h`` hexadecimal, ``l`` small letters and digits, ``c`` capitals and digits,
``d`` digits. ``~`` before a shape: other names start so, too, so the rest must be mixed as no name is.
"""

__all__ = ["LISTS", "SOFTWARE"]

LISTS = {
    "gitleaks": "github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
    "betterleaks": "github.com/betterleaks/betterleaks/blob/main/config/betterleaks.toml",
    "kingfisher": "github.com/mongodb/kingfisher/tree/main/crates/kingfisher-rules/data/rules",
    "trufflehog": "github.com/trufflesecurity/trufflehog/tree/main/pkg/detectors",
    "github": "github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats",
    "gitlab": "docs.gitlab.com/security/tokens",
    "slack": "docs.slack.dev/authentication/tokens",
    "stripe": "docs.stripe.com/keys",
    "shopify": "shopify.dev/docs/apps/build/authentication-authorization/access-tokens",
    "vercel": "vercel.com/changelog/new-token-formats-and-secret-scanning",
    "cloudflare": "developers.cloudflare.com/fundamentals/api/get-started/token-formats",
    "doppler": "docs.doppler.com/reference/auth-token-formats",
    "vault": "developer.hashicorp.com/vault/docs/concepts/tokens",
    "planetscale": "planetscale.com/docs/concepts/service-tokens",
    "tailscale": "tailscale.com/kb/1277/key-prefixes",
    "newrelic": "docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys",
    "sentry": "docs.sentry.io/account/auth-tokens",
}

SOFTWARE = """
# Language models, and what agents use
secret-key-of-many        sk-                 ~u21              platform.openai.com/docs/api-reference/authentication
openai-project            sk-proj-            u64               platform.openai.com/docs/api-reference/authentication
openai-service-account    sk-svcacct-         u64               platform.openai.com/docs/api-reference/authentication
openai-admin              sk-admin-           u64               platform.openai.com/docs/api-reference/admin-api-keys
anthropic-api             sk-ant-api03-       u95               gitleaks
anthropic-admin           sk-ant-admin01-     u95               gitleaks
anthropic-oauth           sk-ant-oat01-       u95               docs.claude.com/en/docs/claude-code/iam
anthropic-refresh         sk-ant-ort01-       u95               docs.claude.com/en/docs/claude-code/iam
anthropic-session         sk-ant-sid01-       u95               trufflehog
openrouter                sk-or-v1-           h64               openrouter.ai/docs/api-reference/authentication
deepseek                  sk-                 h32               api-docs.deepseek.com
dashscope                 sk-                 h32               help.aliyun.com/zh/model-studio/get-api-key
moonshot                  sk-                 a48               platform.moonshot.ai/docs
stability                 sk-                 a48               platform.stability.ai/docs
litellm                   sk-                 ~u22              docs.litellm.ai/docs/proxy/virtual_keys
langfuse                  sk-lf-              h8-h4-h4-h4-h12   langfuse.com/docs/api
helicone                  sk-helicone-        u31               docs.helicone.ai
context7                  ctx7sk-             h8-h4-h4-h4-h12   context7.com/docs
groq                      gsk_                a52               console.groq.com/docs
xai                       xai-                ~a80              docs.x.ai
perplexity                pplx-               a48               docs.perplexity.ai
nvidia                    nvapi-              u64               docs.api.nvidia.com
replicate                 r8_                 a37               replicate.com/docs/topics/security/api-tokens
huggingface               hf_                 a34               gitleaks
huggingface-organization  api_org_            a34               gitleaks
cerebras                  csk-                l48               betterleaks
fireworks                 fw_                 ~a24              docs.fireworks.ai
together                  tgp_v1_             u43               docs.together.ai
elevenlabs                sk_                 h48               elevenlabs.io/docs/api-reference/authentication
cartesia                  sk_car_             a22               docs.cartesia.ai
heygen                    sk_V2_hgu_          u40               docs.heygen.com
novita                    sk_                 ~u43              novita.ai/docs
cursor                    key_                h64               kingfisher
composio-project          ak_                 ~u20              kingfisher
composio-consumer         ck_                 ~u20              kingfisher
langsmith-personal        lsv2_pt_            h32_h10           docs.langchain.com/langsmith
langsmith-service         lsv2_sk_            h32_h10           docs.langchain.com/langsmith
langsmith-before          ls__                h32               docs.langchain.com/langsmith
logfire                   pylf_v1_            l2_a43            logfire.pydantic.dev/docs
logfire-before            pylf_               a43               logfire.pydantic.dev/docs
humanloop                 hl_sk_              h48               humanloop.com/docs
braintrust                bt-st-              a40               www.braintrust.dev/docs
wandb                     wandb_v1_           u72               docs.wandb.ai
tavily                    tvly-               ~a32              docs.tavily.com
tavily-development        tvly-dev-           ~u32              docs.tavily.com
tavily-production         tvly-prod-          ~u32              docs.tavily.com
pinecone                  pcsk_               u69               docs.pinecone.io
firecrawl                 fc-                 h32               docs.firecrawl.dev
scrapfly                  scp-live-           h32               scrapfly.io/docs
scrapfly-test             scp-test-           h32               scrapfly.io/docs
scrapegraph               sgai-               h8-h4-h4-h4-h12   docs.scrapegraphai.com
apify                     apify_api_          a36               docs.apify.com
e2b                       e2b_                h40               e2b.dev/docs
e2b-access                sk_e2b_             h40               e2b.dev/docs
daytona                   dtn_                h64               www.daytona.io/docs
browserbase               bb_live_            u27               docs.browserbase.com
jina                      jina_               ~u60              docs.jina.ai
voyage                    pa-                 ~u43              docs.voyageai.com
runpod                    rpa_                c44               docs.runpod.io
modal-token               ak-                 ~a22              modal.com/docs
modal-secret              as-                 ~a22              modal.com/docs
friendli                  flp_                a46               friendli.ai/docs
llama-cloud               llx-                a48               docs.cloud.llamaindex.ai
featherless               rc_                 h64               featherless.ai/docs
upstage                   up_                 ~a29              console.upstage.ai/docs
anyscale                  esecret_            a26               docs.anyscale.com
chutes                    cpk_                h32.h32.a32       chutes.ai/docs
coze                      pat_                ~a64              www.coze.com/docs
coze-service              sat_                ~a64              www.coze.com/docs
dify-app                  app-                ~a24              docs.dify.ai
dify-dataset              dataset-            ~a24              docs.dify.ai
mem0                      m0-                 a40               docs.mem0.ai
vercel-ai-gateway         vck_                u56               vercel
amp                       sgamp_user_         a26_h64           ampcode.com/manual
unkey                     unkey_              a22               www.unkey.com/docs
# Code, packages and builds
github-personal           ghp_                a36               github
github-oauth              gho_                a36               github
github-user               ghu_                a36               github
github-server             ghs_                a36               github
github-refresh            ghr_                a36               github
github-fine-grained       github_pat_         u40               github
gitlab-personal           glpat-              u20               gitlab
gitlab-personal-routable  glpat-              u27.l2.l9         gitlab
gitlab-application        gloas-              u64               gitlab
gitlab-deploy             gldt-               u20               gitlab
gitlab-runner             glrt-               u20               gitlab
gitlab-runner-routable    glrt-               u27.l2.l9         gitlab
gitlab-runner-registered  glrtr-              u20               gitlab
gitlab-job                glcbt-              u26               gitlab
gitlab-trigger            glptt-              u40               gitlab
gitlab-feed               glft-               u20               gitlab
gitlab-mail               glimt-              u25               gitlab
gitlab-agent              glagent-            u50               gitlab
gitlab-scim               glsoat-             u20               gitlab
gitlab-flags              glffct-             u20               gitlab
gitlab-workspace          glwt-               u20               gitlab
npm                       npm_                ~a36              gitleaks
pypi                      pypi-AgE            u60               gitleaks
rubygems                  rubygems_           h48               gitleaks
clojars                   CLOJARS_            h60               gitleaks
packagist                 packagist_          ~u60              packagist.com/docs
docker-personal           dckr_pat_           u27               docs.docker.com/security/access-tokens
docker-organization       dckr_oat_           u32               docs.docker.com/enterprise/security/access-tokens
docker-swarm              SWMTKN-1-           l50-l25           docs.docker.com/engine/swarm/join-nodes
buildkite-user            bkua_               h40               buildkite.com/docs/apis/managing-api-tokens
buildkite-agent           bkct_               u60               buildkite.com/docs/agent/tokens
circleci-personal         CCIPAT_             a22_h40           circleci.com/docs/managing-api-tokens
circleci-project          CCIPRJ_             a22_h40           circleci.com/docs/managing-api-tokens
sonar-project             sqp_                h40               docs.sonarsource.com
sonar-user                squ_                h40               docs.sonarsource.com
sonar-analysis            sqa_                h40               docs.sonarsource.com
sourcegraph               sgp_                h40               gitleaks
sourcegraph-instance      sgp_                h16_h40           gitleaks
sourcegraph-local         sgp_local_          h40               gitleaks
sourcegraph-license       slk_                h64               sourcegraph.com/docs
sourcegraph-gateway       sgd_                h64               sourcegraph.com/docs
pulumi                    pul-                h40               gitleaks
prefect-user              pnu_                a36               gitleaks
prefect-service           pnb_                a36               docs.prefect.io
harness-personal          pat.                u22.a24.a20       gitleaks
harness-service           sat.                u22.a24.a20       gitleaks
octopus                   API-                ~c26              gitleaks
infracost                 ico-                ~a32              gitleaks
deno-personal             ddp_                a36               docs.deno.com
deno-organization         ddo_                a36               docs.deno.com
depot                     depot_project_      h64               depot.dev/docs
depot-organization        depot_org_          h64               depot.dev/docs
postman                   PMAK-               h24-h34           gitleaks
postman-collection        PMAT-               c26               learning.postman.com
readme                    rdme_               l70               gitleaks
percy-web                 web_                h64               www.browserstack.com/docs/percy
percy-app                 app_                h64               www.browserstack.com/docs/percy
portainer                 ptr_                b43               docs.portainer.io
zuplo                     zpka_               h32_h8            zuplo.com/docs
kong-personal             kpat_               a50               docs.konghq.com
kong-service              spat_               a50               docs.konghq.com
inngest                   signkey-prod-       h64               www.inngest.com/docs
inngest-test              signkey-test-       h64               www.inngest.com/docs
trigger-development       tr_dev_             ~a20              trigger.dev/docs
trigger-production        tr_prod_            ~a20              trigger.dev/docs
trigger-personal          tr_pat_             ~a40              trigger.dev/docs
svix                      testsk_             u32               docs.svix.com
intra42                   s-s4t2ud-           h64               gitleaks
intra42-af                s-s4t2af-           h64               gitleaks
settlemint-application    sm_aat_             a16               gitleaks
settlemint-personal       sm_pat_             a16               gitleaks
settlemint-service        sm_sat_             a16               gitleaks
scalingo                  tk-us-              u48               gitleaks
"""
