const element = (name, text, ...children) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
};

const typeOf = (schema = {}) =>
  schema.$ref?.split("/").pop() ??
  (schema.anyOf ? schema.anyOf.map(typeOf).join(" or ") : (schema.enum?.join(" | ") ?? schema.type ?? "anything"));

const listOf = (parameters) => {
  const list = element("dl");
  for (const { name, required, schema, description } of parameters) {
    const about = [typeOf(schema), required ? "required" : "", description ?? ""].filter(Boolean);
    list.append(element("dt", name), element("dd", about.join(" · ")));
  }
  return list;
};

function describe(path, method, operation, schemas) {
  const details = element("details");
  details.append(
    element("summary", "", element("code", `${method.toUpperCase()} ${path}`), operation.summary ?? ""),
  );
  if (operation.description) details.append(element("p", operation.description));
  if (operation.parameters?.length) details.append(listOf(operation.parameters));
  const body = operation.requestBody?.content?.["application/json"]?.schema;
  if (body) {
    const schema = schemas[body.$ref?.split("/").pop()] ?? body;
    const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
      name,
      schema: property,
      description: property.description,
      required: schema.required?.includes(name),
    }));
    details.append(element("h2", "Body"), listOf(fields));
  }
  return details;
}

async function show() {
  const document_ = await (await fetch("/openapi.json")).json();
  const sections = new Map();
  for (const [path, methods] of Object.entries(document_.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? "other";
      if (!sections.has(tag)) sections.set(tag, element("section", "", element("h2", tag)));
      sections.get(tag).append(describe(path, method, operation, document_.components?.schemas ?? {}));
    }
  }
  const routes = document.getElementById("routes");
  routes.replaceChildren(...sections.values());
  routes.ariaBusy = "false";
}

show().catch((error) => {
  document.getElementById("routes").replaceChildren(element("section", `The document could not be read: ${error.message}`));
});
