// Types that the page's modules use in JSDoc without importing them.

import type { components } from "../../build/api";

declare global {
  /** The shapes of the HTTP API, made of its OpenAPI document: `Api["Round"]` is a round. */
  type Api = components["schemas"];
}
