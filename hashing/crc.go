package hashing

import "hash/crc32"

func crcFuncs() []Func {
	return []Func{
		crcFunc("crc32", "ITU-T V.42, ISO 3309; CRC-32/ISO-HDLC in the RevEng catalogue", 0xcbf43926, crc32.IEEETable),
		crcFunc("crc32c", "RFC 3720 appendix B.4, Castagnoli; CRC-32/ISCSI in the RevEng catalogue", 0xe3069283,
			crc32.MakeTable(crc32.Castagnoli)),
	}
}

// crcFunc wraps one of the two polynomials that hash/crc32 computes with the
// processor's own instructions; for others it goes byte by byte.
func crcFunc(name, source string, check uint32, table *crc32.Table) Func {
	return Func{
		Name:   name,
		Size:   crc32.Size,
		Source: source,
		Check:  Sum128{Lo: uint64(check)},
		New:    func() Hash { return &crcHash{table: table} },
		Sum:    func(b []byte) Sum128 { return Sum128{Lo: uint64(crc32.Checksum(b, table))} },
	}
}

type crcHash struct {
	crc   uint32
	table *crc32.Table
}

func (h *crcHash) Write(p []byte) (int, error) {
	h.crc = crc32.Update(h.crc, h.table, p)
	return len(p), nil
}

func (h *crcHash) Sum128() Sum128 { return Sum128{Lo: uint64(h.crc)} }
func (h *crcHash) Reset()         { h.crc = 0 }
