package crcslice8

import (
	"cmp"
	"fmt"
)

// Model describes a CRC-32 in the terms of the RevEng catalogue of parametrised
// CRC algorithms (Greg Cook, https://reveng.sourceforge.io/crc-catalogue/).
type Model struct {
	Name      string // such as "CRC-32/ISO-HDLC"; for display only
	Poly      uint32 // normal form: bit i is x^i, without x^32
	Init      uint32 // register before the first byte, always most significant bit first
	Reflected bool   // RefIn and RefOut: a byte's lowest bit comes first
	XorOut    uint32 // XORed to the final register
	Check     uint32 // checksum of "123456789"; New ignores it
}

// String returns the model in the catalogue's terms, numbers in hex:
// "CRC-32/ISO-HDLC(poly=0x04c11db7 init=0xffffffff reflected=true xorout=0xffffffff
// check=0xcbf43926)". A zero Check, as in a custom model, is left out.
func (m Model) String() string {
	check := ""
	if m.Check != 0 {
		check = fmt.Sprintf(" check=0x%08x", m.Check)
	}
	return fmt.Sprintf("%s(poly=0x%08x init=0x%08x reflected=%t xorout=0x%08x%s)",
		cmp.Or(m.Name, "CRC-32"), m.Poly, m.Init, m.Reflected, m.XorOut, check)
}

// wide returns the same model as a Model64.
func (m Model) wide() Model64 {
	return Model64{m.Name, 32, uint64(m.Poly), uint64(m.Init), m.Reflected, m.Reflected, uint64(m.XorOut), uint64(m.Check), 0}
}

// Models returns all models of type Model in this package, sorted by name: the CRC-32s of the
// RevEng catalogue and [ModelKoopman].
func Models() []Model {
	return []Model{
		ModelAIXM(),
		ModelAUTOSAR(),
		ModelBASE91D(),
		ModelBZIP2(),
		ModelCDROMEDC(),
		ModelCKSUM(),
		ModelISCSI(),
		ModelISOHDLC(),
		ModelJAMCRC(),
		ModelKoopman(),
		ModelMEF(),
		ModelMPEG2(),
		ModelXFER(),
	}
}

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

const ones = 0xffffffff

// ModelISOHDLC is the CRC-32 of Ethernet, zip, gzip and PNG; hash/crc32 calls it
// IEEE.
func ModelISOHDLC() Model {
	return Model{"CRC-32/ISO-HDLC", polyIEEE, ones, true, ones, 0xcbf43926}
}

// ModelBZIP2 is the CRC-32 of bzip2 and, under another name, of the Unreal
// Engine; see [UnrealMemCrc].
func ModelBZIP2() Model {
	return Model{"CRC-32/BZIP2", polyIEEE, ones, false, ones, 0xfc891918}
}

// ModelISCSI is CRC-32C of RFC 3720, iSCSI, ext4 and Btrfs; hash/crc32 calls it
// Castagnoli.
func ModelISCSI() Model {
	return Model{"CRC-32/ISCSI", polyCastagnoli, ones, true, ones, 0xe3069283}
}

// ModelBASE91D is CRC-32D: Castagnoli's polynomial D, as base91 uses it.
func ModelBASE91D() Model {
	return Model{"CRC-32/BASE91-D", polyBASE91D, ones, true, ones, 0x87315576}
}

// ModelMPEG2 is the CRC-32 of MPEG-2 transport streams (ISO/IEC 13818-1, annex A).
func ModelMPEG2() Model {
	return Model{"CRC-32/MPEG-2", polyIEEE, ones, false, 0, 0x0376e6e7}
}

// ModelCKSUM is the CRC of the POSIX command cksum. The command also appends the length of the
// file, least significant byte first and without leading zeros, to the bytes it sums.
func ModelCKSUM() Model {
	return Model{"CRC-32/CKSUM", polyIEEE, 0, false, ones, 0x765e7680}
}

// ModelAIXM is CRC-32Q of the aeronautical information exchange model.
func ModelAIXM() Model {
	return Model{"CRC-32/AIXM", polyAIXM, 0, false, 0, 0x3010bf7f}
}

// ModelJAMCRC is ISO-HDLC without the final complement.
func ModelJAMCRC() Model {
	return Model{"CRC-32/JAMCRC", polyIEEE, ones, true, 0, 0x340bc6d9}
}

// ModelXFER is the CRC-32 of the XFER protocol.
func ModelXFER() Model {
	return Model{"CRC-32/XFER", polyXFER, 0, false, 0, 0xbd0be338}
}

// ModelAUTOSAR is the CRC-32 of AUTOSAR's end-to-end profile 4.
func ModelAUTOSAR() Model {
	return Model{"CRC-32/AUTOSAR", polyAUTOSAR, ones, true, ones, 0x1697d06a}
}

// ModelMEF is the CRC-32 of MEF standards, with Koopman's polynomial and without
// a final complement; see [ModelKoopman].
func ModelMEF() Model {
	return Model{"CRC-32/MEF", polyKoopman, ones, true, 0, 0xd2c22f51}
}

// ModelCDROMEDC is the error detection code of CD-ROM sectors (ECMA-130, 14.3).
func ModelCDROMEDC() Model {
	return Model{"CRC-32/CD-ROM-EDC", polyCDROMEDC, 0, true, 0, 0x6ec2edc4}
}

// ModelKoopman is the CRC of hash/crc32 with its Koopman table: [ModelMEF] with a final
// complement. The RevEng catalogue has no entry for it.
func ModelKoopman() Model {
	return Model{"CRC-32/KOOPMAN", polyKoopman, ones, true, ones, 0x2d3dd0ae}
}
