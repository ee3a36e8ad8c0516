const show = (id, text) => {
  document.getElementById(id).textContent = text;
};

const setState = (state, text) => {
  document.getElementById("status").dataset.state = state;
  show("status", text);
};

const asTime = (seconds) => {
  const minutes = Math.floor(seconds / 60);
  return minutes < 1 ? "just now" : minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
};

const describeModel = (model) => {
  if (!model) return "–";
  return model.offline ? `offline: ${model.reason}` : `${model.provider}: ${model.fast}, ${model.strong}`;
};

async function refresh() {
  try {
    const response = await fetch("/health");
    const health = await response.json();
    setState(health.status === "ok" ? "ok" : "down", `${health.status}, up ${asTime(health.uptime)}`);
    show("version", health.version ?? "–");
    show("model", describeModel(health.model));
    show("database", health.database?.kind ?? "–");
    show("rooms", health.rooms?.join(", ") || "none yet");
  } catch {
    setState("down", "does not answer");
  }
}

const command = `claude mcp add --transport http bottega ${location.origin}/mcp`;
show("command", command);

document.getElementById("copy").addEventListener("click", async (event) => {
  await navigator.clipboard.writeText(command);
  event.target.textContent = "Copied";
  setTimeout(() => (event.target.textContent = "Copy"), 1500);
});

refresh();
setInterval(refresh, 5000);
