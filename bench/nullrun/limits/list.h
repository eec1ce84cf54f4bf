/*
 * The list of known names, and threads that share its folders.
 *
 * A list is, in the byte order of the machine: the 8 bytes "nullrun1"; uint32
 * roots; uint32 folders; for each folder a struct folder; then the texts: the
 * folder's path below its root and the names in it, each ended by a NUL.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
	uint32_t root;  /* which of the roots it lies in */
	uint32_t names; /* how many follow its path */
	uint64_t text;  /* where its path begins, from the start of the list */
};

struct head {
	char magic[8];
	uint32_t roots, folders;
	struct folder folder[];
};

struct total {
	uint64_t folders, files, bytes;
};

static const struct head *list;
static int *roots;
static atomic_uint next_folder;

static void die(const char *op, const char *name)
{
	fprintf(stderr, "%s %s: %s\n", op, name, strerror(errno));
	exit(1);
}

/* visit does with one folder what the program is about. */
static void visit(int root, const char *path, uint32_t names, struct total *t);

static void *work(void *arg)
{
	struct total *t = arg;
	uint32_t i;
	while ((i = atomic_fetch_add_explicit(&next_folder, 1, memory_order_relaxed)) < list->folders) {
		const struct folder *f = &list->folder[i];
		visit(roots[f->root], (const char *)list + f->text, f->names, t);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: %s LIST THREADS ROOT...\n", argv[0]);
		return 2;
	}
	int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		die("open", argv[1]);
	list = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (list == MAP_FAILED)
		die("map", argv[1]);
	int threads = atoi(argv[2]);
	if (memcmp(list->magic, "nullrun1", 8) != 0 || (int)list->roots != argc - 3 || threads < 1 || threads > 1024) {
		fprintf(stderr, "%s: no list for these roots and threads\n", argv[1]);
		return 2;
	}
	roots = malloc(list->roots * sizeof *roots);
	for (uint32_t i = 0; i < list->roots; i++)
		if ((roots[i] = open(argv[3 + i], O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
			die("open", argv[3 + i]);

	/* On lines of their own, so that the threads do not write to the same one. */
	struct { _Alignas(128) struct total total; } *own = calloc(threads, sizeof *own);
	pthread_t *thread = malloc(threads * sizeof *thread);
	for (int i = 1; i < threads; i++)
		if ((errno = pthread_create(&thread[i], NULL, work, &own[i].total)) != 0)
			die("start", "thread");
	work(&own[0].total);
	struct total sum = own[0].total;
	for (int i = 1; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum.folders += own[i].total.folders;
		sum.files += own[i].total.files;
		sum.bytes += own[i].total.bytes;
	}
	printf("%llu folders, %llu files, %llu bytes\n", (unsigned long long)sum.folders,
	       (unsigned long long)sum.files, (unsigned long long)sum.bytes);
	return 0;
}
