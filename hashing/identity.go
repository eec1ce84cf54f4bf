package hashing

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"hash"

	"github.com/zeebo/blake3"
)

// identityFuncs are the functions whose sums may name content.
func identityFuncs() []Func {
	return []Func{
		{
			Name:   "blake3",
			Size:   32,
			Class:  Identity,
			Source: "O'Connor, Aumasson, Neves, Wilcox-O'Hearn, BLAKE3, 2020, https://github.com/BLAKE3-team/BLAKE3-specs; 256 bits, unkeyed",
			Check:  "b7d65b48420d1033cb2595293263b6f72eabee20d55e699d0df1973b3c9deed1",
			sum:    func(b []byte) Sum { return wideSum(blake3.Sum256(b)) },
			stream: func() hash.Hash { return blake3Hash{blake3.New()} },
			joints: blake3Joints(),
		},
		{
			Name:   "sha256",
			Size:   32,
			Class:  Identity,
			Source: "FIPS 180-4",
			Check:  "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
			sum:    func(b []byte) Sum { return wideSum(sha256.Sum256(b)) },
			stream: sha256.New,
		},
		{
			Name:   "sha512",
			Size:   64,
			Class:  Identity,
			Source: "FIPS 180-4",
			Check:  "d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274ad27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85",
			sum: func(b []byte) Sum {
				s := sha512.Sum512(b)
				return sumOf(s[:])
			},
			stream: sha512.New,
		},
	}
}

// blake3Hash makes the library's hash a hash.Cloner: the library's Clone returns another type.
type blake3Hash struct{ *blake3.Hasher }

func (h blake3Hash) Clone() (hash.Cloner, error) { return blake3Hash{h.Hasher.Clone()}, nil }

// brokenFuncs are former identities. Two contents with one sum can be made, so they only detect
// accidents; they remain for existing lists.
func brokenFuncs() []Func {
	return []Func{
		{
			Name:   "sha1",
			Size:   20,
			Class:  Accident,
			Source: "FIPS 180-4; broken by Stevens and others, The first collision for full SHA-1, 2017",
			Check:  "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
			sum: func(b []byte) Sum {
				s := sha1.Sum(b)
				return sumOf(s[:])
			},
			stream: sha1.New,
		},
		{
			Name:   "md5",
			Size:   16,
			Class:  Accident,
			Source: "RFC 1321; broken by Wang and Yu, How to Break MD5 and Other Hash Functions, 2005",
			Check:  "25f9e794323b453885f5181f1b624d0b",
			narrow: func(b []byte) Sum128 {
				s := md5.Sum(b)
				return Sum128{binary.BigEndian.Uint64(s[:8]), binary.BigEndian.Uint64(s[8:])}
			},
			stream: md5.New,
		},
	}
}

func wideSum(b [32]byte) Sum { return sumOf(b[:]) }
