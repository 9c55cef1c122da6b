#!/bin/sh
# Runs once, when PostgreSQL's data folder is created: makes the logins and the database.
set -eu

psql --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
    --set owner_password="$CASINO_OWNER_PASSWORD" --set app_password="$CASINO_APP_PASSWORD" \
    --set web_password="$CASINO_WEB_PASSWORD" --set backup_password="$CASINO_BACKUP_PASSWORD" <<'SQL'
CREATE ROLE casino_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE casino_app LOGIN PASSWORD :'app_password';
CREATE ROLE casino_web LOGIN PASSWORD :'web_password';
CREATE ROLE casino_backup LOGIN REPLICATION PASSWORD :'backup_password';
GRANT casino_app TO casino_owner;
-- Web acts as casino_app, but may not use the connections that are reserved for the others.
GRANT casino_app TO casino_web WITH INHERIT FALSE, SET TRUE;
GRANT pg_use_reserved_connections TO casino_app;
CREATE DATABASE casino OWNER casino_owner;
REVOKE ALL ON DATABASE casino FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE casino TO casino_app;
GRANT CONNECT ON DATABASE casino TO casino_web;
SQL

# `host all` does not include replication.
echo "host replication casino_backup all scram-sha-256" >>"$PGDATA/pg_hba.conf"
