package crcslice8_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/crcslice8"
)

func Example() {
	model, _ := crcslice8.ModelByName("CRC-32/MPEG-2")
	mpeg := crcslice8.New(model)
	sum := mpeg.Checksum([]byte("123456789"))
	fmt.Printf("%08x\n", sum)

	h := mpeg.Hash()
	io.Copy(h, strings.NewReader("123456789"))
	fmt.Printf("%x\n", h.Sum(nil))
	// Output:
	// 0376e6e7
	// 0376e6e7
}

func ExampleTable_Combine() {
	crc := crcslice8.Castagnoli()
	a, b := []byte("12345"), []byte("6789")
	fmt.Printf("%08x\n", crc.Combine(crc.Checksum(a), crc.Checksum(b), int64(len(b))))
	// Output: e3069283
}

func ExampleNew() {
	// A custom model: any polynomial, in normal form.
	crc := crcslice8.New(crcslice8.Model{Name: "mine", Width: 32, Poly: 0x32583499, Init: 0xffffffff, RefIn: true, RefOut: true})
	fmt.Println(crc.Update(crc.Empty(), []byte("ab")) == crc.Update(crc.Checksum([]byte("a")), []byte("b")))
	// Output: true
}

func ExampleNew64() {
	model, _ := crcslice8.ModelByName("CRC-16/MODBUS")
	fmt.Println(model)
	fmt.Printf("%04x\n", crcslice8.New64(model).Checksum([]byte("123456789")))
	// Output:
	// CRC-16/MODBUS(width=16 poly=0x8005 init=0xffff refin=true refout=true xorout=0x0000 check=0x4b37)
	// 4b37
}

func ExampleNVME() {
	crc := crcslice8.NVME()
	a, b := []byte("12345"), []byte("6789")
	fmt.Printf("%016x\n", crc.Combine(crc.Checksum(a), crc.Checksum(b), int64(len(b))))
	// Output: ae8b14860a799888
}

func ExampleUnrealMemCrc() {
	crc := crcslice8.UnrealMemCrc([]byte("12345"), 0)
	fmt.Printf("%#x\n", crcslice8.UnrealMemCrc([]byte("6789"), crc))
	// Output: 0xfc891918
}
