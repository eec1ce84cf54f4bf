// Package damage damages each file that cook keeps in every way that truncates it or flips
// one bit. After each fault it checks that the next run gives the outputs of a run from
// scratch, and that it reports the damage.
//
// A test of package cook runs a sample; "go run ./proof/reliability damage" runs all. It
// cooks in process, so a panic ends the sweep; the file "now" in the sweep's directory then
// names the fault.
package damage
