/* Lists the outputs of a manifest, one a line: list DIR */
#include "../../../clients/c/cook.h"

static int list(const char *dir, const char *file)
{
	char name[8192], *text;
	long size;
	int r;
	struct cook_output o;
	struct cook_manifest m;
	FILE *f;
	snprintf(name, sizeof name, "%s/%s", dir, file);
	f = fopen(name, "rb");
	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) return 0;
	text = (char *)malloc((size_t)size + 1);
	if (!text || fread(text, 1, (size_t)size, f) != (size_t)size) return 0;
	fclose(f);
	memset(&m, 0, sizeof m);
	m.at = text;
	m.end = text + size;
	while ((r = cook_manifest_next(&m, &o)) > 0) {
		if (o.part) {
			if (!list(dir, o.path)) return 0;
		} else {
			printf("%s\t%s\t%s\t%s\t%lld\t%s\t%s\t%s\n", o.source, o.target, o.id, o.path, o.size, o.blake3, o.inner ? "inner" : "", o.role);
		}
	}
	free(text);
	return r == 0;
}

int main(int argc, char **argv)
{
	return argc == 2 && list(argv[1], "manifest.json") ? 0 : 1;
}
