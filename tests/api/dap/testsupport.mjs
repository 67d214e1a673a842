// Drives `tuidbg dap` by VS Code's own client for tests of debug adapters: a client not written here.
// Arguments: the folder of its package, the interpreter, the program.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import assert from "node:assert/strict";

const [folder, python, program] = process.argv.slice(2);
const require = createRequire(folder + "/");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const client = new DebugClient("", "", "debugpy");
client.defaultTimeout = 60000;

const adapter = spawn(python, ["-m", "tuidbg", "dap"], { stdio: ["pipe", "pipe", "inherit"] });
client.connect(adapter.stdout, adapter.stdin);

const said = await client.initializeRequest({
  adapterID: "debugpy",
  linesStartAt1: true,
  columnsStartAt1: true,
  pathFormat: "path",
});
assert.ok(said.body.supportsConfigurationDoneRequest);

await Promise.all([
  client.waitForEvent("initialized").then(async () => {
    const set = await client.setBreakpointsRequest({
      source: { path: program },
      breakpoints: [{ line: 3 }, { line: 99 }],
    });
    assert.deepEqual(
      set.body.breakpoints.map((each) => each.verified),
      [true, false],
    );
    return client.configurationDoneRequest();
  }),
  client.launchRequest({ program }),
  client.assertStoppedLocation("breakpoint", { path: program, line: 3 }),
]);

const threads = await client.threadsRequest();
const threadId = threads.body.threads[0].id;
await Promise.all([
  client.nextRequest({ threadId }),
  client.assertStoppedLocation("step", { path: program, line: 4 }),
]);
const stack = await client.stackTraceRequest({ threadId });
const scopes = await client.scopesRequest({ frameId: stack.body.stackFrames[0].id });
const variables = await client.variablesRequest({
  variablesReference: scopes.body.scopes[0].variablesReference,
});
const values = Object.fromEntries(variables.body.variables.map((v) => [v.name, v.value]));
assert.equal(values.n, "3");

await Promise.all([
  client.continueRequest({ threadId }),
  client.assertOutput("stdout", "done 3"),
  client.waitForEvent("exited"),
  client.waitForEvent("terminated"),
]);
await client.disconnectRequest();
await new Promise((resolve) => adapter.on("exit", resolve));
console.log("all is well");
