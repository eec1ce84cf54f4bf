package vorbis

import "errors"

// A residue is an encoding of the fine structure of spectra (section 8).
type residue struct {
	kind       int
	begin, end int
	size       int // number of elements per partition
	classes    int
	classBook  int
	books      [][8]int // codebook for each class and pass; -1 means none
	class      []int    // classes of the packet's partitions, for each vector
	vectors    [][]float32
	joint      []float32 // spectra of all channels, interleaved
}

func (d *decoder) readResidue(r *bitReader) (*residue, error) {
	x := &residue{kind: int(r.bits(16))}
	if x.kind > 2 {
		return nil, errors.New("a residue has an unknown type; the file is damaged")
	}
	x.begin, x.end = int(r.bits(24)), int(r.bits(24))
	x.size = int(r.bits(24)) + 1
	x.classes = int(r.bits(6)) + 1
	x.classBook = int(r.bits(8))
	if x.classBook >= len(d.books) || x.begin > x.end {
		return nil, errors.New("a residue has an invalid range or codebook; the file is damaged")
	}
	passes := make([]uint32, x.classes)
	for i := range passes {
		passes[i] = r.bits(3)
		if r.readFlag() {
			passes[i] |= r.bits(5) << 3
		}
	}
	for _, set := range passes {
		books := [8]int{-1, -1, -1, -1, -1, -1, -1, -1}
		for pass := range books {
			if set&(1<<pass) == 0 {
				continue
			}
			books[pass] = int(r.bits(8))
			if books[pass] >= len(d.books) || !d.books[books[pass]].isVector {
				return nil, errors.New("a residue refers to a missing codebook; the file is damaged")
			}
		}
		x.books = append(x.books, books)
	}
	return x, nil
}

// addTo adds a packet's residue to the spectra of some channels. Silent channels are in the stream
// only if all channels are encoded as one vector.
func (x *residue) addTo(r *bitReader, books []codebook, spectra [][]float32, silent []bool) {
	x.vectors = x.vectors[:0]
	if x.kind < 2 {
		for i, s := range spectra {
			if !silent[i] {
				x.vectors = append(x.vectors, s)
			}
		}
		x.decodePasses(r, books)
		return
	}
	all := true
	for _, s := range silent {
		all = all && s
	}
	if all || len(spectra) == 0 {
		return
	}
	channels, n := len(spectra), len(spectra[0])
	if cap(x.joint) < channels*n {
		x.joint = make([]float32, channels*n)
	}
	x.joint = x.joint[:channels*n]
	clear(x.joint)
	x.vectors = append(x.vectors, x.joint)
	x.decodePasses(r, books)
	for ch, s := range spectra {
		for i := range s {
			s[i] = x.joint[i*channels+ch]
		}
	}
}

// decodePasses decodes all passes over x.vectors.
func (x *residue) decodePasses(r *bitReader, books []codebook) {
	if len(x.vectors) == 0 {
		return
	}
	n := len(x.vectors[0])
	begin, end := min(x.begin, n), min(x.end, n)
	partitions := (end - begin) / x.size
	if need := partitions * len(x.vectors); cap(x.class) < need {
		x.class = make([]int, need)
	}
	classBook := &books[x.classBook]
	for pass := range 8 {
		for first := 0; first < partitions; first += classBook.dimensions {
			until := min(first+classBook.dimensions, partitions)
			if pass == 0 {
				for v := range x.vectors {
					x.readClasses(r, classBook, x.class[v*partitions:][first:until])
				}
			}
			for p := first; p < until; p++ {
				for v, vector := range x.vectors {
					book := x.books[x.class[v*partitions+p]][pass]
					if book < 0 {
						continue
					}
					x.addPartition(r, &books[book], vector[begin+p*x.size:][:x.size])
					if r.short { // the encoder may omit the remaining bits
						return
					}
				}
			}
		}
	}
}

// readClasses reads the classes of several partitions from one code word. The digits of the word's
// entry are the classes; the lowest digit is the last class. Extra digits of the last word are
// ignored.
func (x *residue) readClasses(r *bitReader, book *codebook, to []int) {
	word := book.readCodeEntry(r)
	for i := book.dimensions - 1; i >= 0; i-- {
		if i < len(to) {
			to[i] = word % x.classes
		}
		word /= x.classes
	}
}

// addPartition adds the vectors of one partition.
func (x *residue) addPartition(r *bitReader, book *codebook, to []float32) {
	if x.kind == 0 { // the elements of each vector are interleaved
		step := len(to) / book.dimensions
		for i := range step {
			vector := book.readVector(r)
			if r.short {
				return
			}
			for k, v := range vector {
				to[i+k*step] += v
			}
		}
		return
	}
	for len(to) > 0 {
		vector := book.readVector(r)
		if r.short {
			return
		}
		n := min(len(vector), len(to))
		for k, v := range vector[:n] {
			to[k] += v
		}
		to = to[n:]
	}
}
