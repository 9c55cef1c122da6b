// Runs the page's verifier: reads a JSON array of {"file", "keys", "witness_keys", "require_signed", "receipts"}, "file" and "receipts" as text, and prints
// an array of the verdicts, as the stand-alone verifier gives them.

import { readFileSync } from "node:fs";
import { verify } from "../../baccarat/web/static/play/verify/checks.js";

const verdicts = [];
for (const { file, keys, witness_keys: witnessKeys, require_signed: requireSigned, receipts } of JSON.parse(readFileSync(0, "utf8"))) {
  const given = receipts.map((each) => JSON.parse(each));
  const { verdict, checks, asOf, couldChoose, rules, caveats } = await verify(new TextEncoder().encode(file), { trusted: keys, witnessKeys, requireSigned, receipts: given });
  verdicts.push({
    verdict, could_choose: couldChoose, published: rules && rules.published, caveats: caveats.map((caveat) => caveat.code),
    as_of: asOf && { size: asOf.size, cosigned_by: asOf.cosignedBy },
    checks: Object.fromEntries(checks.map((check) => [check.name, check.verdict])),
    failed: Object.fromEntries(checks.filter((check) => check.verdict === "failed").map((check) => [check.name, [check.code, check.values, check.expected, check.found]])),
  });
}
process.stdout.write(JSON.stringify(verdicts));
