#!/usr/bin/env bash
# Backups of PostgreSQL, encrypted for a key whose private half is kept elsewhere. operations.md says how to use it.
#
#   backup.sh wal                     receives the log as it is written, until it is stopped
#   backup.sh base                    takes a base backup, and verifies it
#   backup.sh daily KEEP              takes one a day, and keeps that many
#   backup.sh files NAME PATH...      encrypts files, such as those of secrets
#   backup.sh restore FOLDER [TIME]   lays out PostgreSQL's data folder as of the newest commit, or of a time
#   backup.sh decrypt FILE            writes one file of the backup to the standard output
#
# BACKUP_FOLDER is where backups are kept, BACKUP_URL a libpq URL of a login with REPLICATION, BACKUP_RECIPIENT a file
# with the public key. `restore` and `decrypt` need only the folder, and the private key in gpg's own home.
set -euo pipefail
umask 077

folder=${BACKUP_FOLDER:?}
work=
trap 'rm -rf "$work"' EXIT

# Encrypts its input into a file, which appears when it is complete and on disk.
encrypt_to() {
    mkdir -p -m 700 "$folder/.gnupg"
    gpg --homedir "$folder/.gnupg" --batch --quiet --yes --no-options --trust-model always \
        --recipient-file "${BACKUP_RECIPIENT:?}" --output "$1.part" --encrypt
    sync "$1.part"
    mv "$1.part" "$1"
}

decrypt() { gpg --batch --quiet --decrypt "$1"; }

# Compares the files in a folder with its manifest, which has one on each line. pg_verifybackup would do it as well, and
# parse the log; some packages of PostgreSQL lack it, or one that runs.
verify() {
    sed -n 's/^{ "Path": "\([^"]*\)".*"Checksum": "\([0-9a-f]*\)" }.*/\2  \1/p' "$1/backup_manifest" >"$1.sums"
    (cd "$1" && sha256sum --check --quiet --strict "$1.sums")
    rm "$1.sums"
}

now() { date --utc +%Y%m%dT%H%M%SZ; }

# A segment that pg_receivewal still writes is called `.partial`: what has its final name is complete.
encrypt_segments() {
    local segment
    for segment in "$folder"/wal/*; do
        case $segment in *.partial | *.gpg | *.part) continue ;; esac
        [ -f "$segment" ] || continue
        encrypt_to "$segment.gpg" <"$segment"
        rm "$segment"
    done
}

receive_wal() {
    mkdir -p "$folder/wal"
    pg_receivewal --dbname "${BACKUP_URL:?}" --slot casino_backup --create-slot --if-not-exists
    local receiver
    while :; do
        # A server that is away is asked again after a second: with a synchronous backup, commits wait for it.
        pg_receivewal --dbname "$BACKUP_URL" --directory "$folder/wal" --slot casino_backup --synchronous --no-loop &
        receiver=$!
        trap 'kill "$receiver" 2>/dev/null; wait "$receiver"; exit 0' TERM INT
        while kill -0 "$receiver" 2>/dev/null; do
            encrypt_segments
            sleep 1
        done
    done
}

base_backup() {
    mkdir -p "$folder"
    work=$(mktemp -d "$folder/.base.XXXXXX")
    pg_basebackup --dbname "${BACKUP_URL:?}" --pgdata "$work" --wal-method fetch --checkpoint fast \
        --manifest-checksums SHA256
    verify "$work"
    local start
    start=$(sed -n 's/^START WAL LOCATION.*file \(.*\))/\1/p' "$work/backup_label")
    tar --create --directory "$work" . | encrypt_to "$folder/base-$(now)-$start.tar.gpg"
    rm -rf "$work"
}

# Removes base backups but the newest, and the segments that none of those needs.
prune() {
    local oldest first segment
    find "$folder" -maxdepth 1 -name 'base-*.tar.gpg' | sort --reverse | tail --lines "+$(($1 + 1))" | xargs --no-run-if-empty rm
    oldest=$(find "$folder" -maxdepth 1 -name 'base-*.tar.gpg' | sort | head --lines 1)
    first=${oldest##*-}
    for segment in "$folder"/wal/????????????????????????.gpg; do
        if [[ -f $segment && ${segment##*/} < $first ]]; then rm "$segment"; fi
    done
}

daily() {
    while base_backup && prune "$1"; do sleep 86400; done
}

restore() {
    local data=$1 time=${2-} wanted base='' each first segment name
    [ -z "$(ls -A "$data" 2>/dev/null)" ] || { echo "$data is not empty." >&2; exit 1; }
    wanted=$(date --utc --date "${time:-now}" +%Y%m%dT%H%M%SZ)
    for each in "$folder"/base-*.tar.gpg; do
        name=${each##*/base-}
        if [[ -f $each && ! ${name%%-*} > $wanted ]]; then base=$each; fi
    done
    [ -n "$base" ] || { echo "No base backup of $folder had ended by ${time:-now}." >&2; exit 1; }
    mkdir -p -m 700 "$data"
    decrypt "$base" | tar --extract --directory "$data"
    verify "$data"
    first=${base##*-}
    first=${first%%.*}
    for segment in "$folder"/wal/*; do
        name=${segment##*/}
        [[ -f $segment && ! $name < $first && $name != *.part ]] || continue
        case $name in
            *.gpg) decrypt "$segment" >"$data/pg_wal/${name%.gpg}" ;;
            *) cp "$segment" "$data/pg_wal/${name%.partial}" ;;
        esac
    done
    # All of the log is in pg_wal already.
    echo "restore_command = 'false'" >>"$data/postgresql.auto.conf"
    if [ -n "$time" ]; then
        printf "recovery_target_time = '%s'\nrecovery_target_action = 'promote'\n" "$time" >>"$data/postgresql.auto.conf"
    fi
    touch "$data/recovery.signal"
    echo "Restored ${base##*/} and what followed it into $data."
}

case ${1-} in
    wal) receive_wal ;;
    base) base_backup ;;
    daily) daily "${2:?}" ;;
    files) tar --create --absolute-names "${@:3}" | encrypt_to "$folder/files-$(now)-${2:?}.tar.gpg" ;;
    restore) restore "${2:?}" "${3-}" ;;
    decrypt) decrypt "${2:?}" ;;
    *) sed -n '4,9s/^# *//p' "$0" >&2; exit 2 ;;
esac
