/* statknown LIST THREADS ROOT...: one stat for each known folder and file. */
#define _GNU_SOURCE
#include "list.h"

static void visit(int root, const char *path, uint32_t names, struct total *t)
{
	struct stat st;
	int dir = openat(root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || fstat(dir, &st) < 0)
		die("stat", path);
	const char *name = path;
	for (uint32_t i = 0; i < names; i++) {
		name += strlen(name) + 1;
		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			die("stat", name);
		t->bytes += st.st_size;
	}
	close(dir);
	t->folders++;
	t->files += names;
}
