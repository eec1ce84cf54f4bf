// Package sysmem reports how much memory the machine has or lets the process use, and how much the
// process uses.
package sysmem
