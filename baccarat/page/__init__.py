"""The table page: one template, static modules, and the demo's door. It plays through the API as any front-end would."""
