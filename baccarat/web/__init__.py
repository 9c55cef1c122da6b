"""The table page: one template, static modules and the demo's door. It plays by the API, as any front-end would."""
