package sysmem

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSmallestGroupLimitCounts(t *testing.T) {
	tests := []struct {
		name, groups string
		files        map[string]string
		want         int64
	}{
		{"none", "0::/\n", nil, 0},
		{"no limit", "0::/a\n", map[string]string{"a/memory.max": "max\n"}, 0},
		{"own", "0::/a/b\n", map[string]string{"a/b/memory.max": "1048576\n"}, 1 << 20},
		{"of a group above", "0::/a/b\n", map[string]string{"a/b/memory.max": "max\n", "a/memory.max": "4096\n"}, 4096},
		{"the smaller", "0::/a/b\n", map[string]string{"a/b/memory.max": "8192\n", "a/memory.max": "4096\n"}, 4096},
		{"another's", "0::/a\n", map[string]string{"b/memory.max": "4096\n"}, 0},
		{"container", "0::/host/path\n", map[string]string{"memory.max": "4096\n"}, 4096},
		{"version 1", "5:cpu,memory:/a\n0::/\n", map[string]string{"memory/a/memory.limit_in_bytes": "4096\n"}, 4096},
		{"version 1, no limit", "5:memory:/\n", map[string]string{"memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		{"version 1, another controller", "5:cpu:/a\n", map[string]string{"memory/a/memory.limit_in_bytes": "4096\n"}, 0},
		{"no number", "0::/\n", map[string]string{"memory.max": "much\n"}, 0},
		{"path that leads out", "0::/../../x\n", map[string]string{"x/memory.max": "4096\n"}, 4096},
		{"torn", "0::", nil, 0},
		{"garbage", "garbage\n\n::\n", nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range tt.files {
				name = filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got := groupMemory(root, tt.groups); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
