#include "tests/helper/agree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "tests/helper/folder.h"

#define SCRIPT_TEXT "#!/bin/true\n"
#define LINKS_MAX   12

__attribute__((noreturn)) static void broken(const char *what, const char *name)
{
	fprintf(stderr, "%s %s: %s\n", what, name, strerror(errno));
	_exit(99);
}

/* The tree */

static char *on_disk(const struct agree_tree *tree, const char *name)
{
	return pmg_path_join(tree->top, name);
}

static const struct agree_node *node_of(const struct agree_tree *tree, const char *name)
{
	unsigned i;

	for (i = 0; i < tree->n; i++)
		if (strcmp(tree->v[i].name, name) == 0)
			return &tree->v[i];
	return NULL;
}

static void write_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    fchmod(fd, mode) < 0)
		broken("write", path);
	(void)close(fd);
}

/* Names of sockets are short: seen from the project, where the tool is, or from its folder. */
static char *short_name(const char *path, bool *from_here)
{
	pmg_autofree char *here = pmg_path_real(".");
	pmg_autofree char *up = pmg_path_dir(here);

	*from_here = true;
	if (pmg_path_is_under(path, here) && path[strlen(here)] == '/')
		return pmg_xstrdup(path + strlen(here) + 1);
	if (strlen(up) > 1 && pmg_path_is_under(path, up) && path[strlen(up)] == '/')
		return pmg_xasprintf("../%s", path + strlen(up) + 1);
	*from_here = false;
	return pmg_xstrdup(pmg_path_name(path));
}

/* @return 0 or errno */
static int with_socket(const char *path, int (*call)(int, const struct sockaddr *, socklen_t))
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC), r;
	pmg_autofree char *dir = pmg_path_dir(path);
	bool from_here;
	pmg_autofree char *name = short_name(path, &from_here);

	(void)snprintf(at.sun_path, sizeof at.sun_path, "%s", name);
	r = (!from_here && chdir(dir) < 0) || call(fd, (struct sockaddr *)&at, sizeof at) < 0
		    ? errno
		    : 0;
	if (fchdir(here) < 0)
		broken("fchdir", path);
	(void)close(fd);
	(void)close(here);
	return r;
}

static void make(const struct agree_tree *tree, const struct agree_node *node)
{
	pmg_autofree char *path = on_disk(tree, node->name);
	struct stat st;

	if (lstat(path, &st) == 0 && node->kind != AGREE_SCRIPT)
		return;
	switch (node->kind) {
	case AGREE_DIR:
		if (mkdir(path, 0755) < 0)
			broken("mkdir", path);
		break;
	case AGREE_FILE:
		write_file(path, "text", 0644);
		break;
	case AGREE_SCRIPT:
		write_file(path, SCRIPT_TEXT, 0755);
		break;
	case AGREE_LINK:
		if (symlink(node->target, path) < 0)
			broken("symlink", path);
		break;
	case AGREE_SOCKET:
		if (with_socket(path, bind) != 0)
			broken("bind", path);
		break;
	default:
		abort();
	}
}

static void add(struct agree_tree *tree, enum agree_kind kind, const char *name, const char *target)
{
	struct agree_node *node = &tree->v[tree->n];

	if (tree->n == AGREE_NODES || node_of(tree, name))
		return;
	*node = (struct agree_node){ .kind = kind };
	(void)snprintf(node->name, sizeof node->name, "%s", name);
	(void)snprintf(node->target, sizeof node->target, "%s", target);
	make(tree, node);
	tree->n++;
}

static const char *const folders[] = {
	"home/project",
	"home/project/deps",
	"home/project/a",
	"home/project/a/b",
	"home/project/a/b/c",
	"home/project/deps/x",
	"home/project/p[1]",
	"home/project/node_modules",
	"home/project/node_modules/m",
	"home/project/e",
	"home/project/node_modules/m/d",
	"home/out",
	"home/out/k",
};
static const char *const names[] = { "f", "g", ".env", "run", "sk", "ln", "up", "gone" };

/* Every folder gets some of the names; links lead up, across, out of the project, nowhere. */
static void plant_in(struct agree_tree *tree, const char *folder, struct agree_dice *dice)
{
	static const enum agree_kind kinds[] = { AGREE_FILE,   AGREE_FILE, AGREE_FILE, AGREE_SCRIPT,
						 AGREE_SOCKET, AGREE_LINK, AGREE_LINK, AGREE_LINK };
	static const char *const targets[] = { "f",         "..",          "../a", "run",
					       ".env",      "../../out/f", "b",    "missing",
					       "../deps/f", "sk",          "../g" };
	unsigned i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		char name[96];

		if (agree_roll(dice, 5) > 2)
			continue;
		(void)snprintf(name, sizeof name, "%s/%s", folder, names[i]);
		add(tree, kinds[i], name, targets[agree_roll(dice, PMG_ARRAY_LEN(targets))]);
	}
}

void agree_plant(struct agree_tree *tree, const char *top, struct agree_dice *dice)
{
	unsigned i;

	tree->top = pmg_xstrdup(top);
	for (i = 0; i < PMG_ARRAY_LEN(folders); i++)
		add(tree, AGREE_DIR, folders[i], "");
	add(tree, AGREE_FILE, "home/project/.env", "");
	add(tree, AGREE_FILE, "home/project/open", "");
	for (i = 0; i < PMG_ARRAY_LEN(folders); i++)
		plant_in(tree, folders[i], dice);
}

void agree_copy(const struct agree_tree *from, struct agree_tree *out)
{
	pmg_autofree char *home = NULL;
	unsigned i;

	*out = *from;
	out->top = folder_new();
	home = on_disk(out, "home");
	if (mkdir(home, 0755) < 0)
		broken("mkdir", home);
	for (i = 0; i < out->n; i++)
		make(out, &out->v[i]);
}

void agree_uproot(struct agree_tree *tree)
{
	free(tree->top);
	*tree = (struct agree_tree){ 0 };
}

/* Calls */

static void move(const struct agree_tree *from, const struct agree_tree *to, char path[AGREE_PATH])
{
	char rest[AGREE_PATH];

	if (!path[0])
		return;
	(void)snprintf(rest, sizeof rest, "%s", path + strlen(from->top));
	if ((size_t)snprintf(path, AGREE_PATH, "%s%s", to->top, rest) >= AGREE_PATH)
		abort();
}

void agree_move(const struct agree_tree *from, const struct agree_tree *to, struct agree_call *call)
{
	move(from, to, call->a);
	move(from, to, call->b);
}

static int open_as(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		return errno;
	(void)close(fd);
	return 0;
}

static int start(const char *path)
{
	char *const argv[] = { (char *)(uintptr_t)path, NULL };
	char *const envp[] = { NULL };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		(void)execve(path, argv, envp);
		_exit(errno);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EFAULT;
}

int agree_perform(const struct agree_call *call)
{
	const char *a = call->a;

	switch (call->op) {
	case AGREE_READ:
		return open_as(a, O_RDONLY);
	case AGREE_WRITE:
		return open_as(a, O_WRONLY);
	case AGREE_BOTH:
		return open_as(a, O_RDWR);
	case AGREE_TRUNCATE:
		return open_as(a, O_WRONLY | O_TRUNC);
	case AGREE_CREATE:
		return open_as(a, O_WRONLY | O_CREAT);
	case AGREE_CREATE_NEW:
		return open_as(a, O_WRONLY | O_CREAT | O_EXCL);
	case AGREE_LIST:
		return open_as(a, O_RDONLY | O_DIRECTORY);
	case AGREE_MKDIR:
		return mkdir(a, 0755) < 0 ? errno : 0;
	case AGREE_SYMLINK:
		return symlink("f", a) < 0 ? errno : 0;
	case AGREE_UNLINK:
		return unlink(a) < 0 ? errno : 0;
	case AGREE_RMDIR:
		return rmdir(a) < 0 ? errno : 0;
	case AGREE_RENAME:
		return rename(a, call->b) < 0 ? errno : 0;
	case AGREE_HARD_LINK:
		return link(a, call->b) < 0 ? errno : 0;
	case AGREE_EXEC:
		return start(a);
	case AGREE_CONNECT:
		return with_socket(a, connect);
	case AGREE_OP_MAX:
	default:
		abort();
	}
}

int agree_place(const char *path, char out[AGREE_PATH])
{
	pmg_autofree char *dir = pmg_path_dir(path);
	pmg_autofree char *real = pmg_path_real(dir);
	struct stat st;

	if (!real || stat(real, &st) < 0)
		return errno;
	if (!S_ISDIR(st.st_mode))
		return ENOTDIR;
	if ((size_t)snprintf(out, AGREE_PATH, "%s/%s", real, pmg_path_name(path)) >= AGREE_PATH)
		return ENAMETOOLONG;
	return 0;
}

int agree_object(const char *path, char out[AGREE_PATH])
{
	char at[AGREE_PATH], target[AGREE_PATH];
	struct stat st;
	ssize_t n;
	int i, r;

	(void)snprintf(at, sizeof at, "%s", path);
	for (i = 0; i < LINKS_MAX; i++) {
		pmg_autofree char *dir = NULL;
		pmg_autofree char *next = NULL;
		pmg_autofree char *whole = NULL;

		r = agree_place(at, out);
		if (r != 0)
			return r;
		if (lstat(out, &st) < 0)
			return errno;
		if (!S_ISLNK(st.st_mode))
			return 0;
		n = readlink(out, target, sizeof target - 1);
		if (n < 0)
			return errno;
		target[n] = '\0';
		dir = pmg_path_dir(out);
		next = pmg_path_join(dir, target);
		whole = pmg_path_real(next);
		if (whole)
			(void)snprintf(at, sizeof at, "%s", whole);
		else
			(void)snprintf(at, sizeof at, "%s", next);
	}
	return ELOOP;
}

static const char *name_in(const struct agree_tree *tree, const char *path)
{
	return path + strlen(tree->top) + 1;
}

static void put_back(const struct agree_tree *tree, const char *path)
{
	const struct agree_node *node = node_of(tree, name_in(tree, path));

	if (node)
		make(tree, node);
}

static void take_away(const struct agree_tree *tree, const char *path)
{
	if (!node_of(tree, name_in(tree, path)) && remove(path) < 0)
		broken("remove", path);
}

static bool is_of_object(enum agree_op op)
{
	return op == AGREE_TRUNCATE || op == AGREE_CREATE || op == AGREE_CREATE_NEW;
}

void agree_look(const struct agree_call *call, struct agree_where *out)
{
	out->a[0] = out->b[0] = '\0';
	/* Neither need be there: then the call does nothing, or makes it. */
	if (is_of_object(call->op))
		(void)agree_object(call->a, out->a);
	else
		(void)agree_place(call->a, out->a);
	if (call->b[0])
		(void)agree_place(call->b, out->b);
}

void agree_undo(const struct agree_tree *tree, const struct agree_call *call,
		const struct agree_where *where, int result)
{
	if (result != 0)
		return;
	switch (call->op) {
	case AGREE_CREATE:
	case AGREE_CREATE_NEW:
	case AGREE_MKDIR:
	case AGREE_SYMLINK:
		take_away(tree, where->a);
		break;
	case AGREE_TRUNCATE:
	case AGREE_UNLINK:
	case AGREE_RMDIR:
		put_back(tree, where->a);
		break;
	case AGREE_RENAME:
		if (rename(where->b, where->a) < 0)
			broken("rename back", where->b);
		put_back(tree, where->b);
		break;
	case AGREE_HARD_LINK:
		take_away(tree, where->b);
		break;
	case AGREE_READ:
	case AGREE_WRITE:
	case AGREE_BOTH:
	case AGREE_LIST:
	case AGREE_EXEC:
	case AGREE_CONNECT:
	case AGREE_OP_MAX:
	default:
		break;
	}
}
