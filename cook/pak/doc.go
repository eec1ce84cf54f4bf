// Package pak reads and writes paks: many files in one, as games ship them. A directory at
// the end of the file is used where it lies, so that a pak of 100,000 files is open at once;
// files are read at any offset, by many goroutines, without the others.
//
//	p, err := pak.Open("data.pak")
//	...
//	defer p.Close()
//	text, err := p.ReadFile("ui/menu.json")
//
// A Pak is an [io/fs.FS]. Several are one with [Layers]: files of a later pak stand in the
// place of those of earlier ones, and a patch may say that a file is gone.
//
// [Create] writes a pak. Equal files make equal paks, in which an edit of one of them moves few
// of the others. Given the one that it replaces, what is the same stays where it is in any case.
// So who downloads the new one by its differences loads what changed and the directory.
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
// A record is the XXH3-64 of the name (8), offset of the data (8), its size as it lies in the
// pak (8), size of the file (8), BLAKE3 of the file (32), offset of the name within the
// names (4), its length (2), how the data is stored (1: 0 as it is, 1 Zstandard, 2 the file is
// gone), and a zero (1). Data begins at a multiple of 64, or of 4096 if it is 64 KiB or more,
// and never overlaps. A file that is compressed is one frame or several, one after the other;
// some of them may be skippable.
//
// The file of a name is in the slot of the hash modulo s or, if that is another file's, in
// one of those that follow up to an empty one, from the last to the first. A slot is the
// number of a record from 1, 0 if it is empty.
//
// The footer is "PAKINDEX" (8), offset of the records (8), n (4), s (4), size of the names
// (4), flags (4; 1: signed), BLAKE3 of records, slots and names (32), BLAKE3 of those of the
// pak that this one patches or zeros (32), and zeros (32).
//
// Names are paths as [io/fs.ValidPath] has them, in UTF-8.
package pak
