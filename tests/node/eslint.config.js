// Rules for the modules of the page, and for the programs in this folder.

import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "object-shorthand": "error",
      "no-console": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      curly: ["error", "multi-line"],
    },
  },
  { files: ["baccarat/web/static/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["tests/node/**/*.js"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
];
