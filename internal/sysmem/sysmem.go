// Package sysmem reports how much memory the machine has or the process may use, and how much the
// process uses.
package sysmem
