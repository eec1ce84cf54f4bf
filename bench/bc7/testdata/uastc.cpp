// uastc runs the UASTC encoder and transcoders of basis_universal: see ../uastc.go. It is
// built with the library of that repository of BinomialLLC:
//
//	cmake -DCMAKE_BUILD_TYPE=Release -DBASISU_SSE=OFF -DBASISU_OPENCL=OFF -B build basis_universal && make -C build basisu
//	g++ -O3 -std=c++17 -Ibasis_universal/encoder -Ibasis_universal/transcoder -o uastc uastc.cpp build/libbasisu_encoder.a -lpthread
//
//	uastc uastc LEVEL WIDTH HEIGHT TIMES IN OUT
//	uastc transcode FORMAT WIDTH HEIGHT TIMES IN OUT
//
// With uastc, IN holds RGBA pictures of WIDTH x HEIGHT one after the other, and OUT gets
// their blocks likewise. With transcode, IN holds the blocks, and OUT gets what pixels they
// are once they are FORMAT: uastc, bc7, etc2 (with alpha), bc3 or bc1. One line per picture
// is printed: the least CPU seconds of TIMES.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "basisu_enc.h"
#include "basisu_gpu_texture.h"
#include "basisu_uastc_enc.h"
#include "basisu_transcoder_uastc.h"

static double cpu_seconds() {
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_utime.tv_usec * 1e-6 + u.ru_stime.tv_sec + u.ru_stime.tv_usec * 1e-6;
}

static bool transcode(const std::string &format, const basist::uastc_block &block, basisu::color_rgba pix[16]) {
    using basisu::texture_format;
    uint8_t out[16];
    if (format == "uastc") return basist::unpack_uastc(block, (basist::color32 *)pix, false);
    if (format == "bc7") return basist::transcode_uastc_to_bc7(block, out) && basisu::unpack_block(texture_format::cBC7, out, pix, false);
    if (format == "etc2") return basist::transcode_uastc_to_etc2_rgba(block, out) && basisu::unpack_block(texture_format::cETC2_RGBA, out, pix, false);
    if (format == "bc3") return basist::transcode_uastc_to_bc3(block, out, false) && basisu::unpack_block(texture_format::cBC3, out, pix, false);
    if (format == "bc1") return basist::transcode_uastc_to_bc1(block, out, false) && basisu::unpack_block(texture_format::cBC1, out, pix, false);
    return false;
}

int main(int argc, char **argv) {
    if (argc != 8) return fprintf(stderr, "usage: uastc uastc|transcode LEVEL|FORMAT WIDTH HEIGHT TIMES IN OUT\n"), 2;
    const bool encode = !strcmp(argv[1], "uastc");
    const uint32_t level = atoi(argv[2]);
    const size_t w = atoi(argv[3]), h = atoi(argv[4]);
    const int times = atoi(argv[5]);
    if (level > 4 || w % 4 || h % 4 || !w || !h) return fprintf(stderr, "uastc: unknown level or size\n"), 2;
    basisu::basisu_encoder_init();
    FILE *in = fopen(argv[6], "rb"), *out = fopen(argv[7], "wb");
    if (!in || !out) return perror("uastc"), 1;
    const size_t from = encode ? w * h * 4 : w * h, to = w * h * 5 - from;
    std::vector<uint8_t> given(from), made(to);
    while (fread(given.data(), 1, from, in) == from) {
        double best = 1e9;
        for (int t = 0; t < times; t++) {
            const double start = cpu_seconds();
            for (size_t i = 0; i < w * h / 16; i++) {
                const size_t x = i % (w / 4) * 4, y = i / (w / 4) * 4;
                uint8_t pix[64];
                if (encode) {
                    for (size_t r = 0; r < 4; r++) memcpy(pix + 16 * r, &given[4 * ((y + r) * w + x)], 16);
                    basisu::encode_uastc(pix, *(basist::uastc_block *)&made[16 * i], level);
                    continue;
                }
                if (!transcode(argv[2], *(const basist::uastc_block *)&given[16 * i], (basisu::color_rgba *)pix))
                    return fprintf(stderr, "uastc: unknown format, or block %zu is not valid\n", i), 1;
                for (size_t r = 0; r < 4; r++) memcpy(&made[4 * ((y + r) * w + x)], pix + 16 * r, 16);
            }
            best = std::min(best, cpu_seconds() - start);
        }
        printf("%.6f\n", best);
        if (fwrite(made.data(), 1, to, out) != to) return perror("uastc"), 1;
    }
    return fclose(out) ? (perror("uastc"), 1) : 0;
}
