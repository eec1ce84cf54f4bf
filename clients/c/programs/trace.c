/* Records known scopes, counters and other records from three threads: trace FILE */
#include "../cook.h"

static struct cook_trace trace;
static uint32_t work, deep, object, counter, bytes, flow;

static void *record(void *name)
{
	static struct cook_thread threads[3];
	struct cook_thread *th = &threads[((const char *)name)[7] - '0'];
	int i;
	cook_thread_open(th, &trace, (const char *)name);
	for (i = 0; i < 20000; i++) { /* more than one buffer */
		cook_begin(th, work, object);
		cook_begin(th, deep, 0);
		cook_end(th);
		cook_end(th);
		cook_value(th, counter, i / 4.0);
	}
	for (i = 0; i < COOK_DEPTH + 10; i++) cook_begin(th, deep, object);
	for (i = 0; i < COOK_DEPTH + 10; i++) cook_end(th);
	cook_end(th); /* of no scope */
	cook_instant(th, work, object);
	th->due = 0;
	cook_instant(th, work, object); /* begins a block */
	cook_number(th, COOK_ALLOC, bytes, 1000);
	cook_number(th, COOK_FREE, bytes, 1000);
	cook_number(th, COOK_FLOW_OUT, flow, 7);
	cook_number(th, COOK_FLOW_IN, flow, 7);
	cook_begin(th, deep, object); /* stays open */
	cook_thread_close(th);
	return NULL;
}

/* A refusing sink is full after so many bytes. */
static int refuse(void *left, const void *data, size_t size)
{
	(void)data;
	if (*(size_t *)left < size) return -1;
	*(size_t *)left -= size;
	return 0;
}

int main(int argc, char **argv)
{
	static char names[3][10] = { "thread 0", "thread 1", "thread 2" };
	static char longest[2000];
	static struct cook_trace full;
	static struct cook_thread th;
	pthread_t ids[3];
	size_t left = 5000;
	int i;
	FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;
	if (!file) return 2;
	cook_trace_open(&trace, cook_write_file, file);
	work = cook_name(&trace, "work");
	deep = cook_name(&trace, "deep");
	object = cook_name(&trace, "na\xc3\xafve.png");
	counter = cook_name(&trace, "counter");
	bytes = cook_name(&trace, "bytes");
	flow = cook_name(&trace, "flow");
	memset(longest, 'x', sizeof longest - 1);
	if (cook_name(&trace, longest) != COOK_UNNAMED || cook_name(&trace, "") != 0 || cook_name(NULL, "x") != 0) return 3;
	for (i = 0; i < 3; i++)
		if (pthread_create(&ids[i], NULL, record, names[i])) return 4;
	for (i = 0; i < 3; i++) pthread_join(ids[i], NULL);
	if (cook_trace_close(&trace) || fclose(file)) return 5;

	cook_begin(NULL, work, 0); /* a game that does not record */
	cook_end(NULL);
	cook_instant(NULL, work, 0);
	cook_value(NULL, counter, 1);
	cook_number(NULL, COOK_ALLOC, bytes, 1);
	cook_flush(NULL);

	cook_trace_open(&full, refuse, &left);
	cook_thread_open(&th, &full, "main");
	for (i = 0; i < 100000; i++) cook_instant(&th, cook_name(&full, i ? "" : "a"), 0);
	cook_thread_close(&th);
	return cook_trace_close(&full) == -1 ? 0 : 6;
}
