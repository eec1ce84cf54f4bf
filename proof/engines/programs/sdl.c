/* Loads each cooked file with SDL, SDL_image and SDL_mixer and prints every difference from its source. */
#include "loader.h" /* of docs/engines/sdl.md */
#include <math.h>
#include <stdio.h>
#include <string.h>

static int images, luts, sprites, sounds; /* compared files */

/* difference returns the mean difference of two images of one size, or -1. */
static double difference(const SDL_Surface *want, const SDL_Surface *got)
{
	double sum = 0;
	if (want->w != got->w || want->h != got->h) return -1;
	for (int y = 0; y < want->h; y++) {
		const Uint8 *a = (Uint8 *)want->pixels + y * want->pitch, *b = (Uint8 *)got->pixels + y * got->pitch;
		for (int x = 0; x < want->w; x++, a += 4, b += 4) {
			for (int k = 0; k < 3; k++) sum += fabs(a[k] * a[3] - b[k] * b[3] + 0.0) / 255;
			sum += abs(a[3] - b[3]);
		}
	}
	return sum / (4.0 * want->w * want->h);
}

static void compare_images(const char *source, const char *cooked, int *count)
{
	SDL_Surface *got = load_image(cooked), *want = load_image(source);
	double off = 0;
	if (!got) {
		printf("%s: %s\n", cooked, IMG_GetError());
	} else if (want) { /* SDL_image decodes the source */
		++*count;
		off = difference(want, got);
		if (!(off >= 0 && off <= 1)) printf("%s: the mean difference is %g\n", cooked, off);
	}
	SDL_FreeSurface(got);
	SDL_FreeSurface(want);
}

static void compare_sprites(const char *cooked)
{
	char *json = SDL_LoadFile(cooked, NULL), name[64], file[128];
	SDL_Surface *page = load_image("cooked/kinds/menu.png");
	if (!json || !page) {
		printf("%s: %s\n", cooked, SDL_GetError());
		return;
	}
	SDL_SetSurfaceBlendMode(page, SDL_BLENDMODE_NONE);
	for (int i = 0;; i++) {
		SDL_Rect place, to;
		SDL_Point empty;
		SDL_snprintf(name, sizeof name, "sprites/%02d.png", i);
		SDL_snprintf(file, sizeof file, "assets/kinds/%s", name);
		SDL_Surface *want = load_image(file), *got = NULL;
		if (!want) break;
		got = SDL_CreateRGBSurfaceWithFormat(0, want->w, want->h, 32, SDL_PIXELFORMAT_RGBA32);
		if (!find_sprite(json, name, &place, &empty)) {
			printf("%s: no %s\n", cooked, name);
		} else {
			to = (SDL_Rect){empty.x, empty.y, place.w, place.h};
			SDL_BlitSurface(page, &place, got, &to);
			double off = difference(want, got);
			if (!(off >= 0 && off <= 1)) printf("%s: %s: the mean difference is %g\n", cooked, name, off);
			sprites++;
		}
		SDL_FreeSurface(want);
		SDL_FreeSurface(got);
	}
	SDL_FreeSurface(page);
	SDL_free(json);
}

/* sound decodes a WAV file to 16 bits, stereo, 44,100 Hz. */
static Uint8 *sound(const char *name, int *bytes)
{
	SDL_AudioSpec spec;
	SDL_AudioCVT cvt;
	Uint8 *raw;
	Uint32 size;
	if (!SDL_LoadWAV(name, &spec, &raw, &size)) return NULL;
	if (SDL_BuildAudioCVT(&cvt, spec.format, spec.channels, spec.freq, AUDIO_S16SYS, 2, 44100) < 0) return NULL;
	cvt.len = size;
	cvt.buf = SDL_calloc(size, cvt.len_mult + 1);
	memcpy(cvt.buf, raw, size);
	SDL_FreeWAV(raw);
	cvt.len_cvt = cvt.len;
	if (cvt.needed && SDL_ConvertAudio(&cvt) < 0) return NULL;
	*bytes = cvt.len_cvt;
	return cvt.buf;
}

static void compare_sounds(const char *source, const char *cooked)
{
	int m = 0, n = 0;
	Sint16 *want = (Sint16 *)sound(source, &m), *got = (Sint16 *)sound(cooked, &n);
	Mix_Music *music = load_music(cooked);
	Mix_Chunk *chunk = load_sound(cooked);
	if (!got || !music || !chunk) {
		printf("%s: %s\n", cooked, SDL_GetError());
	} else if (want && m != n) {
		printf("%s: %d bytes, want %d\n", cooked, n, m);
	} else if (want) {
		sounds++;
		for (int i = 0; i < n / 2; i++) {
			if (abs(want[i] - got[i]) > 128) {
				printf("%s: another sample at %d\n", cooked, i);
				break;
			}
		}
	}
	if (music) Mix_FreeMusic(music);
	if (chunk) Mix_FreeChunk(chunk);
	SDL_free(want);
	SDL_free(got);
}

/* load_file loads a file of a game. */
static void load_file(const char *kind, const char *cooked)
{
	SDL_Surface *image = NULL;
	Mix_Chunk *chunk = NULL;
	if (!strcmp(kind, "game-image")) image = load_image(cooked);
	else chunk = load_sound(cooked);
	if (!image && !chunk) printf("%s: %s\n", cooked, SDL_GetError());
	SDL_FreeSurface(image);
	if (chunk) Mix_FreeChunk(chunk);
}

int main(int argc, char **argv)
{
	char line[4096];
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!f || SDL_Init(SDL_INIT_AUDIO) < 0 || Mix_OpenAudio(44100, AUDIO_S16SYS, 2, 1024) < 0) {
		fprintf(stderr, "cannot start: %s\n", SDL_GetError());
		return 1;
	}
	IMG_Init(IMG_INIT_PNG | IMG_INIT_JPG | IMG_INIT_WEBP | IMG_INIT_TIF);
	while (fgets(line, sizeof line, f)) {
		char *kind = strtok(line, "\t"), *source = strtok(NULL, "\t"), *cooked = strtok(NULL, "\n");
		if (!cooked) continue;
		if (!strcmp(kind, "image")) compare_images(source, cooked, &images);
		else if (!strcmp(kind, "lut")) compare_images(source, cooked, &luts);
		else if (!strcmp(kind, "sprite")) compare_sprites(cooked);
		else if (!strcmp(kind, "sound")) compare_sounds(source, cooked);
		else if (!strncmp(kind, "game-", 5)) load_file(kind, cooked);
	}
	printf("compared image %d 1\ncompared lut %d 1\ncompared sprite %d 1\n", images, luts, sprites);
	printf("compared sound %d 0.4\n", sounds); /* 1/256 of the full scale */
	return 0;
}
