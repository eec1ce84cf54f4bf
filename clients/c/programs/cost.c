/*
 * Prints the processor time of a scope, and of the two readings of the clock that every scope
 * needs: cc -O2 -o cost cost.c -lpthread && ./cost
 */
#include "../cook.h"

enum { SCOPES = 10000000 };

static int forget(void *to, const void *bytes, size_t size)
{
	(void)to;
	(void)bytes;
	(void)size;
	return 0;
}

static double nanos_each(clock_t from) { return (double)(clock() - from) / CLOCKS_PER_SEC * 1e9 / SCOPES; }

int main(void)
{
	static struct cook_trace trace;
	static struct cook_thread th;
	volatile int64_t tick;
	uint32_t name;
	clock_t from;
	int round, i;
	cook_trace_open(&trace, forget, NULL);
	cook_thread_open(&th, &trace, "main");
	name = cook_name(&trace, "scope");
	for (round = 0; round < 5; round++) {
		double ticks, scopes;
		from = clock();
		for (i = 0; i < SCOPES; i++) {
			tick = cook_ticks();
			tick = cook_ticks();
		}
		ticks = nanos_each(from);
		from = clock();
		for (i = 0; i < SCOPES; i++) {
			cook_begin(&th, name, 0);
			cook_end(&th);
		}
		scopes = nanos_each(from);
		printf("%.1f ns a scope, %.1f ns for two readings, ratio %.2f\n", scopes, ticks, scopes / ticks);
	}
	(void)tick;
	cook_thread_close(&th);
	return cook_trace_close(&trace);
}
