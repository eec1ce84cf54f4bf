// Package pak reads and writes paks, which are archives that games ship instead of many files. The
// directory at the end of a pak is used in place, so that a pak of 100,000 files opens instantly.
// Many goroutines can read files at once, at any offset and without reading other files.
//
//	p, err := pak.Open("data.pak")
//	...
//	defer p.Close()
//	text, err := p.ReadFile("ui/menu.json")
//
// A Pak is an [io/fs.FS]. [Layers] combines several paks into one file system. Files of later paks
// replace files of earlier paks, and a patch may remove files.
//
// [Create] writes a pak. Equal files give identical paks, and editing one file moves few other
// files. With Options.Previous, no unchanged file moves. A player who downloads the differences
// between the previous pak and the new pak then loads only the changed files and the directory.
//
// # Format
//
// All numbers are little endian; offsets and sizes are in bytes.
//
//	header      16   "COOKPAK\x01", eight zeros
//	data             contents of the files, uncompressed or as frames of Zstandard (RFC 8878)
//	records     72n  one for each of n files, sorted by name, from a multiple of 4096
//	slots       4s   hash table; s is a power of two and at least 2n
//	names            names of the files, without separators
//	signature   64   Ed25519 (RFC 8032) of the footer, if the flag says so
//	footer     128
//
// A record has the XXH3-64 of the name (8), offset of the data (8), stored size (8), size of the
// file (8), BLAKE3 of the file (32), offset of the name within the names (4), length of the name
// (2), storage form of the data (1: 0 uncompressed, 1 Zstandard, 2 removed file), and a zero (1).
// Data begins at a multiple of 64, or of 4096 if it is 64 KiB or more, and never overlaps. A
// compressed file is a sequence of one or more frames; some may be skippable.
//
// To find a name, start at slot number (hash modulo s). Probe the following slots, and continue at
// slot 0 after the last. Stop at a slot whose record has the name, or at an empty slot. A slot
// holds the number of a record, counted from 1, or 0 if it is empty.
//
// The footer has "PAKINDEX" (8), offset of the records (8), n (4), s (4), size of the names (4),
// flags (4; 1: signed), BLAKE3 of records, slots and names (32), the same BLAKE3 of the pak that
// this pak patches, or zeros (32), and zeros (32).
//
// Names are UTF-8 paths that satisfy [io/fs.ValidPath].
package pak
