// The state of the page is in the fragment of its URL, so that a view can be kept as a
// bookmark and given to others: #tab=counters&graph=...

// State reads and writes the fragment. Writing replaces the present entry of the
// browser's history, push makes a new one.
export class State {
	#values = new URLSearchParams(location.hash.slice(1));
	#at = location.hash; // as it was last read or written
	#listeners = new Set();
	#timer = 0;
	#push = false;

	// The token does not stay in the URL: a bookmark of a view gives no rights.
	constructor() {
		const token = this.#values.get("token");
		if (token !== null) {
			sessionStorage.setItem("token", token);
			this.#values.delete("token");
			this.#write();
		}
		addEventListener("hashchange", () => {
			this.#at = location.hash;
			const now = new URLSearchParams(location.hash.slice(1));
			if (now.toString() === this.#values.toString()) return;
			if (now.has("token")) sessionStorage.setItem("token", now.get("token"));
			now.delete("token");
			this.#values = now;
			for (const f of this.#listeners) f();
		});
	}

	get token() { return sessionStorage.getItem("token") ?? ""; }
	get(key, otherwise = "") { return this.#values.get(key) ?? otherwise; }
	all(key) { return this.#values.getAll(key); }

	set(key, value, push = false) {
		if (value === "" || value === null || value === undefined) this.#values.delete(key);
		else this.#values.set(key, String(value));
		this.#soon(push);
	}

	setAll(key, values) {
		this.#values.delete(key);
		for (const v of values) this.#values.append(key, v);
		this.#soon(false);
	}

	// onChange calls f after the user went back or forth, or edited the URL.
	onChange(f) { this.#listeners.add(f); }

	// Browsers refuse more than some 100 changes of the URL in 30 seconds.
	#soon(push) {
		this.#push ||= push;
		if (this.#timer) return;
		this.#timer = setTimeout(() => { this.#timer = 0; this.#write(); }, 400);
	}

	// What the user has just typed or clicked is not written over: hashchange is about to
	// tell of it.
	#write() {
		if (location.hash !== this.#at) return;
		const hash = "#" + this.#values.toString();
		if (this.#push) history.pushState(null, "", hash);
		else history.replaceState(null, "", hash);
		this.#push = false;
		this.#at = location.hash;
	}
}
