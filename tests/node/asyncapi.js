// Checks the AsyncAPI document with the specification's own parser; any finding is an error.

import { readFileSync } from "node:fs";
import process from "node:process";

import { Parser } from "@asyncapi/parser";

const { document, diagnostics } = await new Parser().parse(readFileSync(process.argv[2], "utf8"));
for (const each of diagnostics) process.stderr.write(`${each.code} ${each.message} at ${each.path.join(".")}\n`);
process.exitCode = document === undefined || diagnostics.length > 0 ? 1 : 0;
