// peer runs BC7 encoders of others over raw RGBA pictures: see ../main.go. It is built
// from the repositories bc7enc_rdo of richgel999 and basis_universal of BinomialLLC:
//
//	g++ -O3 -std=c++17 -Ibc7enc_rdo -Ibasis_universal/encoder -Ibasis_universal/transcoder -o peer peer.cpp bc7enc_rdo/bc7enc.cpp basis_universal/encoder/basisu_bc7e_scalar.cpp basis_universal/transcoder/basisu_transcoder.cpp -DBASISD_SUPPORT_KTX2_ZSTD=0
//
//	peer ENCODER LEVEL WIDTH HEIGHT TIMES IN OUT
//
// IN holds pictures of WIDTH x HEIGHT one after the other, OUT gets their blocks
// likewise. One line per picture is printed: the least user CPU seconds of TIMES.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "basisu_transcoder.h"

#include "basisu_bc7e_scalar.h"
// Last: it defines what the others declare.
#include "bc7enc.h"

static double user_seconds() {
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_utime.tv_usec * 1e-6 + u.ru_stime.tv_sec + u.ru_stime.tv_usec * 1e-6;
}

struct encoder {
    std::string name, level;
    bc7enc_compress_block_params enc{};
    bc7e_scalar::bc7e_compress_block_params e{};
    uint32_t flags = 0;

    bool prepare() {
        if (name == "bc7enc") {
            bc7enc_compress_block_init();
            bc7enc_compress_block_params_init(&enc);
            bc7enc_compress_block_params_init_linear_weights(&enc);
            enc.m_max_partitions = atoi(level.c_str());
            return true;
        }
        if (name == "bc7e") {
            bc7e_scalar::bc7e_compress_block_init();
            if (level == "ultrafast") bc7e_scalar::bc7e_compress_block_params_init_ultrafast(&e, false);
            else if (level == "veryfast") bc7e_scalar::bc7e_compress_block_params_init_veryfast(&e, false);
            else if (level == "fast") bc7e_scalar::bc7e_compress_block_params_init_fast(&e, false);
            else if (level == "basic") bc7e_scalar::bc7e_compress_block_params_init_basic(&e, false);
            else return false;
            return true;
        }
        if (name == "bc7f") {
            basist::basisu_transcoder_init();
            basist::bc7f::init();
            if (level == "analytical") flags = basist::bc7f::cPackBC7FlagDefault;
            else if (level == "partial") flags = basist::bc7f::cPackBC7FlagDefaultPartiallyAnalytical;
            else if (level == "full") flags = basist::bc7f::cPackBC7FlagDefaultNonAnalytical;
            else return false;
            return true;
        }
        return false;
    }

    void row(uint8_t *out, const uint32_t *blocks, size_t n) {
        if (name == "bc7e") {
            bc7e_scalar::bc7e_compress_blocks(n, (uint64_t *)out, blocks, &e);
            return;
        }
        for (size_t i = 0; i < n; i++) {
            if (name == "bc7enc") bc7enc_compress_block(out + 16 * i, blocks + 16 * i, &enc);
            else basist::bc7f::fast_pack_bc7_auto_rgba(out + 16 * i, (const basist::color_rgba *)(blocks + 16 * i), flags);
        }
    }
};

int main(int argc, char **argv) {
    if (argc != 8) return fprintf(stderr, "usage: peer ENCODER LEVEL WIDTH HEIGHT TIMES IN OUT\n"), 2;
    encoder enc;
    enc.name = argv[1];
    enc.level = argv[2];
    const size_t w = atoi(argv[3]), h = atoi(argv[4]);
    const int times = atoi(argv[5]);
    if (!enc.prepare() || w % 4 || h % 4 || !w || !h) return fprintf(stderr, "peer: unknown encoder, level or size\n"), 2;
    FILE *in = fopen(argv[6], "rb"), *out = fopen(argv[7], "wb");
    if (!in || !out) return perror("peer"), 1;
    std::vector<uint32_t> pix(w * h), row(w * 4);
    std::vector<uint8_t> blocks(w * h);
    while (fread(pix.data(), 4, w * h, in) == w * h) {
        double best = 1e9;
        for (int t = 0; t < times; t++) {
            const double start = user_seconds();
            for (size_t y = 0; y < h; y += 4) {
                for (size_t b = 0; b < w / 4; b++)
                    for (size_t r = 0; r < 4; r++) memcpy(&row[16 * b + 4 * r], &pix[(y + r) * w + 4 * b], 16);
                enc.row(&blocks[y * w], row.data(), w / 4);
            }
            const double took = user_seconds() - start;
            if (took < best) best = took;
        }
        printf("%.6f\n", best);
        if (fwrite(blocks.data(), 1, w * h, out) != w * h) return perror("peer"), 1;
    }
    return fclose(out) ? (perror("peer"), 1) : 0;
}
