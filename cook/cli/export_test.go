package cli

// Commands are the programs that this test binary can run as, by name.
var Commands = commands
