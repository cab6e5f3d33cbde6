#!/usr/bin/env bash
# Installs Debian packages that are missing. Usage: setup.sh PACKAGE...   Running it twice is harmless.
set -euo pipefail
missing=()
for package in "$@"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "== set-up: everything is installed"
  exit 0
fi
command -v apt-get >/dev/null || { echo "[setup] no apt-get here: install these by hand: ${missing[*]}" >&2; exit 1; }
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "[setup] run as root, or install sudo, to get: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "== set-up: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
