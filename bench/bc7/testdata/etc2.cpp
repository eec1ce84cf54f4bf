// etc2 runs ETC2 and EAC encoders of others over raw RGBA pictures: see ../etc2.go. It is
// built from the repositories etcpak of wolfpld and etc2comp of google:
//
//	gcc -O3 -c etcpak/bcdec.c
//	g++ -O3 -std=c++20 -DWITH_ETC2COMP -Ietcpak -Ietc2comp/EtcLib/Etc -Ietc2comp/EtcLib/EtcCodec -o peer etc2.cpp etcpak/ProcessRGB.cpp etcpak/Decode.cpp etcpak/Tables.cpp etcpak/Dither.cpp etc2comp/EtcLib/Etc/*.cpp etc2comp/EtcLib/EtcCodec/*.cpp bcdec.o -lpthread
//
// and, without etc2comp, with -march=x86-64-v3 for etcpak's vector instructions.
//
//	peer ENCODER FORMAT:LEVEL WIDTH HEIGHT TIMES IN OUT
//
// IN holds pictures of WIDTH x HEIGHT one after the other, OUT gets their blocks
// likewise. One line per picture is printed: the least CPU seconds of TIMES. FORMAT is
// rgb, rgba or r. With ENCODER "decode", IN holds blocks, and OUT gets what
// etcpak's decoder makes of them.
#include <sys/resource.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include "ProcessRGB.hpp"
#include "Decode.hpp"
#ifdef WITH_ETC2COMP
#include "Etc.h"
#endif
static double user_seconds() {
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_utime.tv_usec * 1e-6 + u.ru_stime.tv_sec + u.ru_stime.tv_usec * 1e-6;
}
int main(int argc, char **argv) {
    if (argc != 8) return fprintf(stderr, "usage: peer ENCODER FORMAT:LEVEL WIDTH HEIGHT TIMES IN OUT\n"), 2;
    const std::string name = argv[1], spec = argv[2];
    const std::string format = spec.substr(0, spec.find(':'));
    const std::string level = spec.find(':') == std::string::npos ? "" : spec.substr(spec.find(':') + 1);
    const size_t w = atoi(argv[3]), h = atoi(argv[4]);
    const int times = atoi(argv[5]);
    const bool wide = format == "rgba";
    const size_t size = w * h / 16 * (wide ? 16 : 8);
    FILE *in = fopen(argv[6], "rb"), *out = fopen(argv[7], "wb");
    if (!in || !out) return perror("peer"), 1;
    if (name == "decode") {
        std::vector<uint64_t> blocks(size / 8);
        std::vector<uint32_t> pix(w * h);
        while (fread(blocks.data(), 1, size, in) == size) {
            if (format == "rgb") DecodeRGB(blocks.data(), pix.data(), w, h);
            else if (format == "rgba") DecodeRGBA(blocks.data(), pix.data(), w, h);
            else DecodeR(blocks.data(), pix.data(), w, h);
            fwrite(pix.data(), 4, w * h, out);
        }
        return fclose(out) != 0;
    }
    std::vector<uint32_t> pix(w * h), swapped(w * h);
    std::vector<uint64_t> blocks(size / 8);
    while (fread(pix.data(), 4, w * h, in) == w * h) {
        // etcpak takes BGRA.
        for (size_t i = 0; i < w * h; i++) {
            uint32_t v = pix[i];
            swapped[i] = (v & 0xff00ff00) | (v >> 16 & 255) | (v & 255) << 16;
        }
        double best = 1e9;
        for (int t = 0; t < times; t++) {
            double start = user_seconds();
            if (name == "etcpak") {
                if (format == "rgb") CompressEtc2Rgb(swapped.data(), blocks.data(), w * h / 16, w, true);
                else if (format == "rgba") CompressEtc2Rgba(swapped.data(), blocks.data(), w * h / 16, w, true);
                else CompressEacR(swapped.data(), blocks.data(), w * h / 16, w);
            }
#ifdef WITH_ETC2COMP
            else if (name == "etc2comp") {
                std::vector<float> f(4 * w * h);
                for (size_t i = 0; i < w * h; i++)
                    for (int c = 0; c < 4; c++) f[4 * i + c] = (pix[i] >> (8 * c) & 255) / 255.0f;
                if (format == "rgb")
                    for (size_t i = 0; i < w * h; i++) f[4 * i + 3] = 1;
                Etc::Image::Format ef = format == "rgb" ? Etc::Image::Format::RGB8 : format == "rgba" ? Etc::Image::Format::RGBA8 : Etc::Image::Format::R11;
                unsigned char *bits;
                unsigned int n, ew, eh;
                int ms;
                start = user_seconds();
                Etc::Encode(f.data(), w, h, ef, Etc::ErrorMetric::NUMERIC, atof(level.c_str()), 1, 1, &bits, &n, &ew, &eh, &ms);
                if (n != size) return fprintf(stderr, "size %u\n", n), 1;
                memcpy(blocks.data(), bits, size);
            }
#endif
            else return fprintf(stderr, "unknown encoder\n"), 2;
            const double took = user_seconds() - start;
            if (took < best) best = took;
        }
        printf("%.6f\n", best);
        if (fwrite(blocks.data(), 1, size, out) != size) return perror("peer"), 1;
    }
    return fclose(out) != 0;
}
