package hashing_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/crcslice8"
	"github.com/assetcook/assetcook/hashing"
)

func ExampleLookup() {
	f, ok := hashing.Lookup("crc32")
	if !ok {
		fmt.Println("not one of", hashing.Names())
		return
	}
	fmt.Println(f.Sum([]byte("123456789")))

	h := f.New()
	io.WriteString(h, "12345")
	io.WriteString(h, "6789")
	fmt.Printf("%x\n", h.Sum(nil))
	// Output:
	// cbf43926
	// cbf43926
}

func ExampleSummer_Sum() {
	f, _ := hashing.Lookup(hashing.Default)
	s := hashing.NewSummer(f)
	sum, err := s.Sum(context.Background(), strings.NewReader("texture"), hashing.WantSum|hashing.WantDigest)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.Size, "bytes")
	fmt.Println(sum.Sum == f.Sum128([]byte("texture")))
	fmt.Println(sum.Digest == hashing.DigestOf([]byte("texture")))
	// Output:
	// 7 bytes
	// true
	// true
}

func ExampleKey() {
	key := func(recipe, format string) hashing.Digest {
		k := hashing.NewKey("example recipe 1")
		k.String("recipe", recipe)
		k.String("format", format)
		return k.Sum()
	}
	first, again := key("texture", "bc5"), key("texture", "bc5")
	fmt.Println(first == again)
	fmt.Println(first == key("textureb", "c5"))
	// Output:
	// true
	// false
}

func ExampleFiles_Sum() {
	f, _ := hashing.Lookup(hashing.Default)
	names := slices.Values([]string{"testdata/rock.txt", "testdata/missing.txt"})
	err := hashing.Files{Func: f}.Sum(context.Background(), names, func(r hashing.FileResult) {
		if r.Err != nil {
			fmt.Println("cannot sum", r.Name)
			return
		}
		fmt.Printf("%v  %s\n", r.Sum, r.Name)
	})
	fmt.Println(err)
	// Output:
	// 344be89cab7a872b38b7c2310bbbf116  testdata/rock.txt
	// cannot sum testdata/missing.txt
	// <nil>
}

// This program computes checksums of files on all cores with a CRC outside of the registry. It
// reports progress, and stops when the context ends.
func ExampleCRC32() {
	model, _ := crcslice8.ModelByName("CRC-32/MPEG-2")
	f := hashing.CRC32(crcslice8.New(model))
	var read atomic.Int64
	files := hashing.Files{Func: f, Progress: func(n int64) { read.Add(n) }}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := files.Sum(ctx, slices.Values([]string{"testdata/rock.txt"}), func(r hashing.FileResult) {
		fmt.Println(r.Sum.Len(), r.Size == read.Load(), r.Err)
	})
	fmt.Println(err)
	// Output:
	// 4 true <nil>
	// <nil>
}
