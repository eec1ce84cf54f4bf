/* Loads each cooked file with raylib and prints every difference from its source. */
#include "loader.h" /* of docs/engines/raylib.md */
#include <math.h>
#include <stdlib.h>

static int images, luts, sprites, fonts, sounds, models; /* compared files */

/* load_image decodes an image as 32 bits a pixel. It makes an image without pixels if it cannot. */
static Image load_image(const char *name)
{
	Image image = LoadImage(name);
	if (image.data) ImageFormat(&image, PIXELFORMAT_UNCOMPRESSED_R8G8B8A8);
	return image;
}

/* difference returns the mean difference of two images of one size, or -1. */
static double difference(Image want, Image got)
{
	double sum = 0;
	const unsigned char *a = want.data, *b = got.data;
	if (!a || !b || want.width != got.width || want.height != got.height) return -1;
	for (int i = 0; i < want.width * want.height; i++, a += 4, b += 4) {
		for (int k = 0; k < 3; k++) sum += fabs(a[k] * a[3] - b[k] * b[3] + 0.0) / 255;
		sum += abs(a[3] - b[3]);
	}
	return sum / (4.0 * want.width * want.height);
}

/* judge counts a comparison of two images, and unloads them. */
static void judge(const char *name, Image want, Image got, int *count)
{
	double off = difference(want, got);
	++*count;
	if (!(off >= 0 && off <= 1)) printf("%s: the mean difference is %g\n", name, off);
	UnloadImage(want);
	UnloadImage(got);
}

static void compare_images(const char *source, const char *cooked, int *count)
{
	/* raylib-go builds raylib without decoders of other formats. */
	if (IsFileExtension(source, ".png;.jpg;.bmp;.gif;.qoi")) {
		judge(cooked, load_image(source), load_image(cooked), count);
		return;
	}
	Image got = load_image(cooked);
	if (!got.data) printf("%s: not loaded\n", cooked);
	UnloadImage(got);
}

static void compare_sprites(const char *cooked)
{
	char *json = LoadFileText(cooked), name[64];
	Image page = load_image("cooked/kinds/menu.png");
	for (int i = 0; i < 16; i++) {
		Rectangle place;
		Vector2 empty;
		snprintf(name, sizeof name, "sprites/%02d.png", i);
		Image want = load_image(TextFormat("assets/kinds/%s", name)), got = GenImageColor(want.width, want.height, BLANK);
		if (!json || !find_sprite(json, name, &place, &empty)) {
			printf("%s: no %s\n", cooked, name);
		} else {
			ImageDraw(&got, page, place, (Rectangle){empty.x, empty.y, place.width, place.height}, WHITE);
		}
		judge(name, want, got, &sprites);
	}
	UnloadImage(page);
	UnloadFileText(json);
}

/* written returns the image of a text. */
static Image written(const char *name)
{
	Font font = LoadFont(name);
	Image image = ImageTextEx(font, "PEBBLE 123", font.baseSize, 0, WHITE);
	if (font.texture.id == GetFontDefault().texture.id) printf("%s: not loaded\n", name);
	UnloadFont(font);
	return image;
}

static void compare_sounds(const char *source, const char *cooked)
{
	Wave want = LoadWave(source), got = LoadWave(cooked);
	Sound sound = LoadSound(cooked);
	Music music = LoadMusicStream(cooked);
	float *a = LoadWaveSamples(want), *b = LoadWaveSamples(got);
	sounds++;
	if (!IsSoundValid(sound) || !IsMusicValid(music)) {
		printf("%s: not loaded\n", cooked);
	} else if (want.frameCount == 0 || want.frameCount != got.frameCount || want.channels != got.channels || want.sampleRate != got.sampleRate) {
		printf("%s: %u frames of %u channels, want %u of %u\n", cooked, got.frameCount, got.channels, want.frameCount, want.channels);
	} else {
		for (unsigned int i = 0; i < got.frameCount * got.channels; i++) {
			if (fabsf(a[i] - b[i]) > 1 / 256.0f) {
				printf("%s: another sample at %u\n", cooked, i);
				break;
			}
		}
	}
	UnloadWaveSamples(a);
	UnloadWaveSamples(b);
	UnloadWave(want);
	UnloadWave(got);
	UnloadSound(sound);
	UnloadMusicStream(music);
}

/* frame renders a model, in the middle of its first animation. The camera sees the whole of a box. */
static Image frame(const char *name, BoundingBox *box, int measure)
{
	Model model = LoadModel(name);
	int count = 0;
	ModelAnimation *animations = LoadModelAnimations(name, &count);
	if (count > 0) UpdateModelAnimation(model, animations[0], animations[0].frameCount / 2);
	if (measure) *box = GetModelBoundingBox(model);
	Vector3 center = {(box->min.x + box->max.x) / 2, (box->min.y + box->max.y) / 2, (box->min.z + box->max.z) / 2};
	float size = fmaxf(box->max.x - box->min.x, fmaxf(box->max.y - box->min.y, box->max.z - box->min.z));
	Camera3D camera = {
		.position = {center.x + size, center.y + 1.2f * size, center.z + 1.7f * size}, .target = center, .up = {0, 1, 0},
		.fovy = 2 * size, .projection = CAMERA_ORTHOGRAPHIC,
	};
	RenderTexture2D target = LoadRenderTexture(128, 128);
	BeginTextureMode(target);
	ClearBackground(BLANK);
	BeginMode3D(camera);
	DrawModel(model, (Vector3){0}, 1, WHITE);
	EndMode3D();
	EndTextureMode();
	Image image = LoadImageFromTexture(target.texture);
	UnloadRenderTexture(target);
	UnloadModelAnimations(animations, count);
	UnloadModel(model);
	return image;
}

static void compare_models(const char *source, const char *cooked)
{
	BoundingBox box;
	if (!IsFileExtension(source, ".gltf;.glb")) { /* loaded, not compared: raylib makes other materials of them */
		UnloadImage(frame(cooked, &box, 1));
		return;
	}
	Image want = frame(source, &box, 1), got = frame(cooked, &box, 0), empty = GenImageColor(128, 128, BLANK);
	if (!(difference(empty, want) > 5)) printf("%s: the frame of the source is empty\n", source);
	UnloadImage(empty);
	judge(cooked, want, got, &models);
}

/* load_file loads a file of a game. */
static void load_file(const char *kind, const char *cooked)
{
	if (!strcmp(kind, "game-image")) {
		Texture2D texture = LoadTexture(cooked);
		if (!IsTextureValid(texture)) printf("%s: not loaded\n", cooked);
		UnloadTexture(texture);
	} else {
		Sound sound = LoadSound(cooked);
		if (!IsSoundValid(sound)) printf("%s: not loaded\n", cooked);
		UnloadSound(sound);
	}
}

int main(void)
{
	SetTraceLogLevel(LOG_WARNING); /* a warning is a fault */
	char *list = LoadFileText("pairs"), *rest = list;
	InitWindow(128, 128, "outputs");
	InitAudioDevice();
	for (char *line; rest && (line = strsep(&rest, "\n"));) {
		char *kind = strsep(&line, "\t"), *source = strsep(&line, "\t"), *cooked = line;
		if (!cooked) continue;
		if (!strcmp(kind, "image")) compare_images(source, cooked, &images);
		else if (!strcmp(kind, "lut")) compare_images(source, cooked, &luts);
		else if (!strcmp(kind, "sprite")) compare_sprites(cooked);
		else if (!strcmp(kind, "font")) judge(cooked, written(source), written(cooked), &fonts);
		else if (!strcmp(kind, "sound")) compare_sounds(source, cooked);
		else if (!strcmp(kind, "model")) compare_models(source, cooked);
		else if (!strncmp(kind, "game-", 5)) load_file(kind, cooked);
	}
	UnloadFileText(list);
	CloseAudioDevice();
	CloseWindow();
	printf("compared image %d 1\ncompared lut %d 1\ncompared sprite %d 1\ncompared font %d 1\n", images, luts, sprites, fonts);
	printf("compared sound %d 0.4\n", sounds); /* 1/256 of the full scale */
	printf("compared model %d 1\n", models);
	return 0;
}
