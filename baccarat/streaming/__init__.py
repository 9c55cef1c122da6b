"""Tables and wallets as they change, pushed to players: snapshots, events, balances."""
