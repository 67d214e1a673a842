// Drives `tuidbg mcp`, or a relay, by the SDK for TypeScript, which checks all that it is told.
// Arguments: the folder of its package, the program, "stdio" and the interpreter, or address and token.
import { createRequire } from "node:module";
import assert from "node:assert/strict";

const [folder, program, where, last] = process.argv.slice(2);
const require = createRequire(folder + "/");
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require(
  "@modelcontextprotocol/sdk/client/streamableHttp.js",
);

const transport =
  where === "stdio"
    ? new StdioClientTransport({ command: last, args: ["-m", "tuidbg", "mcp"] })
    : new StreamableHTTPClientTransport(new URL(where), {
        requestInit: { headers: { Authorization: `Bearer ${last}` } },
      });
const client = new Client({ name: "another", version: "1" });
await client.connect(transport);

const tools = (await client.listTools()).tools.map((tool) => tool.name);
for (const name of ["debug_run", "debug_go", "why", "threads", "breakpoint_wait"]) {
  assert.ok(tools.includes(name), name);
}
const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
assert.ok(prompts.includes("wrong_value"));

const call = async (name, given) => {
  const result = await client.callTool({ name, arguments: given });
  return [JSON.parse(result.content[0].text), Boolean(result.isError)];
};

const [stop] = await call("debug_run", {
  program,
  breakpoints: [`${program}:print('total', total)`],
  evaluate: ["total * 2"],
  timeout_ms: "30000",
});
assert.equal(stop.location.line, 4);
assert.equal(stop.expressions["total * 2"], "6");
const [values] = await call("evaluate", { expressions: ["number", "nothing"] });
assert.equal(values.results[0].value, "2");
assert.match(values.results[1].error, /NameError/);
const [end] = await call("debug_go", {});
assert.equal(end.exit_code, 0);
assert.match(end.output, /total 3/);
const [refused, isError] = await call("debug_go", {});
assert.ok(isError);
assert.equal(refused.error.code, "NO_SESSION");
assert.match(refused.error.hint, /debug_run/);

await client.close();
console.log("all is well");
process.exit(0);
