/*
 * A reader of manifest.json, in C99 without libraries. It goes through the outputs:
 *
 *	struct manifest m = { text, text + size };
 *	struct manifest_output o;
 *	int r;
 *	while ((r = manifest_next(&m, &o)) > 0) {
 *		if (o.part) ... read the file o.path, and go through its outputs in the same way
 *		else        ... o.source was cooked to o.path
 *	}
 *	if (r < 0) ... the text is damaged
 */
#ifndef ASSETCOOK_MANIFEST_H
#define ASSETCOOK_MANIFEST_H

#include <stdlib.h>
#include <string.h>

struct manifest {
	const char *at, *end;
	char source[4096], target[65]; /* of the asset that at is in */
};

struct manifest_output {
	int part;           /* whether it is a part of the manifest, with a path and nothing else */
	const char *source; /* path in the asset directory, UTF-8 */
	const char *target; /* "" for none */
	char path[4096];    /* path in the output directory, UTF-8 */
	long long size;     /* bytes */
};

/*
 * manifest_string decodes the JSON string at m->at; to is NULL for a string to pass over. It returns 0
 * for a string that is damaged or too long.
 */
static int manifest_string(struct manifest *m, char *to, size_t room)
{
	size_t n = 0;
	if (m->at == m->end || *m->at++ != '"') return 0;
	while (m->at < m->end && *m->at != '"') {
		unsigned long c = (unsigned char)*m->at++;
		int bytes = 1;
		if (c == '\\') {
			static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
			const char *known;
			if (m->at == m->end) return 0;
			c = (unsigned char)*m->at++;
			if (c == 'u') {
				char hex[5] = { 0 };
				if (m->end - m->at < 4) return 0;
				memcpy(hex, m->at, 4);
				m->at += 4;
				c = strtoul(hex, NULL, 16);
				if (c >= 0xd800 && c < 0xdc00 && m->end - m->at >= 6 && m->at[0] == '\\' && m->at[1] == 'u') {
					memcpy(hex, m->at + 2, 4);
					m->at += 6;
					c = 0x10000 + ((c - 0xd800) << 10) + (strtoul(hex, NULL, 16) & 0x3ff);
				}
				bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
			} else if (c && (known = strchr(names, (int)c))) {
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
			to[n++] = (char)((0xf00 >> bytes & 0xff) | c >> 6 * (bytes - 1));
			for (int i = bytes - 2; i >= 0; i--) to[n++] = (char)(0x80 | (c >> 6 * i & 0x3f));
		}
	}
	if (to) to[n] = 0;
	return m->at++ < m->end;
}

/* manifest_next fills in the next output. It returns 1, 0 at the end, and -1 if the text is damaged. */
static int manifest_next(struct manifest *m, struct manifest_output *o)
{
	int named = 0;
	o->source = m->source;
	o->target = m->target;
	o->part = 0;
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
		if (!manifest_string(m, key, sizeof key) || m->at == m->end || *m->at++ != ':') return -1;
		if (!strcmp(key, "source")) {
			m->target[0] = 0;
			if (!manifest_string(m, m->source, sizeof m->source)) return -1;
		} else if (!strcmp(key, "target")) {
			if (!manifest_string(m, m->target, sizeof m->target)) return -1;
		} else if (!strcmp(key, "path")) {
			named = 1;
			if (!manifest_string(m, o->path, sizeof o->path)) return -1;
		} else if (!strcmp(key, "first")) {
			o->part = 1;
		} else if (!strcmp(key, "size")) {
			o->size = strtoll(m->at, NULL, 10);
		}
		if (m->at < m->end && *m->at == '"' && !manifest_string(m, NULL, 0)) return -1; /* of another key */
	}
	return named ? -1 : 0;
}

#endif
