/* Prints a file of a pak, or the names and sizes of all.
 *
 *	cc -DCOOK_ZSTD=1 -o pakread pakread.c -lzstd     reads all paks; needs libzstd-dev
 *	cc -o pakread pakread.c                          reads paks by cook pak create -level -1 */
#include "../../../clients/c/cook.h"

int main(int argc, char **argv) {
	FILE *in = argc > 1 ? fopen(argv[1], "rb") : NULL;
	if (!in || fseek(in, 0, SEEK_END)) {
		fprintf(stderr, "usage: pakread FILE [NAME]\n");
		return 2;
	}
	long size = ftell(in);
	void *bytes = malloc(size > 0 ? size : 1);
	rewind(in);
	struct cook_pak p;
	struct cook_pak_file f;
	if (!bytes || fread(bytes, 1, size, in) != (size_t)size || cook_pak_open(&p, bytes, size)) {
		fprintf(stderr, "%s: not a pak\n", argv[1]);
		return 1;
	}
	if (argc > 2) {
		const char *wrong;
		void *data;
		int found = cook_pak_find(&p, argv[2], &f);
		if (found != 1)
			wrong = found < 0 ? "damaged" : "not in the pak";
		else if (f.how == COOK_PAK_ZSTD && !COOK_ZSTD)
			wrong = "compressed; build pakread with libzstd, or the pak with -level -1";
		else if (f.size > SIZE_MAX || !(data = malloc(f.size ? f.size : 1)))
			wrong = "does not fit into memory";
		else if (cook_pak_read(&f, data))
			wrong = "damaged";
		else
			return fwrite(data, 1, f.size, stdout) != f.size;
		fprintf(stderr, "%s: %s\n", argv[2], wrong);
		return 1;
	}
	for (uint32_t i = 0; i < p.count; i++) {
		if (cook_pak_at(&p, i, &f))
			return 1;
		printf("%llu %.*s\n", (unsigned long long)f.size, f.name_length, f.name);
	}
	return 0;
}
