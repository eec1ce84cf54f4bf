package hashing

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/crcslice8"
)

// A CRC of any model and width is summed like a function of the registry.
func TestAnyCRCSumsFiles(t *testing.T) {
	name, b := filepath.Join(t.TempDir(), "large"), someBytes(3*blockSize+7)
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		model  string
		digits int
	}{{"CRC-64/WE", 16}, {"CRC-40/GSM", 10}, {"CRC-16/MODBUS", 4}, {"CRC-12/UMTS", 4}, {"CRC-8/SMBUS", 2}} {
		model, _ := crcslice8.ModelByName(tt.model)
		table := crcslice8.New64(model)
		f := CRC64(table)
		sum, size, err := SumFile(t.Context(), f, name)
		want := fmt.Sprintf("%0*x", tt.digits, table.Slicing8(table.Empty(), b))
		if err != nil || size != int64(len(b)) || sum.String() != want || !f.Parallel() {
			t.Errorf("%s: %v, %d bytes, %v; want %s", tt.model, sum, size, err, want)
		}
		h := f.New()
		h.Write(b)
		if got := sumOf(h.Sum(nil)); got != sum || got != f.Sum(b) {
			t.Errorf("%s: as a stream %v, at once %v, want %v", tt.model, got, f.Sum(b), sum)
		}
		if got := f.Sum([]byte("123456789")).String(); got != f.Check || f.Name != tt.model {
			t.Errorf("%s of the check input: %s, want %s", f.Name, got, f.Check)
		}
	}
}
