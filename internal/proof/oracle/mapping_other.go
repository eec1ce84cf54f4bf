//go:build !linux && !darwin

package oracle

import "os"

// openMapping does nothing, because on these systems a file that is open may not be renamed or
// removed.
func (p *Player) openMapping(string, int64) error { return nil }

func (p *Player) writeMapping(string, int64) error { return nil }

func (p *Player) closeMappings() {}

// changeTime returns the modification time of a file.
func changeTime(name string) (int64, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return 0, err
	}
	return info.ModTime().UnixNano(), nil
}
