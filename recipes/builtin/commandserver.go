package builtin

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// casual are servers that the C library asks for names of users and hosts, and tells what to
// log: programs do without.
var casual = []string{"/run/nscd/", "/var/run/nscd/", "/run/systemd/", "/dev/log", "/run/dbus/", "/var/run/dbus/"}

// noteServer records that the program asks for a server. It cannot reach the server, which could read
// undeclared files for it. noteServer is called as note is. It ignores paths without a server.
func (w *wanted) noteServer(address string) {
	if slices.ContainsFunc(casual, func(prefix string) bool { return strings.HasPrefix(address, prefix) }) || slices.Contains(w.servers, address) {
		return
	}
	if strings.HasPrefix(address, "/") {
		if _, err := os.Stat(address); err != nil {
			return
		}
	}
	w.servers = append(w.servers, address)
}

func (w *wanted) serverAdvice() string {
	more := ""
	if n := len(w.servers) - 1; n > 0 {
		more = " and " + human.Count(n, "other")
	}
	return fmt.Sprintf("it asked for a server at %s%s: what a server reads is not known to cook; add sandbox = false, and name what the result depends on in reads or by {depfile}", pathname.Show(w.servers[0]), more)
}
