//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package guard

const paged = false

func reserve(size, page int) (mem []byte, unmap func() error, err error) {
	return make([]byte, size), func() error { return nil }, nil
}

func protect(mem []byte, readOnly bool) error { return nil }

func hide(mem []byte) error { return nil }
