// Package sysmem reports the memory of the machine, the memory that the process may use, and the
// memory that it uses.
package sysmem
