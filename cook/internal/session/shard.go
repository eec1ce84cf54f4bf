package session

import (
	"errors"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// A Shard is one of several parts of the sources. The XXH64 of its path determines the part of a
// source, so the parts are the same on all machines and in all versions. The zero value is the
// whole.
type Shard struct {
	Number int // 1 to Of
	Of     int // number of parts
}

// maxShards limits the number of parts.
const maxShards = 10000

// Set parses a shard in the form "3/8".
func (s *Shard) Set(text string) error {
	number, of, ok := strings.Cut(text, "/")
	n, err := strconv.ParseUint(number, 10, 31)
	all, errOf := strconv.ParseUint(of, 10, 31)
	shard := Shard{int(n), int(all)}
	if !ok || err != nil || errOf != nil || shard.Of == 0 || shard.Number < 1 || shard.Number > shard.Of || shard.Of > maxShards {
		return errors.New("want NUMBER/SHARDS, such as 3/8: a number from 1 to the number of shards, which is at most " + strconv.Itoa(maxShards))
	}
	*s = shard
	return nil
}

// Has reports whether a source is in the part.
func (s *Shard) Has(path string) bool {
	return s.Of == 0 || xxhash.Sum64String(path)%uint64(s.Of) == uint64(s.Number-1)
}

// String returns the shard in the form that Set parses, "" for the whole.
func (s *Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return strconv.Itoa(s.Number) + "/" + strconv.Itoa(s.Of)
}
