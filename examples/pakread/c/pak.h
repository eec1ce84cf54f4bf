/* Reads paks of assetcook in place; the format is in the documentation of cook/pak.
 *
 * The caller has the whole file in memory, mapped or read, and keeps it there. pak_find looks
 * up a file, and pak_read copies or decompresses it into a buffer of the caller. Nothing is
 * allocated but by libzstd. Files are found by binary search; a program that looks up many
 * per frame hashes names with XXH3-64 and uses the table of slots instead.
 *
 * A default pak has compressed files, which pak_read decompresses with libzstd: link with
 * -lzstd. PAK_LIBZSTD is 1 if the compiler finds zstd.h (package libzstd-dev of Debian, zstd
 * elsewhere), else 0. Compile with -DPAK_LIBZSTD=0 to need no library: pak_read then reads
 * only files that are stored as they are, as "cook pak create -level -1" stores all. */
#ifndef ASSETCOOK_PAK_H
#define ASSETCOOK_PAK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef PAK_LIBZSTD
#define PAK_LIBZSTD 0
#ifdef __has_include
#if __has_include(<zstd.h>)
#undef PAK_LIBZSTD
#define PAK_LIBZSTD 1
#endif
#endif
#endif
#if PAK_LIBZSTD
#include <zstd.h>
#endif

enum { PAK_STORED = 0, PAK_ZSTD = 1, PAK_GONE = 2 };

typedef struct {
	const uint8_t *base, *records, *names;
	uint64_t data_end;
	uint32_t count, names_size;
} pak;

typedef struct {
	const char *name; /* not ended by a zero */
	uint16_t name_length;
	uint8_t how; /* PAK_STORED, PAK_ZSTD: frames, or PAK_GONE */
	const uint8_t *data;
	uint64_t packed, size; /* bytes of data, and of the file */
} pak_file;

static uint32_t pak_u32(const uint8_t *p) { return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24; }
static uint64_t pak_u64(const uint8_t *p) { return pak_u32(p) | (uint64_t)pak_u32(p + 4) << 32; }

/* pak_open returns 0 if the bytes are a pak, else -1. */
static int pak_open(pak *p, const void *bytes, uint64_t size) {
	const uint8_t *base = bytes, *end = base + size - 128;
	if (size < 16 + 128 || memcmp(base, "COOKPAK\x01", 8) || memcmp(end, "PAKINDEX", 8))
		return -1;
	uint64_t records = pak_u64(end + 8), tail = pak_u32(end + 28) & 1 ? 128 + 64 : 128;
	uint32_t count = pak_u32(end + 16), slots = pak_u32(end + 20), names = pak_u32(end + 24);
	if (records > size || tail > size - records || 72 * (uint64_t)count + 4 * (uint64_t)slots + names != size - records - tail)
		return -1;
	p->base = base;
	p->records = base + records;
	p->names = p->records + 72 * (uint64_t)count + 4 * (uint64_t)slots;
	p->data_end = records;
	p->count = count;
	p->names_size = names;
	return 0;
}

/* pak_at returns the i-th file in the order of names; 0, or -1 if it is damaged. */
static int pak_at(const pak *p, uint32_t i, pak_file *f) {
	const uint8_t *r = p->records + 72 * (uint64_t)i;
	uint64_t offset = pak_u64(r + 8), name = pak_u32(r + 64);
	f->packed = pak_u64(r + 16);
	f->size = pak_u64(r + 24);
	f->name_length = r[68] | r[69] << 8;
	f->how = r[70];
	if (name + f->name_length > p->names_size || offset > p->data_end || f->packed > p->data_end - offset)
		return -1;
	if (f->how > PAK_GONE || (f->how == PAK_STORED && f->packed != f->size))
		return -1;
	if (f->how == PAK_ZSTD && f->size > 65536 * (f->packed + 64)) /* more than Zstandard can pack */
		return -1;
	f->name = (const char *)p->names + name;
	f->data = p->base + offset;
	return 0;
}

/* pak_find looks for a file; 1 if it is there, 0 if not, -1 if the pak is damaged. */
static int pak_find(const pak *p, const char *name, pak_file *f) {
	size_t n = strlen(name);
	uint32_t low = 0, high = p->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (pak_at(p, middle, f))
			return -1;
		int order = memcmp(f->name, name, f->name_length < n ? f->name_length : n);
		if (order == 0)
			order = f->name_length < n ? -1 : f->name_length > n;
		if (order == 0)
			return f->how != PAK_GONE;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* pak_read writes a whole file to a buffer of f->size bytes; 0, or -1 if the file is damaged,
 * is gone, or is compressed and PAK_LIBZSTD is 0. */
static int pak_read(const pak_file *f, void *buffer) {
	if (f->how == PAK_STORED) {
		memcpy(buffer, f->data, f->packed);
		return 0;
	}
#if PAK_LIBZSTD
	if (f->how == PAK_ZSTD) /* one frame or several, which ZSTD_decompress joins */
		return ZSTD_decompress(buffer, f->size, f->data, f->packed) == f->size ? 0 : -1;
#endif
	return -1;
}

#endif
