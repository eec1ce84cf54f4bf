package hashing

import (
	"bytes"
	"strings"
	"testing"
)

// sanity is the input of xxHash's own sanity test vectors.
func sanity(n int) string {
	b := make([]byte, n)
	gen := uint64(2654435761)
	for i := range b {
		b[i] = byte(gen >> 56)
		gen *= 11400714785074694797
	}
	return string(b)
}

// counting is the input of BLAKE3's test vectors: 0, 1, ... 250, 0, 1 ...
func counting(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

func TestVectors(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		// xxHash sanity test: one length of each code path and its borders.
		{"xxh3", "", "99aa06d3014798d86001c324468d497f"},
		{"xxh3", sanity(1), "a6cd5e9392000f6ac44bdff4074eecdb"},
		{"xxh3", sanity(6), "082afe0b8162d12a3e7039bdda43cfc6"},
		{"xxh3", sanity(12), "6e3efd8fc7802b18061a192713f69ad9"},
		{"xxh3", sanity(24), "0ce966e4678d37611e7044d28b1b901d"},
		{"xxh3", sanity(48), "a002ac4e5478227ef942219aed80f67b"},
		{"xxh3", sanity(81), "4952f58181ab00425e8bafb9f95fb803"},
		{"xxh3", sanity(222), "337e09641b948717f1aebd597cec6b3a"},
		{"xxh3", sanity(403), "1b6de21e332dd73dcdeb804d65c6dea4"},
		{"xxh3", sanity(512), "18d2d110dcc9bca1617e49599013cb6b"},
		{"xxh3", sanity(2048), "f736557fd47073a5dd59e2c3a5f038e0"},
		{"xxh3", sanity(2240), "ccb134fbfa7ce49d6e73a90539cf2948"},
		{"xxh3", sanity(2367), "e89c0f6ff369b427cb37aeb9e5d361ed"},

		{"xxh64", "", "ef46db3751d8e999"},
		{"xxh64", sanity(1), "e934a84adb052768"},
		{"xxh64", sanity(4), "9136a0dca57457ee"},
		{"xxh64", sanity(14), "8282dcc4994e35c8"},
		{"xxh64", sanity(222), "b641ae8cb691c174"},

		{"crc32", "", "00000000"},
		{"crc32", "123456789", "cbf43926"},
		{"crc32", "The quick brown fox jumps over the lazy dog", "414fa339"},

		// RFC 3720 appendix B.4, most significant byte first.
		{"crc32c", "", "00000000"},
		{"crc32c", "123456789", "e3069283"},
		{"crc32c", strings.Repeat("\x00", 32), "8a9136aa"},
		{"crc32c", strings.Repeat("\xff", 32), "62a8ab43"},

		{"murmur3", "", "00000000000000000000000000000000"},
		{"murmur3", "hello", "cbd8a7b341bd9b025b1e906a48ae1d19"},
		{"murmur3", "hello, world", "342fac623a5ebc8e4cdcbc079642414d"},
		{"murmur3", "The quick brown fox jumps over the lazy dog.", "cd99481f9ee902c9695da1a38987b6e7"},
	} {
		f, ok := Lookup(c.name)
		if !ok {
			t.Fatalf("no function %q", c.name)
		}
		if got := f.Hex(f.Sum([]byte(c.in))); got != c.want {
			t.Errorf("%s of %d bytes: %s, want %s", c.name, len(c.in), got, c.want)
		}
		h := f.New()
		h.Write([]byte(c.in))
		if got := f.Hex(h.Sum128()); got != c.want {
			t.Errorf("%s of %d bytes, streaming: %s, want %s", c.name, len(c.in), got, c.want)
		}
	}
}

func TestDigestVectors(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string
	}{
		{0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"},
		{1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"},
		{1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"},
		{1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"},
		{2048, "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a"},
		{8192, "aae792484c8efe4f19e2ca7d371d8c467ffb10748d8a5a1ae579948f718a2a63"},
		{31744, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47"},
		{102400, "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"},
	} {
		b := counting(c.n)
		if got := DigestOf(b).String(); got != c.want {
			t.Errorf("%d bytes: %s, want %s", c.n, got, c.want)
		}
		sum, err := NewSummer(registry[0]).Sum(t.Context(), bytes.NewReader(b), WantDigest)
		if err != nil || sum.Digest.String() != c.want {
			t.Errorf("%d bytes, streaming: %v, %v, want %s", c.n, sum.Digest, err, c.want)
		}
	}
}
