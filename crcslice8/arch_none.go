//go:build purego || !(amd64 || arm64 || loong64 || ppc64le || s390x)

package crcslice8

// archTable is what the kernels of this architecture need of a table: there are
// none.
type archTable struct{}

func archInit(*Table) {}

// archUpdate is Table.update by such kernels; false: not done, the portable ones
// are to do it.
func archUpdate(*Table, uint32, []byte) (uint32, bool) { return 0, false }

// archKernel names the kernel that archUpdate takes for n bytes, "" for none.
func archKernel(*Table, int) string { return "" }
