import { defineConfig } from "vitest/config";

/** Tests of what the page knows and decides, without a browser; those in a browser are in `tests/page` of the repository. */
export default defineConfig({ test: { include: ["tests/*.test.ts"] } });
