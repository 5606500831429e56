import { defineConfig } from "vite";

/** Builds the page into the Python package. Nothing is inlined: the server's content policy allows files only. */
export default defineConfig({
  base: "/",
  build: {
    outDir: "../src/handup/server/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: "es2022",
    modulePreload: false, // a chunk is fetched once it is needed, and again where that failed
    reportCompressedSize: true,
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8765", ws: true } } },
});
