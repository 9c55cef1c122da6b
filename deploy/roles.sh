#!/bin/sh
# Runs once, when PostgreSQL's data folder is made: the two logins, and the database that the owner owns.
set -eu

psql --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
    --set owner_password="$CASINO_OWNER_PASSWORD" --set app_password="$CASINO_APP_PASSWORD" <<'SQL'
CREATE ROLE casino_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE casino_app LOGIN PASSWORD :'app_password';
GRANT casino_app TO casino_owner;
CREATE DATABASE casino OWNER casino_owner;
REVOKE ALL ON DATABASE casino FROM PUBLIC;
GRANT CONNECT ON DATABASE casino TO casino_app;
SQL
