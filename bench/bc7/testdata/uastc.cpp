// uastc runs the UASTC encoder and transcoder of basis_universal over raw RGBA pictures: see
// ../main.go. It is built with the library of that repository of BinomialLLC:
//
//	cmake -DCMAKE_BUILD_TYPE=Release -DBASISU_SSE=OFF -DBASISU_OPENCL=OFF -B build basis_universal && make -C build
//	g++ -O3 -std=c++17 -Ibasis_universal/encoder -Ibasis_universal/transcoder -o uastc uastc.cpp build/libbasisu_encoder.a -lpthread
//
//	uastc uastc LEVEL WIDTH HEIGHT TIMES IN OUT
//	uastc transcode FORMAT WIDTH HEIGHT TIMES IN OUT
//
// IN holds pictures of WIDTH x HEIGHT one after the other, or with transcode their UASTC
// blocks, and OUT gets blocks likewise: UASTC, or those of FORMAT, bc7 or astc; rgba gets
// pixels in the order of blocks. One line per picture is printed: the least CPU seconds
// of TIMES.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "basisu_enc.h"
#include "basisu_uastc_enc.h"
#include "basisu_transcoder_uastc.h"

static double cpu_seconds() {
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_utime.tv_usec * 1e-6 + u.ru_stime.tv_sec + u.ru_stime.tv_usec * 1e-6;
}

int main(int argc, char **argv) {
    if (argc != 8) return fprintf(stderr, "usage: uastc uastc|transcode LEVEL|FORMAT WIDTH HEIGHT TIMES IN OUT\n"), 2;
    const bool encode = !strcmp(argv[1], "uastc");
    const std::string format = argv[2];
    const uint32_t level = atoi(argv[2]);
    const size_t w = atoi(argv[3]), h = atoi(argv[4]);
    const int times = atoi(argv[5]);
    if ((!encode && format != "bc7" && format != "astc" && format != "rgba") || level > 4 || w % 4 || h % 4 || !w || !h)
        return fprintf(stderr, "uastc: unknown level, format or size\n"), 2;
    basisu::basisu_encoder_init();
    FILE *in = fopen(argv[6], "rb"), *out = fopen(argv[7], "wb");
    if (!in || !out) return perror("uastc"), 1;
    const size_t each = encode ? w * h * 4 : w * h, to = format == "rgba" ? w * h * 4 : w * h;
    std::vector<uint8_t> given(each), made(to);
    while (fread(given.data(), 1, each, in) == each) {
        double best = 1e9;
        for (int t = 0; t < times; t++) {
            const double start = cpu_seconds();
            for (size_t i = 0; i < w * h / 16; i++) {
                if (encode) {
                    uint8_t pix[64];
                    const size_t x = i % (w / 4) * 4, y = i / (w / 4) * 4;
                    for (size_t r = 0; r < 4; r++) memcpy(pix + 16 * r, &given[4 * ((y + r) * w + x)], 16);
                    basisu::encode_uastc(pix, *(basist::uastc_block *)&made[16 * i], level);
                    continue;
                }
                const basist::uastc_block &block = *(const basist::uastc_block *)&given[16 * i];
                bool ok = false;
                if (format == "bc7") ok = basist::transcode_uastc_to_bc7(block, &made[16 * i]);
                else if (format == "astc") ok = basist::transcode_uastc_to_astc(block, &made[16 * i]);
                else ok = basist::unpack_uastc(block, (basist::color32 *)&made[64 * i], false);
                if (!ok) return fprintf(stderr, "uastc: block %zu is not valid\n", i), 1;
            }
            best = std::min(best, cpu_seconds() - start);
        }
        printf("%.6f\n", best);
        if (fwrite(made.data(), 1, to, out) != to) return perror("uastc"), 1;
    }
    return fclose(out) ? (perror("uastc"), 1) : 0;
}
