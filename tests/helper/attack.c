/*
 * One attack a call, for tests of the walls: the same program runs within them,
 * where each attack must be refused, and without, where it must succeed. Exit
 * status: 0 it succeeded, 1 it was refused (standard output names the error),
 * 2 wrong use, 77 this machine cannot do it at all.
 *
 *   attack NAME [ARGUMENT...]
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/openat2.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef AF_VSOCK
#define AF_VSOCK 40
#endif

#define SUCCEEDED  0
#define REFUSED    1
#define IMPOSSIBLE 77

/* What every attack on content ends with: the bytes on standard output. */
static int loot(int fd)
{
	char text[4096];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);

	if (n <= 0) {
		printf("refused: %s\n", n == 0 ? "nothing to read" : strerror(errno));
		return REFUSED;
	}
	(void)!write(1, text, (size_t)n);
	return SUCCEEDED;
}

static int result(long r)
{
	if (r >= 0)
		return SUCCEEDED;
	printf("refused: %s\n", strerror(errno));
	return REFUSED;
}

static int do_open(char **a)
{
	return loot(open(a[0], O_RDONLY));
}

static int do_open_rdwr(char **a)
{
	return loot(open(a[0], O_RDWR));
}

static int do_openat2(char **a)
{
	struct open_how how = { .flags = O_RDONLY };

	return loot((int)syscall(SYS_openat2, AT_FDCWD, a[0], &how, sizeof how));
}

static int do_creat(char **a)
{
	return result(creat(a[0], 0600));
}

static int do_append(char **a)
{
	int fd = open(a[0], O_WRONLY | O_APPEND | O_CREAT, 0600);

	return result(fd < 0 ? -1 : write(fd, "attack\n", 7));
}

static int do_truncate(char **a)
{
	return result(truncate(a[0], 0));
}

/* a[1] becomes a link to a[0]; that, or a[2] by way of it, is read. */
static int do_symlink_read(char **a)
{
	if (symlink(a[0], a[1]) < 0)
		return result(-1);
	return do_open(a[2] ? a + 2 : a + 1);
}

static int do_list(char **a)
{
	DIR *dir = opendir(a[0]);
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (n > 2)
		return SUCCEEDED;
	printf("refused: %s\n", dir ? "nothing in it" : strerror(errno));
	return REFUSED;
}

static int do_link_read(char **a)
{
	if (link(a[0], a[1]) < 0)
		return result(-1);
	return do_open(a + 1);
}

static int do_rename_read(char **a)
{
	if (rename(a[0], a[1]) < 0)
		return result(-1);
	return do_open(a + 1);
}

static int do_exchange_read(char **a)
{
	int fd = creat(a[1], 0600);

	if (fd < 0 || syscall(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, a[1], 2) < 0)
		return result(-1);
	return do_open(a + 1);
}

/* The folder a[0] becomes a[1], and a[2] in it is read. */
static int do_move_parent_read(char **a)
{
	char path[4096];

	if (rename(a[0], a[1]) < 0)
		return result(-1);
	(void)snprintf(path, sizeof path, "%s/%s", a[1], a[2]);
	a[0] = path;
	return do_open(a);
}

static int do_rename(char **a)
{
	return result(rename(a[0], a[1]));
}

static int do_unlink(char **a)
{
	return result(unlink(a[0]));
}

static int do_mkdir(char **a)
{
	return result(mkdir(a[0], 0700));
}

static int do_chmod(char **a)
{
	return result(chmod(a[0], 0777));
}

static int do_fchmod(char **a)
{
	int fd = open(a[0], O_PATH);
	char path[64];

	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return result(fd < 0 ? -1 : chmod(path, 0777));
}

static int do_utime(char **a)
{
	static const struct timespec old[2] = { { 1, 0 }, { 1, 0 } };

	return result(utimensat(AT_FDCWD, a[0], old, 0));
}

/* Reads a[0] while another thread of control makes the same string name a[1]: once right is enough.
 */
static int do_race_read(char **a)
{
	char *path = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	size_t la = strlen(a[0]), lb = strlen(a[1]);
	int i, tries = atoi(a[2]);
	pid_t flipper;

	if (path == MAP_FAILED || la != lb || la >= 4096)
		return 2;
	memcpy(path, a[0], la + 1);
	flipper = fork();
	if (flipper == 0)
		for (;;) {
			memcpy(path, a[1], lb);
			memcpy(path, a[0], la);
		}
	for (i = 0; i < tries; i++) {
		char text[64] = "";
		int fd = open(path, O_RDONLY);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

		if (fd >= 0)
			(void)close(fd);
		if (n > 0 && strstr(text, a[3])) {
			(void)kill(flipper, SIGKILL);
			printf("passed at try %d: %s\n", i, text);
			return SUCCEEDED;
		}
	}
	(void)kill(flipper, SIGKILL);
	(void)waitpid(flipper, NULL, 0);
	printf("refused %d times\n", tries);
	return REFUSED;
}

static int run(char *const *argv)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		(void)execv(argv[0], argv);
		printf("refused: %s\n", strerror(errno));
		(void)fflush(stdout);
		_exit(REFUSED);
	}
	(void)waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? SUCCEEDED : REFUSED;
}

static int do_exec(char **a)
{
	return run(a);
}

/* The program a[0] as a file in memory. */
static int do_memfd(char **a)
{
	char *const argv[] = { a[0], NULL };
	char text[65536];
	int from = open(a[0], O_RDONLY), fd = memfd_create("x", 0);
	pid_t child;
	ssize_t n;
	int status;

	if (from < 0 || fd < 0)
		return result(-1);
	while ((n = read(from, text, sizeof text)) > 0)
		if (write(fd, text, (size_t)n) != n)
			return result(-1);
	child = fork();
	if (child == 0) {
		(void)fexecve(fd, argv, environ);
		(void)snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
		(void)execv(text, argv);
		printf("refused: %s\n", strerror(errno));
		(void)fflush(stdout);
		_exit(REFUSED);
	}
	(void)waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? SUCCEEDED : REFUSED;
}

static socklen_t address(char **a, struct sockaddr_storage *out)
{
	struct sockaddr_in *in4 = (struct sockaddr_in *)out;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;

	memset(out, 0, sizeof *out);
	if (strchr(a[0], ':')) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons((uint16_t)atoi(a[1]));
		(void)inet_pton(AF_INET6, a[0], &in6->sin6_addr);
		return sizeof *in6;
	}
	in4->sin_family = AF_INET;
	in4->sin_port = htons((uint16_t)atoi(a[1]));
	(void)inet_pton(AF_INET, a[0], &in4->sin_addr);
	return sizeof *in4;
}

static int connect_and_tell(char **a, int type, int protocol)
{
	struct sockaddr_storage to;
	socklen_t len = address(a, &to);
	int fd = socket(to.ss_family, type, protocol);

	if (fd < 0 && (errno == EPROTONOSUPPORT || errno == ENOPROTOOPT))
		return IMPOSSIBLE;
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, len) < 0)
		return result(-1);
	return result(write(fd, "attack\n", 7));
}

static int do_tcp(char **a)
{
	return connect_and_tell(a, SOCK_STREAM, 0);
}

static int do_udp(char **a)
{
	return connect_and_tell(a, SOCK_DGRAM, 0);
}

static int do_mptcp(char **a)
{
	return connect_and_tell(a, SOCK_STREAM, IPPROTO_MPTCP);
}

static int do_sctp(char **a)
{
	return connect_and_tell(a, SOCK_STREAM, IPPROTO_SCTP);
}

static int do_udp_sendto(char **a)
{
	struct sockaddr_storage to;
	socklen_t len = address(a, &to);
	int fd = socket(to.ss_family, SOCK_DGRAM, 0);

	return result(fd < 0 ? -1 : sendto(fd, "attack\n", 7, 0, (struct sockaddr *)&to, len));
}

static int do_udp_sendmmsg(char **a)
{
	struct sockaddr_storage to;
	socklen_t len = address(a, &to);
	char text[] = "attack\n";
	struct iovec iov = { text, 7 };
	struct mmsghdr msg = {
		.msg_hdr = { .msg_name = &to, .msg_namelen = len, .msg_iov = &iov, .msg_iovlen = 1 }
	};
	int fd = socket(to.ss_family, SOCK_DGRAM, 0);

	return result(fd < 0 ? -1 : sendmmsg(fd, &msg, 1, 0));
}

static int do_fastopen(char **a)
{
	struct sockaddr_storage to;
	socklen_t len = address(a, &to);
	int fd = socket(to.ss_family, SOCK_STREAM, 0);

	return result(
		fd < 0 ? -1 : sendto(fd, "attack\n", 7, MSG_FASTOPEN, (struct sockaddr *)&to, len));
}

static int do_raw(char **a)
{
	(void)a;
	return result(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
}

static int do_packet(char **a)
{
	(void)a;
	return result(socket(AF_PACKET, SOCK_RAW, 0));
}

static int do_vsock(char **a)
{
	int fd = socket(AF_VSOCK, SOCK_STREAM, 0);

	(void)a;
	if (fd < 0 && errno == EAFNOSUPPORT)
		return IMPOSSIBLE;
	return result(fd);
}

/* "@name" is an abstract one */
static socklen_t local_address(const char *name, struct sockaddr_un *out)
{
	socklen_t len;

	*out = (struct sockaddr_un){ .sun_family = AF_UNIX };
	(void)snprintf(out->sun_path, sizeof out->sun_path, "%s", name);
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(out->sun_path));
	if (out->sun_path[0] != '@')
		return len + 1;
	out->sun_path[0] = '\0';
	return len;
}

static int do_unix_sendto(char **a)
{
	struct sockaddr_un to;
	socklen_t len = local_address(a[0], &to);
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	return result(fd < 0 ? -1 : sendto(fd, "attack\n", 7, 0, (struct sockaddr *)&to, len));
}

static int do_unix(char **a)
{
	struct sockaddr_un to;
	socklen_t len = local_address(a[0], &to);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, len) < 0)
		return result(-1);
	return result(write(fd, "attack\n", 7));
}

static int do_listen(char **a)
{
	struct sockaddr_storage at;
	socklen_t len = address(a, &at);
	int fd = socket(at.ss_family, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0)
		return result(-1);
	return result(listen(fd, 1));
}

static int do_unix_listen(char **a)
{
	struct sockaddr_un at;
	socklen_t len = local_address(a[0], &at);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0)
		return result(-1);
	return result(listen(fd, 1));
}

static int do_ptrace(char **a)
{
	long r = ptrace(PTRACE_SEIZE, (pid_t)atoi(a[0]), 0, 0);

	return result(r);
}

static int do_kill(char **a)
{
	return result(kill((pid_t)atoi(a[0]), SIGTERM));
}

static int do_environ_of(char **a)
{
	char path[64];

	(void)snprintf(path, sizeof path, "/proc/%s/environ", a[0]);
	return loot(open(path, O_RDONLY));
}

static int do_vm_read(char **a)
{
	char text[16];
	struct iovec mine = { text, 8 };
	struct iovec theirs = { (void *)(uintptr_t)strtoull(a[1], NULL, 0), 8 };

	return result(process_vm_readv((pid_t)atoi(a[0]), &mine, 1, &theirs, 1, 0));
}

static int do_io_uring(char **a)
{
	char params[256] = { 0 };
	long r = syscall(SYS_io_uring_setup, 1, params);

	(void)a;
	return result(r);
}

/* getpid by the entry of 32-bit programs. */
static int do_int80(char **a)
{
	long r = -ENOSYS;

	(void)a;
#ifdef __x86_64__
	__asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
#else
	return IMPOSSIBLE;
#endif
	if (r > 0)
		return SUCCEEDED;
	printf("refused: %s\n", strerror((int)-r));
	return REFUSED;
}

static int do_x32(char **a)
{
	(void)a;
#ifdef __x86_64__
	return result(syscall(0x40000000 + SYS_getpid));
#else
	return IMPOSSIBLE;
#endif
}

static int do_userns(char **a)
{
	(void)a;
	return result(unshare(CLONE_NEWUSER));
}

static int nothing(void *arg)
{
	(void)arg;
	return 0;
}

static int do_clone_userns(char **a)
{
	static char stack[65536] __attribute__((aligned(16)));

	(void)a;
	return result(clone(nothing, stack + sizeof stack, CLONE_NEWUSER | SIGCHLD, NULL));
}

static int do_mount(char **a)
{
	return result(mount("none", a[0], "tmpfs", 0, NULL));
}

static int do_umount(char **a)
{
	return result(umount2(a[0], MNT_DETACH));
}

static int do_chroot(char **a)
{
	return result(chroot(a[0]));
}

static int do_tiocsti(char **a)
{
	int fd = open("/dev/tty", O_RDWR);

	(void)a;
	return result(fd < 0 ? -1 : ioctl(fd, TIOCSTI, "x"));
}

static int do_keyctl(char **a)
{
	(void)a;
	return result(syscall(SYS_add_key, "user", "pmg-attack", "x", 1, -2 /* process keyring */));
}

static int do_bpf(char **a)
{
	char attr[128] = { 0 };
	long r = syscall(SYS_bpf, 0, attr, sizeof attr);

	(void)a;
	/* A kernel that would look at the arguments says EINVAL. */
	return r >= 0 || errno == EINVAL ? SUCCEEDED : result(-1);
}

static int do_handle(char **a)
{
	struct {
		struct file_handle h;
		char bytes[128];
	} handle = { .h = { .handle_bytes = 128 } };
	int mount_id, root = open("/usr", O_RDONLY | O_DIRECTORY);

	/* Its bytes can be guessed where they are not told. */
	(void)name_to_handle_at(AT_FDCWD, a[0], &handle.h, &mount_id, 0);
	return loot(open_by_handle_at(root, &handle.h, O_RDONLY));
}

/* Descriptors above standard error that somebody left open. */
static int do_descriptors(char **a)
{
	int fd, found = 0;

	(void)a;
	for (fd = 3; fd < 256; fd++) {
		char path[64], to[256] = "";

		if (fcntl(fd, F_GETFD) < 0)
			continue;
		(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		(void)!readlink(path, to, sizeof to - 1);
		printf("%d %s\n", fd, to);
		found++;
	}
	return found ? SUCCEEDED : REFUSED;
}

/* Leaves a process behind that writes its number to a[0] and then sleeps. */
static int do_daemon(char **a)
{
	pid_t child = fork();
	FILE *f;

	if (child > 0)
		return SUCCEEDED;
	(void)setsid();
	if (fork() > 0)
		_exit(0);
	f = fopen(a[0], "w");
	if (f) {
		fprintf(f, "%ld\n", (long)getpid());
		(void)fclose(f);
	}
	(void)close(0);
	(void)close(1);
	(void)close(2);
	(void)sleep(60);
	_exit(0);
}

static int do_env(char **a)
{
	const char *value = getenv(a[0]);

	if (!value) {
		printf("refused: not set\n");
		return REFUSED;
	}
	printf("%s\n", value);
	return SUCCEEDED;
}

/* So many different paths in a denied folder. */
static int do_flood(char **a)
{
	int i, n = atoi(a[1]), passed = 0;

	for (i = 0; i < n; i++) {
		char path[4096];
		int fd;

		(void)snprintf(path, sizeof path, "%s/\033]0;x\007%d", a[0], i);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		if (fd >= 0) {
			passed++;
			(void)close(fd);
		}
	}
	printf("%d of %d passed\n", passed, n);
	return passed ? SUCCEEDED : REFUSED;
}

static const struct {
	const char *name;
	int args;
	int (*run)(char **a);
} attacks[] = {
	{ "open", 1, do_open },
	{ "open-rdwr", 1, do_open_rdwr },
	{ "openat2", 1, do_openat2 },
	{ "list", 1, do_list },
	{ "creat", 1, do_creat },
	{ "append", 1, do_append },
	{ "truncate", 1, do_truncate },
	{ "symlink-read", 2, do_symlink_read },
	{ "link-read", 2, do_link_read },
	{ "rename-read", 2, do_rename_read },
	{ "exchange-read", 2, do_exchange_read },
	{ "move-parent-read", 3, do_move_parent_read },
	{ "race-read", 4, do_race_read },
	{ "rename", 2, do_rename },
	{ "unlink", 1, do_unlink },
	{ "mkdir", 1, do_mkdir },
	{ "chmod", 1, do_chmod },
	{ "fchmod", 1, do_fchmod },
	{ "utime", 1, do_utime },
	{ "exec", 1, do_exec },
	{ "memfd", 1, do_memfd },
	{ "tcp", 2, do_tcp },
	{ "udp", 2, do_udp },
	{ "udp-sendto", 2, do_udp_sendto },
	{ "udp-sendmmsg", 2, do_udp_sendmmsg },
	{ "mptcp", 2, do_mptcp },
	{ "sctp", 2, do_sctp },
	{ "fastopen", 2, do_fastopen },
	{ "raw", 0, do_raw },
	{ "packet", 0, do_packet },
	{ "vsock", 0, do_vsock },
	{ "unix", 1, do_unix },
	{ "unix-sendto", 1, do_unix_sendto },
	{ "unix-listen", 1, do_unix_listen },
	{ "listen", 2, do_listen },
	{ "ptrace", 1, do_ptrace },
	{ "kill", 1, do_kill },
	{ "environ-of", 1, do_environ_of },
	{ "vm-read", 2, do_vm_read },
	{ "io-uring", 0, do_io_uring },
	{ "int80", 0, do_int80 },
	{ "x32", 0, do_x32 },
	{ "userns", 0, do_userns },
	{ "clone-userns", 0, do_clone_userns },
	{ "mount", 1, do_mount },
	{ "umount", 1, do_umount },
	{ "chroot", 1, do_chroot },
	{ "tiocsti", 0, do_tiocsti },
	{ "keyctl", 0, do_keyctl },
	{ "bpf", 0, do_bpf },
	{ "handle", 1, do_handle },
	{ "descriptors", 0, do_descriptors },
	{ "daemon", 1, do_daemon },
	{ "env", 1, do_env },
	{ "flood", 2, do_flood },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < sizeof attacks / sizeof attacks[0]; i++)
		if (strcmp(attacks[i].name, argv[1]) == 0 && argc - 2 >= attacks[i].args)
			return attacks[i].run(argv + 2);
	fprintf(stderr, "usage: attack NAME [ARGUMENT...]\n");
	return 2;
}
