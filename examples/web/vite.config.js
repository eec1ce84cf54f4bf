import assetcook from "assetcook/vite";
import { defineConfig } from "vite";

export default defineConfig({
	base: "./",
	plugins: [assetcook()],
});
