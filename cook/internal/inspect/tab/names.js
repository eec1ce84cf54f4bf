// Paths as the server gives them: text, or base64 behind a NUL if their bytes are not UTF-8.

export function named(path) {
	if (!path.startsWith("\0")) return path;
	return new TextDecoder().decode(Uint8Array.from(atob(path.slice(1)), c => c.charCodeAt(0)));
}

// ending returns what comes after the last dot of a name, in lower case.
export function ending(path) {
	const name = named(path).split("/").at(-1);
	const dot = name.lastIndexOf(".");
	return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}

// when returns a time of the user's clock: of today without the day.
export function when(text) {
	const t = new Date(text), two = n => String(n).padStart(2, "0");
	const day = `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())}`;
	const clock = `${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}`;
	return t.toDateString() === new Date().toDateString() ? clock : `${day} ${clock}`;
}
