import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = process.env.BOTTEGA_URL ?? "http://127.0.0.1:3000";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: { outDir: "../src/bottega/server/static", emptyOutDir: true },
  server: { proxy: { "/api": server, "/health": server, "/ws": { target: server, ws: true } } },
});
