#!/bin/sh
# Installs the clients and servers that the tests beside this file need (Debian 12), as root.
set -eu
apt-get update -qq
DEBIAN_FRONTEND=noninteractive xargs -a "$(dirname "$0")/debian-packages" apt-get install -y -qq --no-install-recommends
npm --prefix "$(dirname "$0")/../packages" install --no-audit --no-fund --silent
