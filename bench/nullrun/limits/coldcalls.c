/*
 * coldcalls [-staged] SOURCES OUTPUTS: copies a tree of small files with the system calls of a first
 * cook, and nothing else. Its time is a lower bound for a first cook with the recipe copy.
 *
 *	cc -O2 -o coldcalls bench/nullrun/limits/coldcalls.c
 *	./coldcalls a o
 *
 * With -staged, each file is written under its final name in a scratch directory, and only the
 * directories are renamed at the end. This is the bound for a cook that would do so.
 *
 * OUTPUTS must not exist. A source may have at most 256 KiB.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char buffer[256 << 10];
static int scratch; /* the directory of scratch files */
static unsigned long long files;
static int staged;

static void die(const char *op, const char *name)
{
	fprintf(stderr, "%s %s: %s\n", op, name, strerror(errno));
	exit(1);
}

static void copy(int from, int to, const char *name)
{
	struct stat st;
	struct timespec now;
	char tmp[32];
	int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (in < 0 || fstat(in, &st) < 0)
		die("open", name);
	/* Fails if another process has the file open for writing. */
	fcntl(in, F_SETLEASE, F_RDLCK);
	fcntl(in, F_SETLEASE, F_UNLCK);
	ssize_t n = read(in, buffer, sizeof buffer);
	if (n != st.st_size)
		die("read", name);
	close(in);

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	if (!staged)
		snprintf(tmp, sizeof tmp, "%llu", files);
	int out = openat(staged ? to : scratch, staged ? name : tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (out < 0 || write(out, buffer, n) != n || fstat(out, &st) < 0 || close(out) < 0)
		die("write", name);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);

	/* Is the source the same? */
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		die("stat", name);
	if (!staged && (renameat2(scratch, tmp, to, name, RENAME_NOREPLACE) < 0 || fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) < 0))
		die("rename", name);
	files++;
}

static void copy_tree(int from, int to)
{
	int fd = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (dir == NULL)
		die("open", "directory");
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		struct stat st;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (fstatat(from, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			die("stat", e->d_name);
		if (!S_ISDIR(st.st_mode)) {
			copy(from, to, e->d_name);
			continue;
		}
		if (mkdirat(to, e->d_name, 0777) < 0)
			die("make", e->d_name);
		int below = openat(from, e->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		int made = openat(to, e->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (below < 0 || made < 0)
			die("open", e->d_name);
		copy_tree(below, made);
		close(below);
		close(made);
	}
	closedir(dir);
}

/* Moves all directories and files of the scratch directory to the outputs. */
static void publish(int to)
{
	int fd = openat(scratch, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (dir == NULL)
		die("open", ".scratch");
	for (struct dirent *e; (e = readdir(dir)) != NULL;)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && renameat2(scratch, e->d_name, to, e->d_name, RENAME_NOREPLACE) < 0)
			die("rename", e->d_name);
	closedir(dir);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "-staged") == 0) {
		staged = 1;
		argc--;
		argv++;
	}
	if (argc != 3) {
		fprintf(stderr, "usage: coldcalls [-staged] SOURCES OUTPUTS\n");
		return 2;
	}
	int from = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (from < 0)
		die("open", argv[1]);
	if (mkdir(argv[2], 0777) < 0)
		die("make", argv[2]);
	int to = open(argv[2], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (to < 0 || mkdirat(to, ".scratch", 0777) < 0 || (scratch = openat(to, ".scratch", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
		die("make", ".scratch");
	copy_tree(from, staged ? scratch : to);
	if (staged)
		publish(to);
	unlinkat(to, ".scratch", AT_REMOVEDIR);
	printf("%llu files\n", files);
	return 0;
}
