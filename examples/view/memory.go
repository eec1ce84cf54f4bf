package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/assetcook/assetcook/profile/memory"
)

// levelFrames is how many frames a level lasts.
const levelFrames = 600

// storage simulates the memory of a game: levels that are loaded and freed, sprites that leave
// gaps, scratch memory for each frame, and a leak.
type storage struct {
	worker                             *memory.Worker
	textures, meshes, sprites, scratch *memory.Pool
	level                              [][]byte // textures, followed by meshes
	ends                               int      // number of textures in level
	live                               [][]byte // allocated sprites
	leaked                             [][]byte
}

func newStorage(t *memory.Tracker) *storage {
	images := t.Group("images", memory.GroupOptions{Budget: 96 << 20})
	return &storage{
		worker:   t.Worker("main"),
		textures: images.Pool("textures", memory.PoolOptions{Type: "BC7"}),
		sprites:  images.Pool("sprites", memory.PoolOptions{Type: "RGBA"}),
		meshes:   t.Group("meshes", memory.GroupOptions{}).Pool("vertices", memory.PoolOptions{Type: "[]vertex"}),
		scratch:  t.Group("frame", memory.GroupOptions{}).Pool("scratch", memory.PoolOptions{Lifetime: memory.Temporary}),
	}
}

// play allocates and frees the memory of frame n.
func (s *storage) play(n int) {
	if n%levelFrames == 0 {
		s.load(n / levelFrames)
	}
	if n%levelFrames < levelFrames/2 && n%4 == 0 { // stream in more data during the first half of a level
		defer s.worker.Push(fmt.Sprintf("level %d;tile %d", n/levelFrames, n)).Pop()
		s.level = append(s.level, s.meshes.Bytes(s.worker, 100_000+rand.IntN(100_000)))
	}
	s.churn(n)
	b := s.scratch.Bytes(s.worker, 1+rand.IntN(1<<20))
	s.scratch.Free(nil, b)
	if n%100 == 0 {
		defer s.worker.Push("hud.png").Pop()
		s.leaked = append(s.leaked, s.sprites.Bytes(s.worker, 16<<10))
	}
}

func (s *storage) load(level int) {
	for i, b := range s.level {
		if i < s.ends {
			s.textures.Free(nil, b)
		} else {
			s.meshes.Free(nil, b)
		}
	}
	s.level = s.level[:0]
	for i := range 20 + 10*(level%3) {
		scope := s.worker.Push(fmt.Sprintf("level %d;wall_%02d.png", level, i))
		s.level = append(s.level, s.textures.Bytes(s.worker, 1<<20+rand.IntN(1<<20)))
		scope.Pop()
	}
	s.ends = len(s.level)
}

// churn allocates and frees sprites of many sizes, so that freed blocks rarely fit new requests.
func (s *storage) churn(n int) {
	defer s.worker.Push(fmt.Sprintf("effect %d", n%7)).Pop()
	for range 4 {
		s.live = append(s.live, s.sprites.Bytes(s.worker, 1<<(6+rand.IntN(10))+rand.IntN(64)))
	}
	for len(s.live) > 800 {
		i := rand.IntN(len(s.live))
		s.sprites.Free(nil, s.live[i])
		s.live[i] = s.live[len(s.live)-1]
		s.live = s.live[:len(s.live)-1]
	}
}
