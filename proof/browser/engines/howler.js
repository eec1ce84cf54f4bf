import { load } from "/loader.js"; // of docs/engines/howler.md
import { checking, cooked, game, joined, judge, opusLoss, resampled, script, soundError } from "/engines/common.js";

await script("/npm/node_modules/howler/dist/howler.core.min.js"); // sets Howl and Howler

// recorded plays a sound on a context that renders to memory, and returns the first channel.
async function recorded(url, name) {
	const context = new OfflineAudioContext(2, 48000 * 3, 48000);
	Howler.ctx = context;
	Howler.state = "running";
	Howler.masterGain = context.createGain();
	Howler.masterGain.connect(context.destination);
	const howl = await load(url);
	howl.play(name);
	const samples = await context.startRendering();
	howl.unload();
	return samples.getChannelData(0);
}

Howler.autoSuspend = false;
Howler.volume(1); // makes its context, which recorded replaces

const single = within => async list => {
	for (const { source: url, outputs } of list) {
		if (!/audio\/.*\.wav$/.test(url)) continue;
		await judge("sound", outputs[0], within, async () => {
			const want = await new OfflineAudioContext(1, 1, 48000).decodeAudioData(await (await fetch(url)).arrayBuffer());
			return soundError(want.getChannelData(0), await recorded(outputs[0]));
		});
	}
};

const effects = within => joined(name => recorded(cooked + "/kinds/ui.json", name), within);

checking([single(opusLoss), effects(opusLoss), game(url => /\.(opus|wav|ogg)$/.test(url) ? load(url) : undefined)],
	[single(0), effects(resampled)]);
