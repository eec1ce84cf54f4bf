/* Prints a file of a pak, or the names and sizes of all. */
#include <stdio.h>
#include <stdlib.h>

#include "pak.h"

int main(int argc, char **argv) {
	FILE *in = argc > 1 ? fopen(argv[1], "rb") : NULL;
	if (!in || fseek(in, 0, SEEK_END)) {
		fprintf(stderr, "usage: pakread FILE [NAME]\n");
		return 2;
	}
	long size = ftell(in);
	void *bytes = malloc(size > 0 ? size : 1);
	rewind(in);
	pak p;
	pak_file f;
	if (!bytes || fread(bytes, 1, size, in) != (size_t)size || pak_open(&p, bytes, size)) {
		fprintf(stderr, "%s: not a pak\n", argv[1]);
		return 1;
	}
	if (argc > 2) {
		int found = pak_find(&p, argv[2], &f);
		if (found == 1 && f.how == PAK_STORED)
			return fwrite(f.data, 1, f.packed, stdout) != f.packed;
		fprintf(stderr, "%s: %s\n", argv[2], found == 0 ? "not in the pak" : found < 0 ? "damaged" : "compressed");
		return 1;
	}
	for (uint32_t i = 0; i < p.count; i++) {
		if (pak_at(&p, i, &f))
			return 1;
		printf("%llu %.*s\n", (unsigned long long)f.size, f.name_length, f.name);
	}
	return 0;
}
