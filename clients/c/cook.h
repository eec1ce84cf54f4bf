/*
 * cook.h is the client of assetcook for games in C and C++: one C99 header without dependencies.
 *
 *	find the outputs of a source      cook_manifest_next
 *	read the files of a pak           cook_pak_open, cook_pak_find, cook_pak_read
 *	reload edited outputs             cook_reload_open, cook_reload_next
 *	record scopes and counters        cook_trace_open, cook_begin, cook_end, cook_value
 *
 * It allocates no memory and starts no threads. Include it in any number of files, in each of
 * them before the system's headers, because it defines _POSIX_C_SOURCE. On Windows, link with
 * ws2_32 for cook_reload.
 */
#ifndef ASSETCOOK_COOK_H
#define ASSETCOOK_COOK_H

#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef COOK_ZSTD
#define COOK_ZSTD 0
#endif
#if COOK_ZSTD
#include <zstd.h>
#endif

#ifdef _WIN32
#include <winsock2.h>
#include <windows.h>
#else
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#endif

/* ---- JSON ---- */

/*
 * cook_json_string decodes the JSON string at *at to a buffer of room bytes, or skips the string
 * if to is NULL. It returns 0 if the string is damaged or does not fit.
 */
static inline int cook_json_string(const char **at, const char *end, char *to, size_t room)
{
	const char *p = *at;
	size_t n = 0;
	if (p == end || *p++ != '"') return 0;
	while (p < end && *p != '"') {
		unsigned long c = (unsigned char)*p++;
		int bytes = 1;
		if (c == '\\') {
			static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
			const char *known;
			if (p == end) return 0;
			c = (unsigned char)*p++;
			if (c == 'u') {
				char hex[5] = { 0 };
				if (end - p < 4) return 0;
				memcpy(hex, p, 4);
				p += 4;
				c = strtoul(hex, NULL, 16);
				if (c >= 0xd800 && c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
					memcpy(hex, p + 2, 4);
					p += 6;
					c = 0x10000 + ((c - 0xd800) << 10) + (strtoul(hex, NULL, 16) & 0x3ff);
				}
				bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
			} else if (c && (known = strchr(names, (int)c)) != NULL) {
				c = (unsigned char)values[known - names];
			} else {
				return 0;
			}
		}
		if (!to) continue;
		if (n + (size_t)bytes >= room) return 0;
		if (bytes == 1) {
			to[n++] = (char)c;
		} else {
			int i;
			to[n++] = (char)((0xf00 >> bytes & 0xff) | c >> 6 * (bytes - 1));
			for (i = bytes - 2; i >= 0; i--) to[n++] = (char)(0x80 | (c >> 6 * i & 0x3f));
		}
	}
	if (to) to[n] = 0;
	*at = p < end ? p + 1 : p;
	return p < end;
}

/* ---- Manifest ---- */

/*
 * A cook_manifest is a position in the text of manifest.json:
 *
 *	struct cook_manifest m = { text, text + size, "", "", "" };
 *	struct cook_output o;
 *	int more;
 *	while ((more = cook_manifest_next(&m, &o)) > 0) {
 *		if (o.part) ... only with manifest = "parts": read the manifest o.path in the same way
 *		else        ... o.source was cooked to o.path
 *	}
 *	if (more < 0) ... the text is damaged
 */
struct cook_manifest {
	const char *at, *end;
	char source[4096], target[65], id[37]; /* the asset at this position */
};

struct cook_output {
	int part;           /* 1 for a part of the manifest, which has only a path */
	const char *source; /* path in the asset directory, UTF-8 */
	const char *target; /* "" for none */
	const char *id;     /* UUID of the asset, "" for none */
	char path[4096];    /* path in the output directory, UTF-8 */
	long long size;     /* bytes */
	char blake3[65];    /* BLAKE3-256 of the content, in hexadecimal */
	int inner;          /* 1 if another output of the asset names this file, such as the page of an atlas */
	char role[33];      /* meaning of the pixels of an image, such as "normal"; "" for other files */
};

/* cook_manifest_next reads the next output. It returns 1, 0 at the end, -1 for damage. */
static inline int cook_manifest_next(struct cook_manifest *m, struct cook_output *o)
{
	int named = 0;
	o->source = m->source;
	o->target = m->target;
	o->id = m->id;
	o->part = o->inner = 0;
	o->blake3[0] = o->role[0] = 0;
	o->size = 0;
	while (m->at < m->end) {
		char key[32];
		if (*m->at == '}' && named) {
			m->at++;
			return 1;
		}
		if (*m->at != '"') {
			m->at++;
			continue;
		}
		if (!cook_json_string(&m->at, m->end, key, sizeof key)) {
			key[0] = 0; /* a long key, from a later version */
			if (!cook_json_string(&m->at, m->end, NULL, 0)) return -1;
		}
		if (m->at == m->end || *m->at++ != ':') return -1;
		if (!strcmp(key, "source")) {
			m->target[0] = m->id[0] = 0;
			if (!cook_json_string(&m->at, m->end, m->source, sizeof m->source)) return -1;
		} else if (!strcmp(key, "target")) {
			if (!cook_json_string(&m->at, m->end, m->target, sizeof m->target)) return -1;
		} else if (!strcmp(key, "id")) {
			if (!cook_json_string(&m->at, m->end, m->id, sizeof m->id)) return -1;
		} else if (!strcmp(key, "blake3")) {
			if (!cook_json_string(&m->at, m->end, o->blake3, sizeof o->blake3)) return -1;
		} else if (!strcmp(key, "path")) {
			named = 1;
			if (!cook_json_string(&m->at, m->end, o->path, sizeof o->path)) return -1;
		} else if (!strcmp(key, "first")) {
			o->part = 1;
		} else if (!strcmp(key, "inner")) {
			o->inner = m->at < m->end && *m->at == 't';
		} else if (!strcmp(key, "role")) {
			if (!cook_json_string(&m->at, m->end, o->role, sizeof o->role)) return -1;
		} else if (!strcmp(key, "size")) {
			while (m->at < m->end && *m->at >= '0' && *m->at <= '9' && o->size < 1LL << 59)
				o->size = 10 * o->size + (*m->at++ - '0');
		}
		if (m->at < m->end && *m->at == '"' && !cook_json_string(&m->at, m->end, NULL, 0)) return -1;
	}
	return named ? -1 : 0;
}

/* ---- Paks ---- */

/*
 * A pak is read in place: the caller keeps the whole file in memory, mapped or read. The format
 * is documented in the Go package cook/pak. By default the files in a pak are compressed. If you
 * define COOK_ZSTD as 1 and link with libzstd, cook_pak_read decompresses them. Otherwise it
 * reads only stored files; "cook pak create -level -1" stores all files.
 *
 * cook_pak_find finds names by binary search. A program that looks up many files in a frame
 * should hash the names with XXH3-64 and use the pak's hash table instead.
 */
enum { COOK_PAK_STORED = 0, COOK_PAK_ZSTD = 1, COOK_PAK_GONE = 2 };

struct cook_pak {
	const uint8_t *base, *records, *names;
	uint64_t data_end;
	uint32_t count, names_size;
};

struct cook_pak_file {
	const char *name; /* not terminated by a zero byte */
	uint16_t name_length;
	uint8_t how; /* COOK_PAK_STORED, COOK_PAK_ZSTD, or COOK_PAK_GONE in a patch */
	const uint8_t *data;
	uint64_t packed, size; /* bytes of data, and of the decompressed file */
};

static inline uint32_t cook_u32(const uint8_t *p) { return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24; }
static inline uint64_t cook_u64(const uint8_t *p) { return cook_u32(p) | (uint64_t)cook_u32(p + 4) << 32; }

/* cook_pak_open returns 0, or -1 if the bytes are not a pak. It does not verify the files' data. */
static inline int cook_pak_open(struct cook_pak *p, const void *bytes, uint64_t size)
{
	const uint8_t *base = (const uint8_t *)bytes, *end;
	uint64_t records, tail;
	uint32_t count, slots, names;
	if (size < 16 + 128) return -1;
	end = base + size - 128;
	if (memcmp(base, "COOKPAK\x01", 8) || memcmp(end, "PAKINDEX", 8)) return -1;
	records = cook_u64(end + 8);
	tail = cook_u32(end + 28) & 1 ? 128 + 64 : 128; /* a signature has 64 bytes */
	count = cook_u32(end + 16);
	slots = cook_u32(end + 20);
	names = cook_u32(end + 24);
	if (records > size || tail > size - records) return -1;
	if (72 * (uint64_t)count + 4 * (uint64_t)slots + names != size - records - tail) return -1;
	p->base = base;
	p->records = base + records;
	p->names = p->records + 72 * (uint64_t)count + 4 * (uint64_t)slots;
	p->data_end = records;
	p->count = count;
	p->names_size = names;
	return 0;
}

/* cook_pak_at reads entry i < p->count, in the order of names. It returns 0, or -1 for damage. */
static inline int cook_pak_at(const struct cook_pak *p, uint32_t i, struct cook_pak_file *f)
{
	const uint8_t *r = p->records + 72 * (uint64_t)i;
	uint64_t offset = cook_u64(r + 8), name = cook_u32(r + 64);
	f->packed = cook_u64(r + 16);
	f->size = cook_u64(r + 24);
	f->name_length = (uint16_t)(r[68] | r[69] << 8);
	f->how = r[70];
	if (name + f->name_length > p->names_size || offset > p->data_end || f->packed > p->data_end - offset) return -1;
	if (f->how > COOK_PAK_GONE || (f->how == COOK_PAK_STORED && f->packed != f->size)) return -1;
	if (f->how == COOK_PAK_ZSTD && f->size > 65536 * (f->packed + 64)) return -1; /* more than Zstandard can compress */
	f->name = (const char *)p->names + name;
	f->data = p->base + offset;
	return 0;
}

/* cook_pak_find finds a file by name: 1, or 0 if it is missing or gone, or -1 if the pak is damaged. */
static inline int cook_pak_find(const struct cook_pak *p, const char *name, struct cook_pak_file *f)
{
	size_t n = strlen(name);
	uint32_t low = 0, high = p->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order;
		if (cook_pak_at(p, middle, f)) return -1;
		order = memcmp(f->name, name, f->name_length < n ? f->name_length : n);
		if (order == 0) order = f->name_length < n ? -1 : f->name_length > n;
		if (order == 0) return f->how != COOK_PAK_GONE;
		if (order < 0) low = middle + 1;
		else high = middle;
	}
	return 0;
}

/*
 * cook_pak_read reads a whole file to a buffer of f->size bytes. It returns 0, or -1 if the
 * file is damaged, is gone, or is compressed and COOK_ZSTD is 0.
 */
static inline int cook_pak_read(const struct cook_pak_file *f, void *buffer)
{
	if (f->how == COOK_PAK_STORED) {
		memcpy(buffer, f->data, (size_t)f->packed);
		return 0;
	}
#if COOK_ZSTD
	if (f->how == COOK_PAK_ZSTD) /* also joins the frames of a large file */
		return ZSTD_decompress(buffer, (size_t)f->size, f->data, (size_t)f->packed) == f->size ? 0 : -1;
#endif
	return -1;
}

/* ---- Reload ---- */

/*
 * A cook_reload receives the changes that "cook -watch -http 8000" reports. Poll it once per
 * frame:
 *
 *	static struct cook_reload r;
 *	const char *text;
 *	int is;
 *	if (!r.connected && one second has passed) cook_reload_open(&r, 8000);
 *	while ((is = cook_reload_next(&r, &text)) > 0) {
 *		if (is == COOK_CHANGED) ... reload the output named text
 *		if (is == COOK_REMOVED) ... the output named text was removed
 *		if (is == COOK_PROBLEM) ... show text
 *		if (is == COOK_COMPARE) ... changes may have been missed: reload all outputs
 *	}
 *
 * text is a path in the output directory, or the message of a problem; it is valid until the
 * next call. After a lost connection, cook_reload_open resumes where the connection ended. On
 * another device, use "cook serve" and cook_reload_connect.
 */
enum { COOK_CHANGED = 1, COOK_REMOVED = 2, COOK_PROBLEM = 3, COOK_COMPARE = 4 };

#ifdef _WIN32
typedef SOCKET cook_socket;
#else
typedef int cook_socket;
#endif

struct cook_reload {
	int connected;
	cook_socket socket;
	int begun;          /* 1 after the header of the HTTP response */
	int skips;          /* 1 within a line that is longer than text */
	char id[96];        /* ID of the last event, for the next connection */
	size_t used, taken; /* bytes in text, and bytes of the lines already returned */
	char text[1 << 13];
};

static inline void cook_reload_close(struct cook_reload *r)
{
	if (!r->connected) return;
#ifdef _WIN32
	closesocket(r->socket);
	WSACleanup();
#else
	close(r->socket);
#endif
	r->connected = 0;
}

/*
 * cook_reload_connect connects to "cook serve" on another machine, by its IPv4 address and the
 * token in the printed URL. At the first call *r must be zeroed. It returns 0, or -1 if the
 * connection fails. It may wait for the network.
 */
static inline int cook_reload_connect(struct cook_reload *r, const char *address, int port, const char *token)
{
	struct sockaddr_in to;
	char ask[512];
	unsigned ip[4];
	int n, flags = 0;
#ifdef _WIN32
	WSADATA data;
	u_long on = 1;
	cook_reload_close(r);
	if (WSAStartup(MAKEWORD(2, 2), &data)) return -1;
	r->socket = socket(AF_INET, SOCK_STREAM, 0);
	if (r->socket == INVALID_SOCKET) {
		WSACleanup();
		return -1;
	}
#else
	cook_reload_close(r);
	r->socket = socket(AF_INET, SOCK_STREAM, 0);
	if (r->socket < 0) return -1;
#endif
	r->connected = 1;
	r->begun = r->skips = 0;
	r->used = r->taken = 0;
	if (sscanf(address, "%3u.%3u.%3u.%3u", &ip[0], &ip[1], &ip[2], &ip[3]) != 4
		|| ip[0] > 255 || ip[1] > 255 || ip[2] > 255 || ip[3] > 255) {
		cook_reload_close(r);
		return -1;
	}
	memset(&to, 0, sizeof to);
	to.sin_family = AF_INET;
	to.sin_port = htons((uint16_t)port);
	to.sin_addr.s_addr = htonl((uint32_t)(ip[0] << 24 | ip[1] << 16 | ip[2] << 8 | ip[3]));
#ifdef MSG_NOSIGNAL
	flags = MSG_NOSIGNAL; /* no SIGPIPE when the server closes the connection */
#endif
	n = snprintf(ask, sizeof ask, "GET /events HTTP/1.0\r\nHost: %s:%d\r\n%s%s%s%s%s%s\r\n", address, port,
		token[0] ? "Authorization: Bearer " : "", token, token[0] ? "\r\n" : "",
		r->id[0] ? "Last-Event-ID: " : "", r->id, r->id[0] ? "\r\n" : "");
	if (n < 0 || (size_t)n >= sizeof ask || connect(r->socket, (struct sockaddr *)&to, sizeof to) || send(r->socket, ask, (size_t)n, flags) != n) {
		cook_reload_close(r);
		return -1;
	}
#ifdef _WIN32
	ioctlsocket(r->socket, FIONBIO, &on);
#else
	fcntl(r->socket, F_SETFL, fcntl(r->socket, F_GETFL) | O_NONBLOCK);
#endif
	return 0;
}

/* cook_reload_open connects to a port of this machine; see cook_reload_connect. */
static inline int cook_reload_open(struct cook_reload *r, int port)
{
	return cook_reload_connect(r, "127.0.0.1", port, "");
}

/* cook_reload_fill reads arrived data: 1, or 0 if there is none, or -1 if the connection is lost. */
static inline int cook_reload_fill(struct cook_reload *r)
{
#ifdef _WIN32
	int n = recv(r->socket, r->text + r->used, (int)(sizeof r->text - r->used), 0);
	int again = n < 0 && WSAGetLastError() == WSAEWOULDBLOCK;
#else
	ssize_t n = recv(r->socket, r->text + r->used, sizeof r->text - r->used, 0);
	int again = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
#endif
	if (again) return 0;
	if (n <= 0) {
		cook_reload_close(r);
		return -1;
	}
	r->used += (size_t)n;
	return 1;
}

/* cook_reload_line returns the kind of a line, and the rest of the line in *rest. */
static inline int cook_reload_line(struct cook_reload *r, char *line, const char **rest)
{
	static const char *const names[] = { "changed: ", "removed: ", "problem: " };
	int i;
	if (!r->begun) {
		if (!strncmp(line, "HTTP/", 5) && !strstr(line, " 200")) cook_reload_close(r);
		r->begun = !line[0]; /* an empty line ends the header */
		return 0;
	}
	for (i = 0; i < 3; i++) {
		if (!strncmp(line, names[i], 9)) {
			*rest = line + 9;
			return COOK_CHANGED + i;
		}
	}
	if (!strncmp(line, "id: ", 4) && strlen(line + 4) < sizeof r->id) strcpy(r->id, line + 4);
	return strcmp(line, "event: compare") ? 0 : COOK_COMPARE;
}

/* cook_reload_next returns the next change without waiting: 0 for none, -1 if not connected. */
static inline int cook_reload_next(struct cook_reload *r, const char **text)
{
	int is;
	*text = "";
	while (r->connected) {
		char *line = r->text + r->taken, *end = (char *)memchr(line, '\n', r->used - r->taken);
		if (end) {
			r->taken = (size_t)(end + 1 - r->text);
			*end = 0;
			if (end > line && end[-1] == '\r') end[-1] = 0;
			is = r->skips ? 0 : cook_reload_line(r, line, text);
			r->skips = 0;
			if (is) return is;
			continue;
		}
		memmove(r->text, line, r->used -= r->taken);
		r->taken = 0;
		if (r->used == sizeof r->text) { /* data for browsers, which lists the same changes again */
			r->skips = 1;
			r->used = 0;
		}
		if ((is = cook_reload_fill(r)) <= 0) return is;
	}
	return -1;
}

/* ---- Traces ---- */

/*
 * A trace records scopes and counters for "cook view game.events":
 *
 *	static struct cook_trace trace;
 *	static struct cook_thread render; (one for each thread that records, 66 KB)
 *
 *	FILE *file = fopen("game.events", "wb");
 *	cook_trace_open(&trace, cook_write_file, file);
 *	cook_thread_open(&render, &trace, "render");
 *	uint32_t draw = cook_name(&trace, "draw"), ms = cook_name(&trace, "frame ms");
 *
 *	cook_begin(&render, draw, 0);
 *	...
 *	cook_end(&render);
 *	cook_value(&render, ms, 16.6);
 *
 *	cook_thread_close(&render);
 *	cook_trace_close(&trace);
 *
 * A thread writes its own records when its buffer of 64 KiB is full, and about every second;
 * only these writes take the trace's lock. All functions do nothing for a NULL thread or trace,
 * so a game that does not record passes NULL. The format is documented in the Go package
 * profile/events.
 */
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
static inline int64_t cook_ticks(void) { return (int64_t)__rdtsc(); }
#elif defined(_M_X64) || defined(_M_IX86)
#include <intrin.h>
static inline int64_t cook_ticks(void) { return (int64_t)__rdtsc(); }
#elif defined(__aarch64__) && defined(__GNUC__)
static inline int64_t cook_ticks(void)
{
	int64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}
#else
static inline int64_t cook_nanos(void);
static inline int64_t cook_ticks(void) { return cook_nanos(); }
#endif

#ifdef _WIN32
typedef SRWLOCK cook_lock;
static inline void cook_lock_open(cook_lock *l) { InitializeSRWLock(l); }
static inline void cook_lock_take(cook_lock *l) { AcquireSRWLockExclusive(l); }
static inline void cook_lock_give(cook_lock *l) { ReleaseSRWLockExclusive(l); }

/* cook_nanos returns a monotonic time, cook_wall_nanos Unix time. */
static inline int64_t cook_nanos(void)
{
	LARGE_INTEGER now, second;
	QueryPerformanceCounter(&now);
	QueryPerformanceFrequency(&second);
	return now.QuadPart / second.QuadPart * 1000000000 + now.QuadPart % second.QuadPart * 1000000000 / second.QuadPart;
}

static inline int64_t cook_wall_nanos(void)
{
	FILETIME now;
	GetSystemTimeAsFileTime(&now);
	return (((int64_t)now.dwHighDateTime << 32 | now.dwLowDateTime) - 116444736000000000LL) * 100; /* FILETIME counts from 1601 */
}
#else
typedef pthread_mutex_t cook_lock;
static inline void cook_lock_open(cook_lock *l) { pthread_mutex_init(l, NULL); }
static inline void cook_lock_take(cook_lock *l) { pthread_mutex_lock(l); }
static inline void cook_lock_give(cook_lock *l) { pthread_mutex_unlock(l); }

/* cook_clock returns the time of a system clock in nanoseconds. */
static inline int64_t cook_clock(clockid_t id)
{
	struct timespec now;
	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* cook_nanos returns a monotonic time, cook_wall_nanos Unix time. */
static inline int64_t cook_nanos(void) { return cook_clock(CLOCK_MONOTONIC); }
static inline int64_t cook_wall_nanos(void) { return cook_clock(CLOCK_REALTIME); }
#endif

/* A cook_write writes the next bytes of a trace. It returns 0, or -1 to end the trace. */
typedef int (*cook_write)(void *to, const void *bytes, size_t size);

/* cook_write_file is a cook_write to a FILE. */
static inline int cook_write_file(void *file, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, (FILE *)file) == size && !fflush((FILE *)file) ? 0 : -1;
}

struct cook_trace {
	cook_write write;
	void *to;
	cook_lock lock;              /* guards the fields below except crc, began and began_nanos */
	int64_t began, began_nanos;  /* beginning of the trace in ticks and nanoseconds */
	int64_t last, last_nanos;    /* last pair of tick and time, from the beginning */
	uint32_t names, threads;
	uint64_t records, dropped;
	int failed;
	uint32_t crc[8][256];        /* tables of CRC-32C */
};

enum {
	COOK_SCOPE = 1, COOK_INSTANT = 2, COOK_VALUE = 3, COOK_ALLOC = 5, COOK_FREE = 6,
	COOK_FLOW_OUT = 7, COOK_FLOW_IN = 8,
	COOK_DEPTH = 64,             /* recorded depth of open scopes */
	COOK_UNNAMED = 1,            /* number of the name for names that do not fit */
	COOK_ROOM = 64,              /* bytes reserved before and after the records of a block */
	COOK_BUFFER = 1 << 16
};

struct cook_thread {
	struct cook_trace *trace;
	uint32_t row, depth;
	struct { int64_t at; uint32_t name, detail; } open[COOK_DEPTH];
	int64_t base, last, due;     /* ticks: start of the block, end of the last record, next write */
	uint32_t records, detail, shapes;
	uint64_t dropped;
	struct { uint32_t key, index; } shape[256];
	size_t used;
	uint8_t bytes[COOK_BUFFER];  /* COOK_ROOM bytes, and the records of a block */
};

static inline uint8_t *cook_put(uint8_t *p, uint64_t n)
{
	for (; n >= 0x80; n >>= 7) *p++ = (uint8_t)(n | 0x80);
	*p++ = (uint8_t)n;
	return p;
}

static inline uint64_t cook_zigzag(int64_t n) { return (uint64_t)n << 1 ^ (n < 0 ? ~(uint64_t)0 : 0); }

static inline void cook_put_u32(uint8_t *p, uint32_t n)
{
	p[0] = (uint8_t)n;
	p[1] = (uint8_t)(n >> 8);
	p[2] = (uint8_t)(n >> 16);
	p[3] = (uint8_t)(n >> 24);
}

/* cook_send writes a block: head and content, with the kind in head[4]. The caller holds the lock. */
static inline void cook_send(struct cook_trace *t, uint8_t *block, size_t size)
{
	uint32_t sum = ~0u;
	size_t i = 0;
	cook_put_u32(block, (uint32_t)(size - 5));
	for (; i + 8 <= size; i += 8) {
		uint32_t a = sum ^ cook_u32(block + i), b = cook_u32(block + i + 4);
		sum = t->crc[7][a & 255] ^ t->crc[6][a >> 8 & 255] ^ t->crc[5][a >> 16 & 255] ^ t->crc[4][a >> 24] ^
			t->crc[3][b & 255] ^ t->crc[2][b >> 8 & 255] ^ t->crc[1][b >> 16 & 255] ^ t->crc[0][b >> 24];
	}
	for (; i < size; i++) sum = sum >> 8 ^ t->crc[0][(sum ^ block[i]) & 255];
	cook_put_u32(block + size, ~sum);
	if (!t->failed && t->write(t->to, block, size + 4)) t->failed = 1;
}

/* cook_send_text writes a block that adds one text to a table. */
static inline void cook_send_text(struct cook_trace *t, uint8_t kind, uint32_t number, const char *text, size_t size)
{
	uint8_t block[1024], *p = block + 5;
	block[4] = kind;
	p = cook_put(p, number);
	*p++ = 1;
	p = cook_put(p, size);
	memcpy(p, text, size);
	cook_send(t, block, (size_t)(p - block) + size);
}

/* cook_fitting returns the length of a text for a table, or 0 if it is too long. */
static inline size_t cook_fitting(const char *text)
{
	size_t n = strlen(text);
	return n <= 900 ? n : 0;
}

/* cook_name returns the number of a name. Call it once for each name, not for each record. */
static inline uint32_t cook_name(struct cook_trace *t, const char *name)
{
	uint32_t number = COOK_UNNAMED;
	size_t n = cook_fitting(name);
	if (!t || !name[0]) return 0;
	cook_lock_take(&t->lock);
	if (n && t->names < 1u << 22) {
		number = t->names++;
		cook_send_text(t, 2, number, name, n);
	}
	cook_lock_give(&t->lock);
	return number;
}

/* cook_trace_open begins a trace and writes its first blocks with the given function. */
static inline void cook_trace_open(struct cook_trace *t, cook_write write, void *to)
{
	uint8_t block[32];
	uint32_t i, k;
	memset(t, 0, sizeof *t);
	t->write = write;
	t->to = to;
	cook_lock_open(&t->lock);
	for (i = 0; i < 256; i++) {
		uint32_t c = i;
		for (k = 0; k < 8; k++) c = c >> 1 ^ (c & 1 ? 0x82f63b78 : 0);
		t->crc[0][i] = c;
	}
	for (i = 0; i < 256; i++)
		for (k = 1; k < 8; k++) t->crc[k][i] = t->crc[k - 1][i] >> 8 ^ t->crc[0][t->crc[k - 1][i] & 255];
	t->began = cook_ticks();
	t->began_nanos = cook_nanos();
	if (write(to, "\x89" "EVENTS\x01", 8)) t->failed = 1;
	block[4] = 1;
	cook_send(t, block, (size_t)(cook_put(block + 5, cook_zigzag(cook_wall_nanos())) - block));
	cook_send_text(t, 2, 0, "", 0);
	cook_send_text(t, 2, COOK_UNNAMED, "\xe2\x80\xa6", 3);
	t->names = 2;
}

/*
 * cook_trace_close writes the end of the trace; close all threads first. It returns 0, or -1 if
 * some bytes could not be written. The caller closes the file.
 */
static inline int cook_trace_close(struct cook_trace *t)
{
	uint8_t block[32], *p = block + 5;
	if (!t) return 0;
	cook_lock_take(&t->lock);
	block[4] = 6;
	p = cook_put(p, t->records);
	p = cook_put(p, t->dropped);
	cook_send(t, block, (size_t)(p - block));
	cook_lock_give(&t->lock);
	return t->failed ? -1 : 0;
}

/* cook_pair reads the clocks for the next block. Pairs increase. The caller holds the lock. */
static inline void cook_pair(struct cook_trace *t)
{
	int64_t tick = cook_ticks() - t->began, nanos = cook_nanos() - t->began_nanos;
	if (tick > t->last && nanos > t->last_nanos) {
		t->last = tick;
		t->last_nanos = nanos;
	}
}

/* cook_send_open writes the open scopes of a thread, so that a hanging scope is visible. */
static inline void cook_send_open(struct cook_thread *th)
{
	struct cook_trace *t = th->trace;
	uint32_t i, depth = th->depth;
	uint8_t block[128 + 20 * COOK_DEPTH], *p = block + 5;
	int64_t before = t->began;
	if (depth > COOK_DEPTH) depth = COOK_DEPTH;
	block[4] = 7;
	p = cook_put(p, (uint64_t)t->last);
	p = cook_put(p, (uint64_t)t->last_nanos);
	p = cook_put(p, th->row);
	*p++ = 1;
	*p++ = 1;
	p = cook_put(p, th->row);
	p = cook_put(p, depth);
	for (i = 0; i < depth; i++) {
		p = cook_put(p, cook_zigzag(th->open[i].at - before));
		p = cook_put(p, th->open[i].name);
		p = cook_put(p, th->open[i].detail);
		before = th->open[i].at;
	}
	cook_send(t, block, (size_t)(p - block));
}

/* cook_flush writes the records of a thread. Only that thread may call it. */
static inline void cook_flush(struct cook_thread *th)
{
	struct cook_trace *t;
	uint8_t head[COOK_ROOM], *p = head + 5;
	size_t n;
	if (!th) return;
	t = th->trace;
	cook_lock_take(&t->lock);
	cook_pair(t);
	if (th->records || th->dropped) {
		head[4] = 4;
		p = cook_put(p, th->records);
		p = cook_put(p, th->row);
		p = cook_put(p, th->dropped);
		p = cook_put(p, (uint64_t)t->last);
		p = cook_put(p, (uint64_t)t->last_nanos);
		p = cook_put(p, cook_zigzag(th->base - t->began));
		n = (size_t)(p - head);
		memcpy(th->bytes + COOK_ROOM - n, head, n);
		t->records += th->records;
		t->dropped += th->dropped;
		cook_send(t, th->bytes + COOK_ROOM - n, n + th->used - COOK_ROOM);
	}
	if (th->depth) cook_send_open(th);
	th->base = th->last = cook_ticks();
	th->due = th->base + (t->last_nanos > 1000000 ? (int64_t)((double)t->last / (double)t->last_nanos * 1e9) : 1 << 22);
	cook_lock_give(&t->lock);
	th->records = th->detail = th->shapes = 0;
	th->dropped = 0;
	memset(th->shape, 0, sizeof th->shape);
	th->used = COOK_ROOM;
}

/* cook_thread_open begins a row of the trace. Only the calling thread may use th. */
static inline void cook_thread_open(struct cook_thread *th, struct cook_trace *t, const char *name)
{
	if (!th) return;
	memset(th, 0, sizeof *th);
	th->trace = t;
	cook_lock_take(&t->lock);
	th->row = t->threads++;
	cook_send_text(t, 3, th->row, name, cook_fitting(name));
	cook_lock_give(&t->lock);
	cook_flush(th);
}

/* cook_thread_close writes the last records of a thread. */
static inline void cook_thread_close(struct cook_thread *th) { cook_flush(th); }

/* cook_record appends a record with its name and time, and returns where its body begins. */
static inline uint8_t *cook_record(struct cook_thread *th, uint32_t kind, uint32_t name, uint32_t detail, int64_t start, int64_t end)
{
	uint32_t key = kind << 22 | name, flags, *index;
	uint8_t *p;
	if (end >= th->due || th->used > COOK_BUFFER - COOK_ROOM) cook_flush(th);
	flags = detail == th->detail ? 2 : 0;
	if (end < th->last) end = th->last;
	if (start > end) start = end;
	if (start < th->last) flags |= 1;
	p = th->bytes + th->used;
	index = &th->shape[key * 0x9e3779b1u >> 24].index;
	if (th->shape[key * 0x9e3779b1u >> 24].key == key) {
		p = cook_put(p, (uint64_t)*index << 2 | flags);
	} else {
		th->shape[key * 0x9e3779b1u >> 24].key = key;
		*index = th->shapes;
		p = cook_put(p, (uint64_t)th->shapes++ << 2 | flags);
		p = cook_put(p, kind);
		p = cook_put(p, name);
	}
	if (!(flags & 2)) p = cook_put(p, th->detail = detail);
	p = cook_put(p, (uint64_t)((flags & 1 ? end : start) - th->last));
	th->last = end;
	th->records++;
	return p;
}

/* cook_body completes a record with a number. */
static inline void cook_body(struct cook_thread *th, uint8_t *p, uint64_t body)
{
	th->used = (size_t)(cook_put(p, body) - th->bytes);
}

/* cook_begin begins a scope: name is the kind of work, detail the object of the work or 0. */
static inline void cook_begin(struct cook_thread *th, uint32_t name, uint32_t detail)
{
	uint32_t depth;
	if (!th) return;
	depth = th->depth++;
	if (depth >= COOK_DEPTH) return;
	th->open[depth].name = name;
	th->open[depth].detail = detail;
	th->open[depth].at = cook_ticks();
}

/* cook_end ends the innermost open scope. */
static inline void cook_end(struct cook_thread *th)
{
	int64_t start, end = cook_ticks();
	uint8_t *p;
	if (!th || !th->depth) return;
	if (--th->depth >= COOK_DEPTH) {
		th->dropped++;
		return;
	}
	start = th->open[th->depth].at;
	p = cook_record(th, COOK_SCOPE, th->open[th->depth].name, th->open[th->depth].detail, start, end);
	cook_body(th, p, (uint64_t)(th->last > start ? th->last - start : 0));
}

/* cook_instant records that something happened. */
static inline void cook_instant(struct cook_thread *th, uint32_t name, uint32_t detail)
{
	int64_t now = cook_ticks();
	if (th) th->used = (size_t)(cook_record(th, COOK_INSTANT, name, detail, now, now) - th->bytes);
}

/* cook_number records a number: the bytes for COOK_ALLOC or COOK_FREE, the id for a flow. */
static inline void cook_number(struct cook_thread *th, uint32_t kind, uint32_t name, int64_t number)
{
	int64_t now = cook_ticks();
	if (!th) return;
	cook_body(th, cook_record(th, kind, name, th->detail, now, now),
		kind == COOK_ALLOC || kind == COOK_FREE ? cook_zigzag(number) : (uint64_t)number);
}

/* cook_value records the current value of a counter. */
static inline void cook_value(struct cook_thread *th, uint32_t name, double value)
{
	int64_t now = cook_ticks();
	uint64_t bits, reversed = 0;
	int i;
	if (!th) return;
	memcpy(&bits, &value, sizeof bits);
	for (i = 0; i < 8; i++) reversed |= (bits >> 8 * i & 255) << 8 * (7 - i);
	cook_body(th, cook_record(th, COOK_VALUE, name, th->detail, now, now), reversed);
}

#endif
