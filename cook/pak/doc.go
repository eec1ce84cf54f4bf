// Package pak reads and writes paks: many files in one, as games ship them. A directory at
// the end of the file is used where it lies, so that a pak of 100,000 files is open at once;
// files are read at any offset, by many goroutines, without the others.
//
//	p, err := pak.Open("data.pak")
//	...
//	defer p.Close()
//	text, err := p.ReadFile("ui/menu.json")
//
// A Pak is an [io/fs.FS]. [Layers] makes several paks one file system: files of a later pak replace
// files of earlier ones, and a patch may remove files.
//
// [Create] writes a pak. Equal files make equal paks, and an edit of one file moves few others. With
// Options.Previous no unchanged file moves. So a player who downloads the differences to the last
// pak loads only changed files and the directory.
//
// # Format
//
// All numbers are little endian; offsets and sizes are in bytes.
//
//	header      16   "COOKPAK\x01", eight zeros
//	data             the files, as they are or as frames of Zstandard (RFC 8878)
//	records     72n  of n files, sorted by name; the first begins at a multiple of 4096
//	slots       4s   of a hash table, s a power of two and at least 2n
//	names            of the files, one after the other
//	signature   64   Ed25519 (RFC 8032) of the footer, if the flag says so
//	footer     128
//
// A record has the XXH3-64 of the name (8), offset of the data (8), stored size (8), size of the
// file (8), BLAKE3 of the file (32), offset of the name within the names (4), length of the name
// (2), form of the data (1: 0 uncompressed, 1 Zstandard, 2 no such file), and a zero (1). Data
// begins at a multiple of 64, or of 4096 if it is 64 KiB or more, and never overlaps. A compressed
// file is a sequence of one or more frames, some of which may be skippable.
//
// To find a name, begin at the slot with the number hash modulo s, and go on to the next slot,
// after the last to the first, until its record has the name or the slot is empty. A slot is the
// number of a record, counted from 1, or 0 if it is empty.
//
// The footer has "PAKINDEX" (8), offset of the records (8), n (4), s (4), size of the names (4),
// flags (4; 1: signed), BLAKE3 of records, slots and names (32), the same BLAKE3 of the pak that
// this one patches or zeros (32), and zeros (32).
//
// Names are paths as [io/fs.ValidPath] has them, in UTF-8.
package pak
