package crcslice8

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Model describes a CRC of 1 to 64 bits in the terms of RevEng's Catalogue of parametrised CRC
// algorithms (Greg Cook, https://reveng.sourceforge.io/crc-catalogue/).
type Model struct {
	Name    string // such as "CRC-64/XZ"; for display only
	Width   int    // bits of the register, 1 to 64
	Poly    uint64 // normal form: bit i is x^i; x^Width is left out
	Init    uint64 // register before the first byte, most significant bit first
	RefIn   bool   // whether the lowest bit of a byte comes first
	RefOut  bool   // whether the register is reflected at the end
	XorOut  uint64 // XORed to the final register
	Check   uint64 // checksum of "123456789"; New64 ignores it
	Residue uint64 // register after message and checksum, before XorOut; New64 ignores it
}

// String returns the model in the catalogue's notation, with numbers in hex: "CRC-16/ARC(width=16
// poly=0x8005 init=0x0000 refin=true refout=true xorout=0x0000 check=0xbb3d)". It omits a zero
// Check.
func (m Model) String() string {
	digits := (m.Width + 3) / 4
	check := ""
	if m.Check != 0 {
		check = fmt.Sprintf(" check=0x%0*x", digits, m.Check)
	}
	return fmt.Sprintf("%s(width=%d poly=0x%0*x init=0x%0*x refin=%t refout=%t xorout=0x%0*x%s)",
		cmp.Or(m.Name, fmt.Sprintf("CRC-%d", m.Width)), m.Width, digits, m.Poly, digits, m.Init,
		m.RefIn, m.RefOut, digits, m.XorOut, check)
}

func (m Model) checkWidths() error {
	name := cmp.Or(m.Name, "a model")
	if m.Width < 1 || m.Width > 64 {
		return fmt.Errorf("crcslice8: %s: the width is %d bits; it must be 1 to 64", name, m.Width)
	}
	var tooLong []string
	for _, field := range []struct {
		name  string
		value uint64
	}{{"Poly", m.Poly}, {"Init", m.Init}, {"XorOut", m.XorOut}} {
		if field.value>>(m.Width-1)>>1 != 0 {
			tooLong = append(tooLong, fmt.Sprintf("%s %#x", field.name, field.value))
		}
	}
	if tooLong != nil {
		return fmt.Errorf("crcslice8: %s: %s has more than %d bits; leave out the polynomial's highest term",
			name, strings.Join(tooLong, ", "), m.Width)
	}
	return nil
}

// ModelByName returns the model of that name in [Catalogue], such as "CRC-16/MODBUS". Case does not
// matter.
func ModelByName(name string) (Model, bool) {
	for _, m := range catalogue {
		if strings.EqualFold(m.Name, name) {
			return m, true
		}
	}
	return Model{}, false
}

// Catalogue returns the models of 3 to 64 bits in the RevEng catalogue, and CRC-32/KOOPMAN. They
// are sorted by width and name.
func Catalogue() []Model { return slices.Clone(catalogue) }

// mustModel returns a model in the catalogue. It panics for an unknown name.
func mustModel(name string) Model {
	m, ok := ModelByName(name)
	if !ok {
		panic("crcslice8: " + name + " is not in the catalogue")
	}
	return m
}

// These are the 32-bit polynomials that have kernels or listed multiples.
const (
	polyIEEE       = 0x04c11db7 // ISO/IEC 13239 and IEEE 802.3
	polyCastagnoli = 0x1edc6f41 // Castagnoli, Bräuer, Herrmann 1993
	polyKoopman    = 0x741b8cd7 // Koopman 2002
	polyAIXM       = 0x814141ab // AIXM primer, also called Q
	polyAUTOSAR    = 0xf4acfb13 // AUTOSAR CRC library, also called P4 (Koopman)
	polyBASE91D    = 0xa833982b // Castagnoli's polynomial D
	polyCDROMEDC   = 0x8001801b // ECMA-130
	polyXFER       = 0x000000af // Fischer, XFER
)

// The fields are the fields of Model: name, width, polynomial, initial register, RefIn, RefOut, XorOut,
// check value, residue.
var catalogue = []Model{
	{"CRC-3/GSM", 3, 0x3, 0x0, false, false, 0x7, 0x4, 0x2},
	{"CRC-3/ROHC", 3, 0x3, 0x7, true, true, 0x0, 0x6, 0x0},
	{"CRC-4/G-704", 4, 0x3, 0x0, true, true, 0x0, 0x7, 0x0},
	{"CRC-4/INTERLAKEN", 4, 0x3, 0xf, false, false, 0xf, 0xb, 0x2},
	{"CRC-5/EPC-C1G2", 5, 0x09, 0x09, false, false, 0x00, 0x00, 0x00},
	{"CRC-5/G-704", 5, 0x15, 0x00, true, true, 0x00, 0x07, 0x00},
	{"CRC-5/USB", 5, 0x05, 0x1f, true, true, 0x1f, 0x19, 0x06},
	{"CRC-6/CDMA2000-A", 6, 0x27, 0x3f, false, false, 0x00, 0x0d, 0x00},
	{"CRC-6/CDMA2000-B", 6, 0x07, 0x3f, false, false, 0x00, 0x3b, 0x00},
	{"CRC-6/DARC", 6, 0x19, 0x00, true, true, 0x00, 0x26, 0x00},
	{"CRC-6/G-704", 6, 0x03, 0x00, true, true, 0x00, 0x06, 0x00},
	{"CRC-6/GSM", 6, 0x2f, 0x00, false, false, 0x3f, 0x13, 0x3a},
	{"CRC-7/MMC", 7, 0x09, 0x00, false, false, 0x00, 0x75, 0x00},
	{"CRC-7/ROHC", 7, 0x4f, 0x7f, true, true, 0x00, 0x53, 0x00},
	{"CRC-7/UMTS", 7, 0x45, 0x00, false, false, 0x00, 0x61, 0x00},
	{"CRC-8/AUTOSAR", 8, 0x2f, 0xff, false, false, 0xff, 0xdf, 0x42},
	{"CRC-8/BLUETOOTH", 8, 0xa7, 0x00, true, true, 0x00, 0x26, 0x00},
	{"CRC-8/CDMA2000", 8, 0x9b, 0xff, false, false, 0x00, 0xda, 0x00},
	{"CRC-8/DARC", 8, 0x39, 0x00, true, true, 0x00, 0x15, 0x00},
	{"CRC-8/DVB-S2", 8, 0xd5, 0x00, false, false, 0x00, 0xbc, 0x00},
	{"CRC-8/GSM-A", 8, 0x1d, 0x00, false, false, 0x00, 0x37, 0x00},
	{"CRC-8/GSM-B", 8, 0x49, 0x00, false, false, 0xff, 0x94, 0x53},
	{"CRC-8/HITAG", 8, 0x1d, 0xff, false, false, 0x00, 0xb4, 0x00},
	{"CRC-8/I-432-1", 8, 0x07, 0x00, false, false, 0x55, 0xa1, 0xac},
	{"CRC-8/I-CODE", 8, 0x1d, 0xfd, false, false, 0x00, 0x7e, 0x00},
	{"CRC-8/LTE", 8, 0x9b, 0x00, false, false, 0x00, 0xea, 0x00},
	{"CRC-8/MAXIM-DOW", 8, 0x31, 0x00, true, true, 0x00, 0xa1, 0x00},
	{"CRC-8/MIFARE-MAD", 8, 0x1d, 0xc7, false, false, 0x00, 0x99, 0x00},
	{"CRC-8/NRSC-5", 8, 0x31, 0xff, false, false, 0x00, 0xf7, 0x00},
	{"CRC-8/OPENSAFETY", 8, 0x2f, 0x00, false, false, 0x00, 0x3e, 0x00},
	{"CRC-8/ROHC", 8, 0x07, 0xff, true, true, 0x00, 0xd0, 0x00},
	{"CRC-8/SAE-J1850", 8, 0x1d, 0xff, false, false, 0xff, 0x4b, 0xc4},
	{"CRC-8/SMBUS", 8, 0x07, 0x00, false, false, 0x00, 0xf4, 0x00},
	{"CRC-8/TECH-3250", 8, 0x1d, 0xff, true, true, 0x00, 0x97, 0x00},
	{"CRC-8/WCDMA", 8, 0x9b, 0x00, true, true, 0x00, 0x25, 0x00},
	{"CRC-10/ATM", 10, 0x233, 0x000, false, false, 0x000, 0x199, 0x000},
	{"CRC-10/CDMA2000", 10, 0x3d9, 0x3ff, false, false, 0x000, 0x233, 0x000},
	{"CRC-10/GSM", 10, 0x175, 0x000, false, false, 0x3ff, 0x12a, 0x0c6},
	{"CRC-11/FLEXRAY", 11, 0x385, 0x01a, false, false, 0x000, 0x5a3, 0x000},
	{"CRC-11/UMTS", 11, 0x307, 0x000, false, false, 0x000, 0x061, 0x000},
	{"CRC-12/CDMA2000", 12, 0xf13, 0xfff, false, false, 0x000, 0xd4d, 0x000},
	{"CRC-12/DECT", 12, 0x80f, 0x000, false, false, 0x000, 0xf5b, 0x000},
	{"CRC-12/GSM", 12, 0xd31, 0x000, false, false, 0xfff, 0xb34, 0x178},
	{"CRC-12/UMTS", 12, 0x80f, 0x000, false, true, 0x000, 0xdaf, 0x000},
	{"CRC-13/BBC", 13, 0x1cf5, 0x0000, false, false, 0x0000, 0x04fa, 0x0000},
	{"CRC-14/DARC", 14, 0x0805, 0x0000, true, true, 0x0000, 0x082d, 0x0000},
	{"CRC-14/GSM", 14, 0x202d, 0x0000, false, false, 0x3fff, 0x30ae, 0x031e},
	{"CRC-15/CAN", 15, 0x4599, 0x0000, false, false, 0x0000, 0x059e, 0x0000},
	{"CRC-15/MPT1327", 15, 0x6815, 0x0000, false, false, 0x0001, 0x2566, 0x6815},
	{"CRC-16/ARC", 16, 0x8005, 0x0000, true, true, 0x0000, 0xbb3d, 0x0000},
	{"CRC-16/CDMA2000", 16, 0xc867, 0xffff, false, false, 0x0000, 0x4c06, 0x0000},
	{"CRC-16/CMS", 16, 0x8005, 0xffff, false, false, 0x0000, 0xaee7, 0x0000},
	{"CRC-16/DDS-110", 16, 0x8005, 0x800d, false, false, 0x0000, 0x9ecf, 0x0000},
	{"CRC-16/DECT-R", 16, 0x0589, 0x0000, false, false, 0x0001, 0x007e, 0x0589},
	{"CRC-16/DECT-X", 16, 0x0589, 0x0000, false, false, 0x0000, 0x007f, 0x0000},
	{"CRC-16/DNP", 16, 0x3d65, 0x0000, true, true, 0xffff, 0xea82, 0x66c5},
	{"CRC-16/EN-13757", 16, 0x3d65, 0x0000, false, false, 0xffff, 0xc2b7, 0xa366},
	{"CRC-16/GENIBUS", 16, 0x1021, 0xffff, false, false, 0xffff, 0xd64e, 0x1d0f},
	{"CRC-16/GSM", 16, 0x1021, 0x0000, false, false, 0xffff, 0xce3c, 0x1d0f},
	{"CRC-16/IBM-3740", 16, 0x1021, 0xffff, false, false, 0x0000, 0x29b1, 0x0000},
	{"CRC-16/IBM-SDLC", 16, 0x1021, 0xffff, true, true, 0xffff, 0x906e, 0xf0b8},
	{"CRC-16/ISO-IEC-14443-3-A", 16, 0x1021, 0xc6c6, true, true, 0x0000, 0xbf05, 0x0000},
	{"CRC-16/KERMIT", 16, 0x1021, 0x0000, true, true, 0x0000, 0x2189, 0x0000},
	{"CRC-16/LJ1200", 16, 0x6f63, 0x0000, false, false, 0x0000, 0xbdf4, 0x0000},
	{"CRC-16/M17", 16, 0x5935, 0xffff, false, false, 0x0000, 0x772b, 0x0000},
	{"CRC-16/MAXIM-DOW", 16, 0x8005, 0x0000, true, true, 0xffff, 0x44c2, 0xb001},
	{"CRC-16/MCRF4XX", 16, 0x1021, 0xffff, true, true, 0x0000, 0x6f91, 0x0000},
	{"CRC-16/MODBUS", 16, 0x8005, 0xffff, true, true, 0x0000, 0x4b37, 0x0000},
	{"CRC-16/NRSC-5", 16, 0x080b, 0xffff, true, true, 0x0000, 0xa066, 0x0000},
	{"CRC-16/OPENSAFETY-A", 16, 0x5935, 0x0000, false, false, 0x0000, 0x5d38, 0x0000},
	{"CRC-16/OPENSAFETY-B", 16, 0x755b, 0x0000, false, false, 0x0000, 0x20fe, 0x0000},
	{"CRC-16/PROFIBUS", 16, 0x1dcf, 0xffff, false, false, 0xffff, 0xa819, 0xe394},
	{"CRC-16/RIELLO", 16, 0x1021, 0xb2aa, true, true, 0x0000, 0x63d0, 0x0000},
	{"CRC-16/SPI-FUJITSU", 16, 0x1021, 0x1d0f, false, false, 0x0000, 0xe5cc, 0x0000},
	{"CRC-16/T10-DIF", 16, 0x8bb7, 0x0000, false, false, 0x0000, 0xd0db, 0x0000},
	{"CRC-16/TELEDISK", 16, 0xa097, 0x0000, false, false, 0x0000, 0x0fb3, 0x0000},
	{"CRC-16/TMS37157", 16, 0x1021, 0x89ec, true, true, 0x0000, 0x26b1, 0x0000},
	{"CRC-16/UMTS", 16, 0x8005, 0x0000, false, false, 0x0000, 0xfee8, 0x0000},
	{"CRC-16/USB", 16, 0x8005, 0xffff, true, true, 0xffff, 0xb4c8, 0xb001},
	{"CRC-16/XMODEM", 16, 0x1021, 0x0000, false, false, 0x0000, 0x31c3, 0x0000},
	{"CRC-17/CAN-FD", 17, 0x1685b, 0x00000, false, false, 0x00000, 0x04f03, 0x00000},
	{"CRC-21/CAN-FD", 21, 0x102899, 0x000000, false, false, 0x000000, 0x0ed841, 0x000000},
	{"CRC-24/BLE", 24, 0x00065b, 0x555555, true, true, 0x000000, 0xc25a56, 0x000000},
	{"CRC-24/FLEXRAY-A", 24, 0x5d6dcb, 0xfedcba, false, false, 0x000000, 0x7979bd, 0x000000},
	{"CRC-24/FLEXRAY-B", 24, 0x5d6dcb, 0xabcdef, false, false, 0x000000, 0x1f23b8, 0x000000},
	{"CRC-24/INTERLAKEN", 24, 0x328b63, 0xffffff, false, false, 0xffffff, 0xb4f3e6, 0x144e63},
	{"CRC-24/LTE-A", 24, 0x864cfb, 0x000000, false, false, 0x000000, 0xcde703, 0x000000},
	{"CRC-24/LTE-B", 24, 0x800063, 0x000000, false, false, 0x000000, 0x23ef52, 0x000000},
	{"CRC-24/OPENPGP", 24, 0x864cfb, 0xb704ce, false, false, 0x000000, 0x21cf02, 0x000000},
	{"CRC-24/OS-9", 24, 0x800063, 0xffffff, false, false, 0xffffff, 0x200fa5, 0x800fe3},
	{"CRC-30/CDMA", 30, 0x2030b9c7, 0x3fffffff, false, false, 0x3fffffff, 0x04c34abf, 0x34efa55a},
	{"CRC-31/PHILIPS", 31, 0x04c11db7, 0x7fffffff, false, false, 0x7fffffff, 0x0ce9e46c, 0x4eaf26f1},
	{"CRC-32/AIXM", 32, 0x814141ab, 0x00000000, false, false, 0x00000000, 0x3010bf7f, 0x00000000},
	{"CRC-32/AUTOSAR", 32, 0xf4acfb13, 0xffffffff, true, true, 0xffffffff, 0x1697d06a, 0x904cddbf},
	{"CRC-32/BASE91-D", 32, 0xa833982b, 0xffffffff, true, true, 0xffffffff, 0x87315576, 0x45270551},
	{"CRC-32/BZIP2", 32, 0x04c11db7, 0xffffffff, false, false, 0xffffffff, 0xfc891918, 0xc704dd7b},
	{"CRC-32/CD-ROM-EDC", 32, 0x8001801b, 0x00000000, true, true, 0x00000000, 0x6ec2edc4, 0x00000000},
	{"CRC-32/CKSUM", 32, 0x04c11db7, 0x00000000, false, false, 0xffffffff, 0x765e7680, 0xc704dd7b},
	{"CRC-32/ISCSI", 32, 0x1edc6f41, 0xffffffff, true, true, 0xffffffff, 0xe3069283, 0xb798b438},
	{"CRC-32/ISO-HDLC", 32, 0x04c11db7, 0xffffffff, true, true, 0xffffffff, 0xcbf43926, 0xdebb20e3},
	{"CRC-32/JAMCRC", 32, 0x04c11db7, 0xffffffff, true, true, 0x00000000, 0x340bc6d9, 0x00000000},
	// This is CRC-32/MEF with a final complement, as in hash/crc32.
	{"CRC-32/KOOPMAN", 32, 0x741b8cd7, 0xffffffff, true, true, 0xffffffff, 0x2d3dd0ae, 0x0843323b},
	{"CRC-32/MEF", 32, 0x741b8cd7, 0xffffffff, true, true, 0x00000000, 0xd2c22f51, 0x00000000},
	{"CRC-32/MPEG-2", 32, 0x04c11db7, 0xffffffff, false, false, 0x00000000, 0x0376e6e7, 0x00000000},
	{"CRC-32/XFER", 32, 0x000000af, 0x00000000, false, false, 0x00000000, 0xbd0be338, 0x00000000},
	{"CRC-40/GSM", 40, 0x0004820009, 0x0000000000, false, false, 0xffffffffff, 0xd4164fc646, 0xc4ff8071ff},
	{"CRC-64/ECMA-182", 64, 0x42f0e1eba9ea3693, 0x0000000000000000, false, false, 0x0000000000000000, 0x6c40df5f0b497347, 0x0000000000000000},
	{"CRC-64/GO-ISO", 64, 0x000000000000001b, 0xffffffffffffffff, true, true, 0xffffffffffffffff, 0xb90956c775a41001, 0x5300000000000000},
	{"CRC-64/MS", 64, 0x259c84cba6426349, 0xffffffffffffffff, true, true, 0x0000000000000000, 0x75d4b74f024eceea, 0x0000000000000000},
	{"CRC-64/NVME", 64, 0xad93d23594c93659, 0xffffffffffffffff, true, true, 0xffffffffffffffff, 0xae8b14860a799888, 0xf310303b2b6f6e42},
	{"CRC-64/REDIS", 64, 0xad93d23594c935a9, 0x0000000000000000, true, true, 0x0000000000000000, 0xe9c6d914c4b8d9ca, 0x0000000000000000},
	{"CRC-64/WE", 64, 0x42f0e1eba9ea3693, 0xffffffffffffffff, false, false, 0xffffffffffffffff, 0x62ec59e3f1a4f00a, 0xfcacbebd5931a992},
	{"CRC-64/XZ", 64, 0x42f0e1eba9ea3693, 0xffffffffffffffff, true, true, 0xffffffffffffffff, 0x995dc9bbdf1939fa, 0x49958c9abd7d353f},
}
