import tailwindcss from "@tailwindcss/vite";
import { tanstackRouter } from "@tanstack/router-plugin/vite";
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const server = process.env.BOTTEGA_URL ?? "http://127.0.0.1:3000";

export default defineConfig({
  plugins: [tanstackRouter({ autoCodeSplitting: true, quoteStyle: "double" }), react(), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: { outDir: "../src/bottega/server/static", emptyOutDir: true, chunkSizeWarningLimit: 800 },
  server: { proxy: { "/api": server, "/health": server, "/ws": { target: server, ws: true } } },
  test: {
    environment: "happy-dom",
    setupFiles: "./src/test/setup.ts",
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
    testTimeout: 30_000,
  },
});
