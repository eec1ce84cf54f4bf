// The line for commands.
export class Console {
	constructor(app) { this.app = app; }
	say(text) { document.getElementById("said").textContent = text; }
}
