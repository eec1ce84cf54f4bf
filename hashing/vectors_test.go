package hashing

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/hashtest"
)

// sanity returns the input of xxHash's sanity test vectors.
func sanity(n int) string {
	b := make([]byte, n)
	gen := uint64(2654435761)
	for i := range b {
		b[i] = byte(gen >> 56)
		gen *= 11400714785074694797
	}
	return string(b)
}

// sanityLengths has lengths for each code path of xxHash, including the shortest and the longest.
var sanityLengths = []int{0, 1, 3, 4, 6, 8, 9, 12, 14, 15, 16, 17, 24, 32, 48, 81, 128, 129, 222, 240, 241, 403, 512, 1024, 1025, 2048, 2240, 2367}

// These checksums are from xxhsum 0.8.1, in the order of sanityLengths.
const (
	xxh32Sanity = `
		02cc5d05 cf65b03e c23884f5 a9de7ce9 659f0c97 a3f6f44b ffb82a24 e89b5f9b 1208e7e2 6b859e14 93ba3759 89fdc23e
		a6276ff0 d89829ec bfd05cbd b13bc253 0fd07b71 68c9ec37 5bd11dbd fa6b6557 e5f7c54d 6675ff5a d485c30a c08e0a35
		75b3b8a1 7c535464 59e4583d 4c8a9773`
	xxh64Sanity = `
		ef46db3751d8e999 e934a84adb052768 ff7e1959cb50794a 9136a0dca57457ee c72565b7154268a8 cdbcf538e71d1348 554b1ae991eda6b6
		0723bf50086ead9a 8282dcc4994e35c8 180719316d622d84 98c90b57fdfcb55c 0d39a2d051a30c2c f75a6dea42dc5bf4 18b216492bb44b70
		fd0feeac7a939933 cb329a8f102f05bc 90ca021457d96dc5 41c280132d697aba b641ae8cb691c174 b81838d483baee53 95d76c8b4d8fc4d6
		d99858fee82283df 4358d2fdd62b58a7 4775bf7cace4d177 847fa6006d7c2ac0 5940f2752bc04387 a4edb3c85b99b1d9 a82418ddec0ea581`
	xxh128Sanity = `
		99aa06d3014798d86001c324468d497f a6cd5e9392000f6ac44bdff4074eecdb 20efc49ff02422ea54247382a8d6b94d
		970d585ac632bf8e2e7d8d6876a39fe9 082afe0b8162d12a3e7039bdda43cfc6 47a7f080d82bb45664c69cab4bb21dc5
		564ef6078950d457ed7ccbc501eb7501 6e3efd8fc7802b18061a192713f69ad9 b2623398aa0bda1e352b80797cda6247
		c402609e57ee5772958955df1889e6bc c68c368ecf8a9c05562980258a998629 955fa78643ed3669abbc12d11973d7db
		0ce966e4678d37611e7044d28b1b901d 98fc6458710dc2e8278410a17595e3f9 a002ac4e5478227ef942219aed80f67b
		4952f58181ab00425e8bafb9f95fb803 39992220e045260aebb15e34a7fb5ab1 03815fc91f1b30b686c9e3bc8f0a3b5c
		337e09641b948717f1aebd597cec6b3a aa4202daa2769dc85c9aae94c8ebe5a0 99a80ecf0ecfc647c5a639ecd2030e5e
		1b6de21e332dd73dcdeb804d65c6dea4 18d2d110dcc9bca1617e49599013cb6b 0d30d24071c64c57dd85c9b5c1109c5c
		fd3ee4fe7f2954c6d870c0fa13211c6a f736557fd47073a5dd59e2c3a5f038e0 ccb134fbfa7ce49d6e73a90539cf2948
		e89c0f6ff369b427cb37aeb9e5d361ed`
	xxh3Sanity = `
		2d06800538d394c2 c44bdff4074eecdb 54247382a8d6b94d e5dc74bc51848a51 27b56a84cd2d7325 24ccc9acaa9f65e4 14d5001c15dd3f2b
		a713daf0dfbb77e7 1ac0bbda2b9fcf03 45556d4d6e1798bc 981b17d36c7498c9 796f5acd3a60f862 a3fe70bf9d3510eb 9feaddbdbf57eed3
		397da259ecba1f11 7bc96f2ee88df87d fcff24126754d861 98f1b0a679a2ca29 b9163b558664d356 81c3c2b67f568ccf c5a639ecd2030e5e
		cdeb804d65c6dea4 617e49599013cb6b dd85c9b5c1109c5c d870c0fa13211c6a dd59e2c3a5f038e0 6e73a90539cf2948 cb37aeb9e5d361ed`
)

func sanityOf(sums string) []hashtest.Known {
	var all []hashtest.Known
	for i, sum := range strings.Fields(sums) {
		all = append(all, hashtest.Known{In: sanity(sanityLengths[i]), Want: sum})
	}
	return all
}

// counting returns the input of BLAKE3's test vectors: 0, 1, ... 250, 0, 1 ...
func counting(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// blake3Vectors are test vectors from BLAKE3's repository.
var blake3Vectors = []struct {
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
}

func blake3Known() []hashtest.Known {
	var all []hashtest.Known
	for _, v := range blake3Vectors {
		all = append(all, hashtest.Known{In: string(counting(v.n)), Want: v.want})
	}
	return all
}

func TestDigestVectors(t *testing.T) {
	for _, c := range blake3Vectors {
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
