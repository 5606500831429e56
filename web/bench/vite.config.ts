import { defineConfig } from "vite";

/** Builds the bench for tests only; the page that is shipped knows nothing of it. `--outDir` says where to. */
export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  base: "./",
  build: { emptyOutDir: true, assetsInlineLimit: 0, target: "es2022", modulePreload: false },
});
