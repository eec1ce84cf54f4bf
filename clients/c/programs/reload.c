/* Prints what changes until the connection is lost for the second time: reload PORT, or
 * reload ADDRESS PORT TOKEN */
#include "../cook.h"

static void wait_a_while(void)
{
#ifdef _WIN32
	Sleep(2);
#else
	struct timespec frame = { 0, 2000000 };
	nanosleep(&frame, NULL);
#endif
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "", "changed ", "removed ", "problem ", "compare" };
	static struct cook_reload r;
	const char *text;
	int is, lost = 0, tries = 0;
	if (argc != 2 && argc != 4) return 2;
	while (lost < 2 && tries < 5000) {
		if (!r.connected && (argc == 4 ? cook_reload_connect(&r, argv[1], atoi(argv[2]), argv[3]) : cook_reload_open(&r, atoi(argv[1])))) {
			tries++;
			wait_a_while();
			continue;
		}
		while ((is = cook_reload_next(&r, &text)) > 0) {
			printf("%s%s\n", names[is], text);
			fflush(stdout);
		}
		if (is < 0) {
			lost++;
			printf("lost\n");
			fflush(stdout);
		}
		wait_a_while();
	}
	return lost == 2 ? 0 : 1;
}
