#include "policy/mandatory.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/glob.h"
#include "policy/scrub.h"
#include "policy/vars.h"

/* Where a name of the list is looked for. */
#define HOME    1U /* right below the home */
#define PROJECT 2U /* in the project at any depth, in the working folder too */
#define FIXED   4U /* a whole pattern */

#define R   1U
#define W   2U
#define X   4U
#define U   8U  /* sockets */
#define C   16U /* hosts */
#define RW  (R | W)
#define RWX (R | W | X)

#define SCRIPT  1U   /* the manager itself may */
#define QUIET   2U   /* tools touch it as a matter of course: no sign of an attack */
#define PACKAGE 4U   /* holds inside an installed package's own folder as well */
#define HOOK    8U   /* no opt-out */
#define OPEN    16U  /* no secret in spite of its name */
#define SECRET  32U  /* only where git's configuration of the repository holds credentials */
#define PLAIN   64U  /* only where it does not */
#define EMPTY   128U /* yarn and bun, started again by a script, end where they may not read it */

/* A name that ends in a slash and two stars is a folder with all below it. */
static const struct row {
	unsigned where;
	unsigned what;
	const char *name;
	unsigned flags;
} rows[] = {
	/* What the shell, editors and tools read secrets from */
	{ HOME | PROJECT, RW, ".env", 0 },
	{ HOME | PROJECT, RW, ".env.*", 0 },
	{ HOME | PROJECT, RW, ".envrc", 0 },
	{ HOME | PROJECT, RW, ".dev.vars", 0 },
	{ PROJECT, R, ".env.example", OPEN },
	{ PROJECT, R, ".env.sample", OPEN },
	{ PROJECT, R, ".env.template", OPEN },
	{ PROJECT, R, ".env.dist", OPEN },
	{ PROJECT, R, ".env.defaults", OPEN },
	/* Keys */
	{ HOME | PROJECT, RWX, ".ssh/**", 0 },
	{ HOME | PROJECT, RWX, ".gnupg/**", 0 },
	{ HOME | PROJECT, RW, "id_rsa", 0 },
	{ HOME | PROJECT, RW, "id_ecdsa", 0 },
	{ HOME | PROJECT, RW, "id_ed25519", 0 },
	{ HOME | PROJECT, RW, "id_dsa", 0 },
	{ HOME, RW, ".pki/**", 0 },
	{ HOME, RW, ".password-store/**", 0 },
	{ HOME, RW, ".local/share/keyrings/**", 0 },
	{ HOME, RW, ".local/share/kwalletd/**", 0 },
	{ HOME, RW, ".config/sops/**", 0 },
	{ HOME, RW, ".config/age/**", 0 },
	{ HOME, RW, ".vault-token", 0 },
	{ HOME, RW, "*.kdbx", 0 },
	{ HOME, RW, ".config/op/**", 0 },
	{ HOME, RW, ".config/1Password/**", 0 },
	{ HOME, RW, ".config/Bitwarden/**", 0 },
	{ HOME, RW, ".config/Bitwarden CLI/**", 0 },
	/* Clouds and hosts */
	{ HOME | PROJECT, RWX, ".aws/**", 0 },
	{ HOME | PROJECT, RWX, ".azure/**", 0 },
	{ HOME | PROJECT, RWX, ".gcloud/**", 0 },
	{ HOME | PROJECT, RWX, ".kube/**", 0 },
	{ HOME, RWX, ".config/gcloud/**", 0 },
	{ HOME, RW, ".oci/**", 0 },
	{ HOME, RW, ".aliyun/**", 0 },
	{ HOME, RW, ".bluemix/**", 0 },
	{ HOME, RW, ".config/doctl/**", 0 },
	{ HOME, RW, ".config/hcloud/**", 0 },
	{ HOME, RW, ".config/linode-cli", 0 },
	{ HOME, RW, ".config/rclone/**", 0 },
	{ HOME, RW, ".config/stripe/**", 0 },
	{ HOME, RW, ".config/configstore/**", 0 },
	{ HOME, RW, ".config/netlify/**", 0 },
	{ HOME, RW, ".netlify/**", 0 },
	{ HOME, RW, ".fly/**", 0 },
	{ HOME, RW, ".railway/**", 0 },
	{ HOME, RW, ".wrangler/**", 0 },
	{ HOME, RW, ".config/.wrangler/**", 0 },
	{ HOME, RW, ".supabase/**", 0 },
	{ HOME, RW, ".expo/**", 0 },
	{ HOME, RW, ".local/share/com.vercel.cli/**", 0 },
	{ HOME, RW, ".terraform.d/**", 0 },
	{ HOME, RW, ".terraformrc", 0 },
	{ HOME, RW, ".pulumi/**", 0 },
	{ HOME, RW, ".config/helm/**", 0 },
	{ HOME, RW, ".databrickscfg", 0 },
	{ HOME, RW, ".snowflake/**", 0 },
	{ HOME, RW, ".kaggle/**", 0 },
	{ HOME, RW, ".cache/huggingface/token", 0 },
	{ HOME, RW, ".huggingface/**", 0 },
	{ HOME, RW, ".s3cfg", 0 },
	{ HOME, RW, ".boto", 0 },
	/* Containers */
	{ HOME | PROJECT, RW, ".docker/config.json", 0 },
	{ HOME | PROJECT, RW, ".dockercfg", 0 },
	{ HOME, RW, ".config/containers/auth.json", 0 },
	/* Registries and forges: what a manager reads, its scripts may not */
	{ HOME | PROJECT, R, ".npmrc", SCRIPT | QUIET | EMPTY },
	{ PROJECT, W, ".npmrc", SCRIPT },
	{ HOME, W, ".npmrc", SCRIPT },
	{ HOME | PROJECT, RW, ".yarnrc.yml", SCRIPT | QUIET | EMPTY },
	{ HOME | PROJECT, RW, ".yarnrc", SCRIPT | QUIET | EMPTY },
	{ FIXED, R, "${PLAINCONFIG}", OPEN },
	{ HOME | PROJECT, RW, ".pypirc", 0 },
	{ HOME | PROJECT, RW, ".netrc", SCRIPT },
	{ HOME | PROJECT, RW, "_netrc", SCRIPT },
	{ HOME, RW, ".config/pypoetry/auth.toml", 0 },
	{ HOME, RW, ".cargo/credentials", 0 },
	{ HOME, RW, ".cargo/credentials.toml", 0 },
	{ HOME, RW, ".gem/credentials", 0 },
	{ HOME, RW, ".m2/settings.xml", 0 },
	{ HOME, RW, ".m2/settings-security.xml", 0 },
	{ HOME, RW, ".gradle/gradle.properties", 0 },
	{ HOME, RW, ".composer/auth.json", 0 },
	{ HOME, RW, ".config/composer/auth.json", 0 },
	{ HOME, RW, ".nuget/NuGet/NuGet.Config", 0 },
	{ HOME | PROJECT, RW, ".git-credentials", 0 },
	{ HOME, RW, ".config/git/credentials", 0 },
	{ HOME, RW, ".cache/git/credential/**", 0 },
	{ HOME | PROJECT, RWX, ".config/gh/**", 0 },
	{ HOME, RW, ".config/hub", 0 },
	{ HOME, RW, ".config/glab-cli/**", 0 },
	/* Databases */
	{ HOME | PROJECT, RW, ".pgpass", 0 },
	{ HOME | PROJECT, RW, ".my.cnf", 0 },
	{ HOME, RW, ".mylogin.cnf", 0 },
	{ HOME, RW, ".mongorc.js", 0 },
	/* Browsers, mail, messengers */
	{ HOME, RW, ".mozilla/**", 0 },
	{ HOME, RW, ".thunderbird/**", 0 },
	{ HOME, RW, ".config/google-chrome*/**", 0 },
	{ HOME, RW, ".config/chromium/**", 0 },
	{ HOME, RW, ".config/BraveSoftware/**", 0 },
	{ HOME, RW, ".config/microsoft-edge*/**", 0 },
	{ HOME, RW, ".config/vivaldi/**", 0 },
	{ HOME, RW, ".config/opera/**", 0 },
	{ HOME, RW, "snap/firefox/**", 0 },
	{ HOME, RW, "snap/chromium/**", 0 },
	{ HOME, RW, ".var/app/**", 0 },
	{ HOME, RW, ".config/Signal/**", 0 },
	{ HOME, RW, ".config/Slack/**", 0 },
	{ HOME, RW, ".config/discord/**", 0 },
	{ HOME, RW, ".local/share/TelegramDesktop/**", 0 },
	/* Wallets */
	{ HOME, RW, ".bitcoin/**", 0 },
	{ HOME, RW, ".ethereum/**", 0 },
	{ HOME, RW, ".electrum/**", 0 },
	{ HOME, RW, ".monero/**", 0 },
	{ HOME, RW, ".litecoin/**", 0 },
	{ HOME, RW, ".zcash/**", 0 },
	{ HOME, RW, ".config/Exodus/**", 0 },
	{ HOME, RW, ".config/Ledger Live/**", 0 },
	{ HOME, RW, ".config/atomic/**", 0 },
	{ HOME, RW, ".config/solana/**", 0 },
	{ HOME, RW, ".local/share/multibit/**", 0 },
	/* What was typed */
	{ HOME, RW, ".bash_history", 0 },
	{ HOME, RW, ".zsh_history", 0 },
	{ HOME, RW, ".local/share/fish/**", 0 },
	{ HOME, RW, ".python_history", 0 },
	{ HOME, RW, ".node_repl_history", 0 },
	{ HOME, RW, ".psql_history", 0 },
	{ HOME, RW, ".mysql_history", 0 },
	/* What shells, sessions and editors run when they start */
	{ HOME, W, ".bashrc", 0 },
	{ HOME, W, ".bash_profile", 0 },
	{ HOME, W, ".bash_login", 0 },
	{ HOME, W, ".bash_logout", 0 },
	{ HOME, W, ".bash_aliases", 0 },
	{ HOME, W, ".profile", 0 },
	{ HOME, W, ".zshrc", 0 },
	{ HOME, W, ".zshenv", 0 },
	{ HOME, W, ".zprofile", 0 },
	{ HOME, W, ".zlogin", 0 },
	{ HOME, W, ".zlogout", 0 },
	{ HOME, W, ".oh-my-zsh/**", 0 },
	{ HOME, W, ".kshrc", 0 },
	{ HOME, W, ".cshrc", 0 },
	{ HOME, W, ".tcshrc", 0 },
	{ HOME, W, ".login", 0 },
	{ HOME, W, ".config/fish/**", 0 },
	{ HOME, W, ".config/nushell/**", 0 },
	{ HOME, W, ".inputrc", 0 },
	{ HOME, W, ".pam_environment", 0 },
	{ HOME, W, ".config/environment.d/**", 0 },
	{ HOME, W, ".config/autostart/**", 0 },
	{ HOME, W, ".config/systemd/**", 0 },
	{ HOME, W, ".local/share/systemd/**", 0 },
	{ HOME, W, ".local/share/applications/**", 0 },
	{ HOME, W, ".local/share/dbus-1/**", 0 },
	{ HOME, W, ".xprofile", 0 },
	{ HOME, W, ".xsession", 0 },
	{ HOME, W, ".xsessionrc", 0 },
	{ HOME, W, ".xinitrc", 0 },
	{ HOME, W, ".vimrc", 0 },
	{ HOME, W, ".vim/**", 0 },
	{ HOME, W, ".config/nvim/**", 0 },
	{ HOME, W, ".emacs", 0 },
	{ HOME, W, ".emacs.d/**", 0 },
	{ HOME, W, ".config/emacs/**", 0 },
	{ HOME, W, ".tmux.conf", 0 },
	{ HOME, W, ".screenrc", 0 },
	{ HOME, W, ".gdbinit", 0 },
	{ HOME, W, ".pythonrc", 0 },
	{ HOME, W, ".ipython/**", 0 },
	{ HOME, W, ".irbrc", 0 },
	{ HOME, W, ".curlrc", 0 },
	{ HOME, W, ".wgetrc", 0 },
	{ HOME, W, ".config/pip/**", 0 },
	{ HOME, W, ".pip/**", 0 },
	{ HOME, W, ".config/pnpm/**", SCRIPT },
	{ HOME, W, ".gitconfig", QUIET },
	{ HOME, W, ".config/git/**", QUIET },
	{ HOME, W, ".config/Code/**", 0 },
	{ HOME, W, ".vscode/**", 0 },
	{ HOME, W, ".cursor/**", 0 },
	{ HOME, W, ".nvm/nvm.sh", 0 },
	{ FIXED, W, "/var/spool/cron/**", 0 },
	{ FIXED, W, "/etc/**", 0 },
	/* What continuous integration and editors run of a project */
	{ PROJECT, W, ".github/**", 0 },
	{ PROJECT, W, ".gitlab-ci.yml", 0 },
	{ PROJECT, W, ".gitlab/**", 0 },
	{ PROJECT, W, ".circleci/**", 0 },
	{ PROJECT, W, ".buildkite/**", 0 },
	{ PROJECT, W, ".woodpecker/**", 0 },
	{ PROJECT, W, ".woodpecker.yml", 0 },
	{ PROJECT, W, ".forgejo/**", 0 },
	{ PROJECT, W, ".gitea/**", 0 },
	{ PROJECT, W, ".drone.yml", 0 },
	{ PROJECT, W, ".travis.yml", 0 },
	{ PROJECT, W, "azure-pipelines.yml", 0 },
	{ PROJECT, W, "bitbucket-pipelines.yml", 0 },
	{ PROJECT, W, "Jenkinsfile", 0 },
	{ PROJECT, W, ".pre-commit-config.yaml", 0 },
	{ PROJECT, W, ".vscode/**", 0 },
	{ PROJECT, W, ".idea/**", 0 },
	{ PROJECT, W, ".zed/**", 0 },
	{ PROJECT, W, ".cursor/**", 0 },
	{ PROJECT, W, ".mcp.json", 0 },
	{ PROJECT, W, ".devcontainer/**", 0 },
	{ PROJECT, W, "*.code-workspace", 0 },
	{ PROJECT, W, ".mise.toml", 0 },
	{ PROJECT, W, "mise.toml", 0 },
	/* What tightens the next run */
	{ PROJECT, W, ".pmg.yml", 0 },
	/* Git: hooks, what names other hooks or programs, and what makes another folder the
	 * repository */
	{ PROJECT, RWX, ".git/hooks/**", HOOK },
	{ PROJECT, RWX, ".git/modules/**/hooks/**", HOOK },
	{ FIXED, RWX, "${GITDIR}/hooks/**", HOOK | PACKAGE },
	{ FIXED, RWX, "${GITDIR}/modules/**/hooks/**", HOOK | PACKAGE },
	/* Part of the project, as husky has it: git looks into it for new files. */
	{ FIXED, W | X, "${HOOKS}/**", HOOK | PACKAGE },
	{ PROJECT, W, ".git", 0 },
	{ PROJECT, W | X, ".git/config", 0 },
	/* `git config` begins with this one, and so does many a script that means no harm. */
	{ PROJECT, W, ".git/config.lock", QUIET },
	{ PROJECT, W | X, ".git/config.worktree", 0 },
	{ PROJECT, W, ".git/commondir", 0 },
	{ PROJECT, W | X, ".git/modules/**/config", 0 },
	{ FIXED, W, "${GITDIR}", PACKAGE },
	{ FIXED, W | X, "${GITDIR}/config", PACKAGE },
	{ FIXED, W, "${GITDIR}/config.lock", PACKAGE | QUIET },
	{ FIXED, W | X, "${GITDIR}/config.worktree", PACKAGE },
	{ FIXED, W, "${GITDIR}/commondir", PACKAGE },
	{ FIXED, W, "${GITDIR}/gitdir", PACKAGE },
	{ FIXED, W | X, "${GITDIR}/modules/**/config", PACKAGE },
	{ FIXED, W, "${GITDIR}/worktrees/*/commondir", PACKAGE },
	{ FIXED, W, "${GITDIR}/worktrees/*/gitdir", PACKAGE },
	{ FIXED, W, "${GITDIR}/worktrees/*/config.worktree", PACKAGE },
	{ FIXED, W, "${GITCONFIG}", PACKAGE | QUIET },
	{ PROJECT, R, ".git/config", 0 },
	{ PROJECT, R, ".git/modules/**/config", 0 },
	{ FIXED, R, "${GITDIR}/config", PACKAGE | SECRET },
	{ FIXED, R, "${GITDIR}/config.worktree", PACKAGE | SECRET },
	{ FIXED, R, "${GITDIR}/config", OPEN | PLAIN },
	{ FIXED, R, "${GITDIR}/config.worktree", OPEN | PLAIN },
	/* The machine */
	{ FIXED, RW, "/etc/shadow*", 0 },
	{ FIXED, RW, "/etc/gshadow*", 0 },
	{ FIXED, RW, "/etc/security/opasswd", 0 },
	{ FIXED, RW, "/etc/sudoers", 0 },
	{ FIXED, RW, "/etc/sudoers.d/**", 0 },
	{ FIXED, RW, "/etc/ssh/*_key", 0 },
	{ FIXED, RW, "/etc/ssl/private/**", 0 },
	{ FIXED, RW, "/etc/pki/tls/private/**", 0 },
	{ FIXED, RW, "/etc/letsencrypt/**", 0 },
	{ FIXED, RW, "/etc/krb5.keytab", 0 },
	{ FIXED, RW, "/etc/NetworkManager/system-connections/**", 0 },
	{ FIXED, RW, "/etc/wireguard/**", 0 },
	{ FIXED, RW, "/etc/ppp/*-secrets", 0 },
	{ FIXED, RW, "/etc/kubernetes/**", 0 },
	{ FIXED, RW, "/etc/rancher/**", 0 },
	{ FIXED, RW, "/run/secrets/**", 0 },
	{ FIXED, RW, "/var/run/secrets/**", 0 },
	{ FIXED, RW, "/proc/kcore", 0 },
	{ FIXED, W, "/proc/sys/**", 0 },
	{ FIXED, W, "/proc/sysrq-trigger", 0 },
	/* Who listens there does what it is told, outside of all walls. */
	{ FIXED, U, "/run/docker.sock", 0 },
	{ FIXED, U, "/var/run/docker.sock", 0 },
	{ FIXED, U, "${HOME}/.docker/run/docker.sock", 0 },
	{ FIXED, U, "/run/user/*/docker.sock", 0 },
	{ FIXED, U, "/run/containerd/**", 0 },
	{ FIXED, U, "/run/crio/**", 0 },
	{ FIXED, U, "/run/podman/**", 0 },
	{ FIXED, U, "/run/user/*/podman/**", 0 },
	{ FIXED, U, "/run/user/*/bus", 0 },
	{ FIXED, U, "/run/user/*/systemd/**", 0 },
	{ FIXED, U, "/run/user/*/gnupg/**", 0 },
	{ FIXED, U, "/run/user/*/keyring/**", 0 },
	{ FIXED, U, "/run/user/*/wayland-*", 0 },
	{ FIXED, U, "/run/dbus/system_bus_socket", 0 },
	{ FIXED, U, "/var/run/dbus/system_bus_socket", 0 },
	{ FIXED, U, "/run/systemd/**", 0 },
	{ FIXED, U, "/run/snapd.socket", 0 },
	{ FIXED, U, "/run/snapd-snap.socket", 0 },
	{ FIXED, U, "/run/libvirt/**", 0 },
	{ FIXED, U, "/var/lib/lxd/unix.socket", 0 },
	{ FIXED, U, "/var/snap/lxd/common/lxd/unix.socket", 0 },
	{ FIXED, U, "${HOME}/.gnupg/**", 0 },
	{ FIXED, U, "/tmp/ssh-*/**", 0 },
	{ FIXED, U, "/tmp/.X11-unix/**", 0 },
	{ FIXED, U, "@/tmp/.X11-unix/*", 0 },
	{ FIXED, U, "@/tmp/dbus-*", 0 },
	/* Hosts that hand a machine's credentials to whoever asks from it. */
	{ FIXED, C, "169.254.169.254", 0 },
	{ FIXED, C, "169.254.170.2", 0 },
	{ FIXED, C, "169.254.170.23", 0 },
	{ FIXED, C, "[fd00:ec2::254]", 0 },
	{ FIXED, C, "[fd20:ce::254]", 0 },
	{ FIXED, C, "100.100.100.200", 0 },
	{ FIXED, C, "168.63.129.16", 0 },
	{ FIXED, C, "metadata.google.internal", 0 },
	{ FIXED, C, "metadata.goog", 0 },
	{ FIXED, C, "instance-data.ec2.internal", 0 },
	/* pmg's own; the bundle of the run is for everybody to read */
	{ FIXED, RWX, "${STATEDIR}/**", PACKAGE },
	{ FIXED, W, "${CONFIGDIR}/**", PACKAGE },
	{ FIXED, W, "${CACHEDIR}/**", PACKAGE }, /* what registries there are, as it was learned */
	{ FIXED, W, "${RUNDIR}/**", PACKAGE },
};

static bool reads_again(const char *manager)
{
	return strcmp(manager, "yarn") == 0 || strcmp(manager, "bun") == 0;
}

static int add_text(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		    const struct row *row, const char *text, struct pmg_err *err)
{
	static const struct {
		unsigned bit;
		enum pmg_access access;
	} kinds[] = { { R, PMG_ACCESS_READ },
		      { W, PMG_ACCESS_WRITE },
		      { X, PMG_ACCESS_EXEC },
		      { U, PMG_ACCESS_UNIX },
		      { C, PMG_ACCESS_CONNECT } };
	pmg_autofree char *source =
		pmg_xasprintf("built-in mandatory:%zu", (size_t)(row - rows) + 1);
	pmg_autofree char *copy = pmg_xstrdup(text);
	/* A command that a person runs by itself is no manager, whatever it is called. */
	bool exec = strcmp(facts->manager, "exec") == 0;
	unsigned flags = row->flags & (exec ? ~SCRIPT : ~0U);
	struct pmg_policy_rule rule = {
		.rank = flags & HOOK   ? PMG_RANK_HOOKS
			: flags & OPEN ? PMG_RANK_OPT_OUT
				       : PMG_RANK_MANDATORY_DENY,
		/* Of this one run: in no fingerprint. */
		.layer = pmg_str_has_prefix(row->name, "${RUNDIR}") ? PMG_LAYER_RUN
								    : PMG_LAYER_MANDATORY,
		.roles = flags & SCRIPT ? PMG_ROLE_SCRIPT : PMG_ROLE_ANY,
		.sensitive = !(flags & (QUIET | OPEN)),
		.reads_empty = (flags & EMPTY) && reads_again(facts->manager),
		.packages_exempt = !(flags & (PACKAGE | OPEN)),
		.text = copy,
		.source = source,
	};
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(kinds); i++) {
		rule.access = kinds[i].access;
		if (row->what & kinds[i].bit)
			r = pmg_policy_add(policy, &rule, err);
	}
	return r;
}

/* A pattern, and the one that it is with links resolved. */
static int add_both(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		    const struct row *row, const char *text, struct pmg_err *err)
{
	pmg_autofree char *real = pmg_vars_real(facts, text);
	int r = add_text(policy, facts, row, text, err);

	return r == 0 && real ? add_text(policy, facts, row, real, err) : r;
}

static int add_pattern(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		       const struct row *row, const char *pattern, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv texts = { 0 };
	const char *missing;
	size_t i;
	int r = 0;

	if (row->what == C || pattern[0] == '@')
		return add_text(policy, facts, row, pattern, err);
	/* Without a repository there is nothing of git to close. */
	if (pmg_vars_expand(facts, pattern, &texts, &missing) > 0)
		return 0;
	for (i = 0; r == 0 && i < texts.n; i++)
		r = add_both(policy, facts, row, texts.v[i], err);
	return r;
}

static int add_row(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		   const struct row *row, struct pmg_err *err)
{
	static const struct {
		unsigned where;
		const char *prefix;
	} places[] = {
		{ HOME, "${HOME}/" },
		{ PROJECT, "${PROJECT}/**/" },
		{ PROJECT, "${CWD}/**/" },
		{ PROJECT, "${SOURCEDIR}/**/" },
		{ FIXED, "" },
	};
	size_t i;
	int r = 0;

	if (((row->flags & SECRET) && !facts->git_secret) ||
	    ((row->flags & PLAIN) && facts->git_secret))
		return 0;
	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(places); i++) {
		pmg_autofree char *pattern = pmg_xasprintf("%s%s", places[i].prefix, row->name);

		/* What the project's rules cover needs none of its own. */
		if (pmg_str_has_prefix(pattern, "${CWD}") && facts->cwd && facts->project &&
		    pmg_path_is_under(facts->cwd, facts->project))
			continue;
		if (row->where & places[i].where)
			r = add_pattern(policy, facts, row, pattern, err);
	}
	return r;
}

int pmg_mandatory_add(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		      struct pmg_err *err)
{
	const struct row *row;
	int r = pmg_scrub_add(policy, err);

	for (row = rows; r == 0 && row < rows + PMG_ARRAY_LEN(rows); row++)
		r = add_row(policy, facts, row, err);
	return r;
}

bool pmg_mandatory_is_hook(const char *path)
{
	const char *at = path;

	while ((at = strstr(at, "/.git/"))) {
		const char *hooks = strstr(at, "/hooks");

		at += strlen("/.git");
		if (!hooks || (hooks[6] != '\0' && hooks[6] != '/'))
			continue;
		if (hooks == at || pmg_str_has_prefix(at, "/modules/"))
			return true;
	}
	return false;
}

int pmg_mandatory_add_hooks(struct pmg_policy *policy, const struct pmg_policy_rule *rule,
			    struct pmg_err *err)
{
	static const char source[] = "built-in mandatory";
	pmg_auto(glob) struct pmg_glob *glob = NULL;
	pmg_autofree char *fixed = NULL;
	pmg_autofree char *text = NULL;
	pmg_autofree char *from = pmg_xstrdup(source);
	struct pmg_policy_rule hooks = { .access = rule->access,
					 .rank = PMG_RANK_HOOKS,
					 .layer = PMG_LAYER_MANDATORY,
					 .roles = PMG_ROLE_ANY,
					 .sensitive = true,
					 .source = from };
	int r = pmg_glob_new(rule->text, &glob, err);

	if (r < 0 || (rule->access != PMG_ACCESS_WRITE && rule->access != PMG_ACCESS_EXEC) ||
	    (pmg_glob_is_exact(glob) && !pmg_glob_is_subtree(glob)))
		return r < 0 ? r : 0;
	fixed = pmg_glob_escape(pmg_glob_fixed(glob));
	hooks.text = text = pmg_xasprintf("%s/**/.git/hooks/**", strcmp(fixed, "/") ? fixed : "");
	return pmg_policy_add(policy, &hooks, err);
}
